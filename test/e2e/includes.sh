# SPDX-License-Identifier: MIT
# Who may know whom: the include edges between folders (docs/design.md).
. "$(dirname "$0")/lib.sh"

# allowed FOLDER PATTERN: each `#include "x/y"` of the folder matches PATTERN
# (its own folder is always allowed; a name without a slash is its own).
allowed() {
    local folder=$1 pattern=$2 bad

    bad=$(cd "$ROOT" && grep -nE '^ *# *include *"[^"]*/' "$folder"/*.[ch] "$folder"/*.cc "$folder"/*.S 2>/dev/null |
          grep -vE "\"($folder/|$pattern)")
    is "$folder/ includes only what it may" "$bad" ""
}

allowed gcc-plugin 'tracer/(trace-abi|follow-jump)\.h"'
allowed tracer '-nothing-'
allowed driver '-nothing-'
allowed sequitur '-nothing-'
allowed wpp 'sequitur/sequitur\.h"|tracer/trace-abi\.h"'
allowed hotpaths 'wpp/(wpp|tool|output|error|events|source-files|names|json)\.h"'

# Nothing outside test/ includes a test.
is "nothing includes test/" \
   "$(cd "$ROOT" && grep -lE '# *include *"test/' gcc-plugin/* tracer/* driver/* sequitur/* wpp/* hotpaths/* 2>/dev/null)" ""

# GCC's headers stay behind one file; the numbering knows no GCC at all.
is "GCC's headers are included by gcc-compat.h alone" \
   "$(cd "$ROOT" && grep -lE '# *include *"(tree|gimple|cfg|basic-block|ssa|cgraph)' gcc-plugin/*.cc gcc-plugin/*.c 2>/dev/null)" ""
ok "the numbering is plain C" gcc -std=gnu17 -fsyntax-only -I"$ROOT" "$ROOT/gcc-plugin/numbering.c"

# libcgraph is under a licence of its own: only wpp-dot may use it, through one file.
is "Graphviz's headers are included by graphviz-compat.h alone" \
   "$(cd "$ROOT" && grep -lE '# *include *["<](graphviz/|cgraph\.h|gvc\.h)' {wpp,hotpaths,sequitur,tracer,driver}/*.[ch] 2>/dev/null)" wpp/picture/graphviz-compat.h
is "which only wpp-dot includes" \
   "$(cd "$ROOT" && grep -l 'graphviz-compat\.h"' {wpp,hotpaths,sequitur,tracer,driver}/*.[ch] 2>/dev/null)" wpp/cli/wpp-dot.c

# The licence stands in each file.
is "each source names its licence" \
   "$(cd "$ROOT" && grep -L 'SPDX-License-Identifier' {gcc-plugin,tracer,driver,sequitur,wpp,hotpaths,test/*}/*.{c,h,cc,S,sh} 2>/dev/null)" ""
is "gcc-plugin/ is GPL, all else MIT" \
   "$(cd "$ROOT" && { grep -l 'SPDX-License-Identifier: MIT' gcc-plugin/*.{c,cc,h}; grep -l 'SPDX-License-Identifier: GPL' {tracer,driver,sequitur,wpp,hotpaths,test/*}/*.{c,h,S} | grep -v numbering; } 2>/dev/null)" ""
done_testing
