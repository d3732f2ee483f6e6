# SPDX-License-Identifier: MIT
# The include edges between rooms that are allowed (docs/design.md, The house).
. "$(dirname "$0")/lib.sh"
cd "$ROOT" || exit 1
tops='gcc-plugin tracer driver sequitur wpp hotpaths report'

# Each room, and what of the project its files may include: a folder is all its files, a file is
# itself.  Its own files a room may always include.
rooms='
tracer
driver
sequitur
gcc-plugin/numbering
gcc-plugin/partition   gcc-plugin/numbering
gcc-plugin/partition/cli gcc-plugin/partition gcc-plugin/numbering wpp
gcc-plugin/table       tracer/trace-abi.h tracer/source-hash.h
gcc-plugin/graph       gcc-plugin/gcc-compat.h gcc-plugin/numbering gcc-plugin/table
gcc-plugin/rates       gcc-plugin/gcc-compat.h gcc-plugin/graph
gcc-plugin/events      gcc-plugin/gcc-compat.h gcc-plugin/graph gcc-plugin/rates tracer/trace-abi.h tracer/follow-jump.h
gcc-plugin/use         gcc-plugin/gcc-compat.h gcc-plugin/graph gcc-plugin/table gcc-plugin/numbering tracer/source-hash.h
gcc-plugin/map         gcc-plugin/gcc-compat.h gcc-plugin/graph gcc-plugin/table gcc-plugin/numbering
gcc-plugin             gcc-plugin/map gcc-plugin/use gcc-plugin/events gcc-plugin/graph gcc-plugin/rates gcc-plugin/table gcc-plugin/numbering gcc-plugin/partition tracer/trace-abi.h
wpp
wpp/base               wpp/wpp.h
wpp/format             wpp/wpp.h wpp/base sequitur/sequitur.h
wpp/read               wpp/wpp.h wpp/base wpp/format tracer/trace-abi.h
wpp/trace              wpp/wpp.h wpp/base wpp/format sequitur/sequitur.h tracer/trace-abi.h
wpp/map                wpp/wpp.h wpp/base wpp/format wpp/trace
wpp/samples            wpp/wpp.h wpp/base wpp/format wpp/read wpp/replay wpp/profile wpp/trace wpp/map
wpp/compress           wpp/wpp.h wpp/base wpp/format wpp/trace sequitur/sequitur.h
wpp/record             wpp/wpp.h wpp/base wpp/format wpp/read wpp/trace wpp/compress tracer/trace-abi.h
wpp/replay             wpp/wpp.h wpp/base wpp/read tracer/trace-abi.h tracer/source-hash.h
wpp/profile            wpp/wpp.h wpp/base wpp/format wpp/read wpp/replay
wpp/compare            wpp/wpp.h wpp/base wpp/replay wpp/profile tracer/trace-abi.h
wpp/picture            wpp/wpp.h wpp/base wpp/replay wpp/profile
wpp/coverage           wpp/wpp.h wpp/base wpp/format wpp/read wpp/trace wpp/replay wpp/profile
wpp/export             wpp/wpp.h wpp/base wpp/replay wpp/profile wpp/coverage
wpp/step               wpp/wpp.h wpp/base wpp/replay
wpp/runs               wpp/wpp.h wpp/base wpp/format wpp/read wpp/replay wpp/profile wpp/compare
wpp/cli                wpp tracer/trace-abi.h hotpaths/hotpaths.h
hotpaths/base          hotpaths/hotpaths.h
hotpaths/automata      hotpaths/hotpaths.h hotpaths/base
hotpaths/larus         hotpaths/hotpaths.h hotpaths/base
hotpaths/strings       hotpaths/hotpaths.h hotpaths/base hotpaths/automata
hotpaths/sampled       hotpaths/hotpaths.h hotpaths/base hotpaths/automata hotpaths/strings
hotpaths/exhaustive    hotpaths/hotpaths.h hotpaths/base
hotpaths               hotpaths/base hotpaths/strings hotpaths/sampled hotpaths/exhaustive wpp/wpp.h
hotpaths/report        hotpaths/hotpaths.h hotpaths/base hotpaths/strings wpp/wpp.h wpp/base wpp/replay wpp/profile
hotpaths/cli           hotpaths wpp/wpp.h wpp/base wpp/cli/tool.h
report                 hotpaths wpp/wpp.h wpp/base wpp/read wpp/replay wpp/profile wpp/compare
report/wasm            report wpp/base
report/wasm/include
report/wasm/include/sys
report/page
'

# Every include of a file of ours, one a line: `wpp/read/reader.c wpp/format/content.h`.
includes() {
    find $tops -name '*.[chS]' -o -name '*.cc' | sort |
        xargs sed -nE 's|^ *# *include *"([^"]*/[^"]*)".*|\1|;T;F;p' | paste -d ' ' - -
}

# Prints the edges that the table does not allow, and the rooms that it does not have.
forbidden() {
    awk 'function room_of(file) { sub(/\/[^\/]*$/, "", file); return file }
         function allowed(from, to) {
             if (from == room_of(to)) return 1
             do if ((from, to) in may) return 1; while (sub(/\/[^\/]*$/, "", to))
             return 0
         }
         NR == FNR { if (NF) known[$1]; for (i = 2; i <= NF; i++) may[$1, $i]; next }
         !(room_of($1) in known) { print room_of($1), "is no room"; next }
         !allowed(room_of($1), $2) { print $1, "includes", $2 }' <(echo "$rooms") -
}
is 'rooms include only what the table allows' "$(includes | forbidden)" ''
is 'the table is looked at' \
    "$({ echo 'wpp/base/a.c wpp/read/b.h'; echo 'wpp/cli/a.c wpp/read/b.h'; echo 'wpp/x/a.c wpp/x/b.h'; } | forbidden)" \
    'wpp/base/a.c includes wpp/read/b.h
wpp/x is no room'
is 'each folder is in the table' \
    "$(find $tops -type d | grep -vxFf <(awk '{ print $1 }' <<< "$rooms"))" ''

# A base name stands in one folder; wpp.c, the tool, is no partner of wpp.h.
twice() {
    sed 's/\.[^.]*$//' | sort -u | sed 's|.*/||' | sort | uniq -d
}
is 'a base name stands once in the tree' \
    "$(find $tops -name '*.[chS]' -o -name '*.cc' | grep -v '^wpp/cli/wpp\.c$' | twice)" ''
is 'and a second one would be seen' "$(printf '%s\n' wpp/a/x.c wpp/a/x.h wpp/b/y.c hotpaths/y.h | twice)" y

is 'the rooms have no circle' "$(scripts/include-graph 2>&1 > /dev/null | sed 's/.*, //')" '0 in circles'
mkdir -p "$T/tree/wpp/a" "$T/tree/wpp/b" "$T"/tree/{gcc-plugin,tracer,driver,sequitur,hotpaths,report}
echo '#include "wpp/b/b.h"' > "$T/tree/wpp/a/a.h"
echo '#include "wpp/a/a.h"' > "$T/tree/wpp/b/b.h"
is 'and one would be seen' "$(scripts/include-graph "$T/tree" 2>&1 > /dev/null)" '2 nodes, 2 arrows, 2 in circles'

# Nothing outside test/ includes a test.
is 'nothing includes test/' "$(includes | grep ' test/')" ''

# GCC's headers stay behind one file; the numbering knows no GCC at all.
is "GCC's headers are included by gcc-compat.h alone" \
   "$(grep -rlE '# *include *"(tree|gimple|cfg|basic-block|ssa|cgraph)' gcc-plugin | grep -v gcc-compat)" ''
ok 'the numbering is plain C' gcc -std=gnu17 -fsyntax-only -I. gcc-plugin/numbering/numbering.c
ok 'and so is the partition' \
    bash -c 'for f in gcc-plugin/partition/*.c; do gcc -std=gnu17 -D_GNU_SOURCE -fsyntax-only -I. $f || exit; done'

# libcgraph is under a licence of its own: only wpp-dot may use it, through one file.
is "Graphviz's headers are included by graphviz-compat.h alone" \
   "$(grep -rlE '# *include *["<](graphviz/|cgraph\.h|gvc\.h)' ${tops#gcc-plugin})" wpp/picture/graphviz-compat.h
is 'which only wpp-dot includes' "$(includes | sed -n 's| .*/graphviz-compat\.h$||p')" wpp/cli/wpp-dot.c

# SQLite is known to one file.
is "SQLite's header is included by run-store.c alone" \
   "$(grep -rlE '# *include *["<]sqlite3' $tops)" wpp/runs/run-store.c

# And the reader of JSON to those that talk to an editor.
is "Jansson's header is included by dap-message.h alone" \
   "$(grep -rlE '# *include *["<]jansson' $tops)" wpp/step/dap-message.h
is 'which only files about editors include' "$(includes | sed -n 's| .*/dap-message\.h$||p' | grep -v '^wpp/step/dap-')" ''

# The licence stands in each file.
is 'each source names its licence' \
   "$(find $tops test \( -name '*.[chS]' -o -name '*.cc' -o -name '*.sh' \) ! -path '*/constructs/*' -exec grep -L 'SPDX-License-Identifier' {} +)" ''
is 'gcc-plugin/ is GPL, all else MIT' \
   "$(grep -rl 'SPDX-License-Identifier: MIT' gcc-plugin
      grep -rl '^/[*/] SPDX-License-Identifier: GPL' ${tops#gcc-plugin} test | grep -v numbering)" ''
done_testing
