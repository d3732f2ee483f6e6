#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-gcc and wpp-g++ alone: what they hand to the compiler, which here is a
# script that shows its arguments, and where they find the plugin.
. "$(dirname "$0")/lib.sh"

cat > "$T/show" <<'END'
#!/bin/sh
for arg do printf '<%s>' "$arg"; done
END
chmod +x "$T/show"
lib=$BUILD/bin/../lib/wpp
plugin="<-fplugin=$lib/wpp.so>"
exe="<-L$lib><-l:libwpp-rt.a><-Wl,--export-dynamic-symbol=__wpp_*>"
so="<-L$lib><-l:libwpp-rt.so><-Wl,-rpath,$lib>"

shown() {
    WPP_CC=$T/show wpp-gcc "$@"
}
# passes NAME ARG...: the line reaches the compiler unchanged
passes() {
    local name=$1

    shift
    is "$name" "$(shown "$@")" "$(printf '<%s>' "$@")"
}

is 'a compile line gets the plugin' "$(shown -c a.c -o a.o)" "$plugin<-c><a.c><-o><a.o>"
is 'a link line gets the runtime at its end' "$(shown a.o -lm -o a)" "$plugin<a.o><-lm><-o><a>$exe"
is 'compile and link in one' "$(shown -O2 a.c)" "$plugin<-O2><a.c>$exe"
is 'a shared library gets the shared runtime' "$(shown -shared -o l.so a.o)" \
    "$plugin<-shared><-o><l.so><a.o>$so"
is 'arguments are kept as they are' "$(shown -c '-DX="a b"' '*' "it's" '')" \
    "$plugin<-c><-DX=\"a b\"><*><it's><>"
is 'dependencies beside compiling (-MD -MF)' "$(shown -MD -MF a.d -c a.c)" \
    "$plugin<-MD><-MF><a.d><-c><a.c>"
is 'standard input is an input' "$(shown -x c -)" "$plugin<-x><c><->$exe"
is 'a response file is an input' "$(shown @args)" "$plugin<@args>$exe"
is 'nothing is linked with -nostdlib' "$(shown -nostdlib a.o)" "$plugin<-nostdlib><a.o>"
is 'nothing is linked with -r' "$(shown -r a.o b.o)" "$plugin<-r><a.o><b.o>"
passes 'preprocessing' -E a.c
passes 'dependencies alone' -M a.c
passes 'version' --version
passes 'verbose without input' -v
passes 'an option that takes the next word, no input' -v -o a.c
passes 'print-' -print-file-name=plugin
passes 'dumpversion' -dumpversion
passes 'a precompiled header' -O2 a.h
passes "a configure script's probe" -o conftest conftest.c

is 'the nop runtime' "$(WPP_RUNTIME=nop shown a.o)" \
    "$plugin<a.o><-L$lib><-l:libwpp-rt-nop.a><-Wl,--export-dynamic-symbol=__wpp_*>"
WPP_CC=$T/show WPP_RUNTIME=none fails 'another runtime' wpp-gcc a.c
cd "$T" && touch -- -fplugin-arg-wpp-include=x.c
is 'plugin arguments, patterns unexpanded' "$(WPP_PLUGIN_ARGS='include=*.c limit=9' shown -c a.c)" \
    "$plugin<-fplugin-arg-wpp-limit=9><-fplugin-arg-wpp-include=*.c><-c><a.c>"
is 'the compiler may be several words' "$(WPP_CC="$T/show ccache" wpp-gcc -E a.c)" '<ccache><-E><a.c>'
is 'wpp-g++ calls the other compiler' "$(WPP_CC=false WPP_CXX=$T/show wpp-g++ -c a.cc)" "$plugin<-c><a.cc>"
cp "$T/show" "$T/gcc"
is 'gcc is the default' "$(PATH=$T:$PATH wpp-gcc -E a.c)" '<-E><a.c>'

# Found from anywhere: a moved tree, a relative path, symbolic links, blanks.
tree="$T/a tree"
mkdir -p "$tree/bin" "$T/links"
cp "$BUILD/bin/wpp-gcc" "$BUILD/bin/wpp-config" "$tree/bin"
is 'a moved tree' "$(WPP_CC=$T/show "$tree/bin/wpp-gcc" -c a.c)" \
    "<-fplugin=$tree/bin/../lib/wpp/wpp.so><-c><a.c>"
is 'by a relative path' "$(cd "$tree" && WPP_CC=$T/show bin/wpp-gcc -c a.c)" \
    "<-fplugin=$tree/bin/../lib/wpp/wpp.so><-c><a.c>"
ln -s "$tree/bin/wpp-gcc" "$T/links/first"
ln -s first "$T/links/cc"
is 'through symbolic links' "$(WPP_CC=$T/show "$T/links/cc" -c a.c)" \
    "<-fplugin=$tree/bin/../lib/wpp/wpp.so><-c><a.c>"
mkdir -p "$tree/lib/wpp"
is 'wpp-config in a moved tree' "$("$tree/bin/wpp-config" --plugin)" "$tree/lib/wpp/wpp.so"
is 'versions agree' "$(wpp-config --version)" "wpp-config $(sed -n 's/#define WPP_VERSION "\(.*\)"/\1/p' "$ROOT/wpp/wpp.h")"
fails_with 2 'wpp-config names a wrong option' wpp-config --cflag

done_testing
