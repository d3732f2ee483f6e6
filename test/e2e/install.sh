#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow
# `make install` makes a tree that works in any place, with the plugin, and `make uninstall`
# removes all of it.
. "$(dirname "$0")/lib.sh"
cd "$ROOT" || exit 1
case $CONFIG in
release|debug) ;;
*) skip "install: the libraries of CONFIG=$CONFIG are not for other programs"; done_testing ;;
esac
unset MAKEFLAGS MAKELEVEL MFLAGS

ok 'install' make CONFIG="$CONFIG" install PREFIX=/opt/w DESTDIR="$T/stage"
mv "$T/stage/opt/w" "$T/moved tree"
bin="$T/moved tree/bin"
# Nothing of the build folder may help.
PATH=${PATH#*:}

is 'all documents are where their links expect them' \
    "$(cd "$T/moved tree/share/doc/wpp" && find . -type f | sort)" \
    "$(find ./README.md ./LICENSE ./docs -name man -prune -o -type f -print | sort)"

cat > "$T/turn.c" <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    long sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += i % 3 ? i : argc;
    printf("%ld %s\n", sum, argv[0] ? "fine" : "");
    return 0;
}
END
cd "$T" || exit 1
ok 'a program is built with the installed wpp-gcc' "$bin/wpp-gcc" -O1 -g -o turn turn.c
ok 'and recorded' "$bin/wpp" record ./turn
is 'its output is its own' "$(cat "$T/out")" '333001 fine'
ok 'and checked' "$bin/wpp-check" turn.wpp
like 'and explained in source lines' "$("$bin/wpp-hot" turn.wpp)" 'turn.c'
like 'wpp-info knows it' "$("$bin/wpp-info" turn.wpp)" '^complete +yes'
echo '#include <wpp/control.h>
int main(void) { wpp_stop(); wpp_start(); return 0; }' > "$T/control.c"
ok 'a program stops its recording' "$bin/wpp-gcc" -o control control.c
ok 'without the wrapper, by wpp-config' sh -c \
    'p=$("$1" --plugin) && gcc -fplugin="$p" -O1 -c turn.c && gcc -o two turn.o \
     "-L$(dirname "$p")" -l:libwpp-rt.a "-Wl,--dynamic-list=$(dirname "$p")/libwpp-rt.list" && WPP_OUT=two.trace ./two' - "$bin/wpp-config"
ok 'and its trace compressed' "$bin/wpp-compress" two.trace

# A shared library with the installed shared runtime.
cat > "$T/lib.c" <<'END'
int twice(int x);
int twice(int x) { return x > 0 ? 2 * x : x; }
END
cat > "$T/user.c" <<'END'
int twice(int x);
int main(void) { return twice(4) - 8; }
END
ok 'a shared library is built' "$bin/wpp-gcc" -O1 -fPIC -shared -o libtwice.so lib.c
ok 'and a program that uses it' "$bin/wpp-gcc" -O1 -o user user.c -L. -ltwice -Wl,-rpath,"$T"
ok 'and both recorded' "$bin/wpp-record" ./user
like 'routines of both' "$("$bin/wpp-dump" --routines user.wpp)" 'twice'

cat > "$T/reader.c" <<'END'
#include <wpp/wpp.h>
#include <wpp/hotpaths.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    struct wpp_error error;
    struct wpp_summary summary;
    wpp *w = argc > 1 ? wpp_open(argv[1], &error) : NULL;
    if (!w)
        return 1;
    wpp_get_summary(w, &summary);
    printf("%s\n", summary.tokens > 1000 ? "many" : "few");
    wpp_close(w);
    return 0;
}
END
if command -v pkg-config > /dev/null; then
    mv "$T/moved tree" "$T/moved"      # pkg-config's output is split at blanks
    export PKG_CONFIG_PATH=$T/moved/lib/pkgconfig
    is 'pkg-config: version' "$(pkg-config --modversion wpp)" "$("$T/moved/bin/wpp" --version | sed 's/.* //')"
    ok 'a reader of WPP files is built by pkg-config' sh -c \
        'gcc -Wall -Werror -o reader reader.c $(pkg-config --cflags --libs wpp)'
    export LD_LIBRARY_PATH=$T/moved/lib
    is 'and reads' "$(./reader turn.wpp)" many
    ok 'with shared libraries' sh -c 'readelf -d reader | grep -q "NEEDED.*libwpp.so.0"'
    ok 'or with the archives' sh -c \
        'gcc -Wall -Werror -o static reader.c -static $(pkg-config --static --cflags --libs wpp)'
    is 'and reads so, too' "$(env -u LD_LIBRARY_PATH ./static turn.wpp)" many
    ok 'the example of the C API' sh -c \
        'gcc -Wall -Wextra -Werror -o hottest "$1" $(pkg-config --cflags --libs wpp)' - \
        "$T/moved/share/doc/wpp/docs/example-hotpaths.c"
    ok 'runs' ./hottest turn.wpp
    like 'and finds the loop' "$(head -n 1 out)" '^ *9[0-9]\.[0-9] %  .* x [0-9]+ paths  main$'
    like 'of which all together are no more than the run' "$(tail -n 1 out)" '^( 9[0-9]\.[0-9]|100\.0) %  all of them$'
    fails_with 1 'and says what it cannot read' ./hottest turn.c
    unset LD_LIBRARY_PATH
    mv "$T/moved" "$T/moved tree"
else
    skip 'pkg-config is not installed'
fi

mkdir -p "$T/stage/opt"
mv "$T/moved tree" "$T/stage/opt/w"
cd "$ROOT" || exit 1
fails 'blanks in PREFIX are refused' make CONFIG="$CONFIG" uninstall PREFIX="/opt/w w" DESTDIR="$T/stage"
ok 'uninstall' make CONFIG="$CONFIG" uninstall PREFIX=/opt/w DESTDIR="$T/stage"
is 'nothing is left' "$(cd "$T/stage" && find . ! -type d)" ''
done_testing
