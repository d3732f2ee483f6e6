#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-gcc and wpp-g++ alone: the arguments that they give the compiler, here a script that shows
# them, and where they find the plugin.
. "$(dirname "$0")/lib.sh"

cat > "$T/show" <<'END'
#!/bin/sh
for arg do printf '<%s>' "$arg"; done
END
chmod +x "$T/show"
lib=$BUILD/bin/../lib/wpp
headers="<-idirafter$lib/../../include>"
plugin="<-fplugin=$lib/wpp.so>"
begin="<$lib/libwpp-begin.o>"
list="<-Xlinker><--dynamic-list><-Xlinker><$lib/libwpp-rt.list>"
exe="<-L$lib><-l:libwpp-rt.a>$list"
rpath="<-Xlinker><-rpath><-Xlinker><$lib>"
so="<-L$lib><-l:libwpp-rt.so><-Xlinker><--disable-new-dtags>$rpath"

shown() {
    WPP_CC=$T/show wpp-gcc "$@"
}
# passes NAME ARG...: the line reaches the compiler unchanged
passes() {
    local name=$1

    shift
    is "$name" "$(shown "$@")" "$(printf '<%s>' "$@")"
}

# finds_headers NAME ARG...: it is told where <wpp/control.h> is, no more
finds_headers() {
    local name=$1

    shift
    is "$name" "$(shown "$@")" "$headers$(printf '<%s>' "$@")"
}

is 'a compile line gets the plugin' "$(shown -c a.c -o a.o)" "$plugin<-c><a.c><-o><a.o>"
is 'a link line gets the runtime at its end' "$(shown a.o -lm -o a)" "$plugin$begin<a.o><-lm><-o><a>$exe"
is 'compile and link in one' "$(shown -O2 a.c)" "$plugin$begin<-O2><a.c>$exe"
is 'a shared library gets the shared runtime' "$(shown -shared -o l.so a.o)" \
    "$plugin<-shared><-o><l.so><a.o>$so"
is 'also one that the linker alone is told of' "$(shown -Wl,-shared -o l.so a.o)" \
    "$plugin<-Wl,-shared><-o><l.so><a.o>$so"

# What the linker makes of each spelling, and what the wrapper takes it for.
cd "$T" || exit 1
echo 'int f(void) { return 1; }' | gcc -fPIC -x c -c -o f.o -
echo 'int main(void) { return 0; }' | gcc -fPIC -x c -c -o main.o -
echo '-z now --shared' > linkers
printf '%s\n' '-Xlinker -Bshareable' > ours
while IFS= read -r options; do
    rm -f made
    gcc $options -o made f.o 2> /dev/null || gcc $options -o made main.o
    case $(readelf -lW made) in
    *INTERP*) kind='a program' first=$begin runtime=$exe ;;
    *)        kind='a library' first= runtime=$so ;;
    esac
    is "$options: $kind" "$(shown $options a.o)" "$plugin$first$(printf '<%s>' $options a.o)$runtime"
    echo "$kind" >> kinds
done << 'END'
--share
-Wl,--shared
-Wl,-shar
-Wl,-Bshareable
-Wl,--Bshareable
-Wl,-z,now,-shared
-Wl,-shared,-z,now
-Wl,-z,now,--shared,-soname,l.so
-Xlinker -shared
-Xlinker -z -Xlinker now -Xlinker --Bshareable
--for-linker -shared
--for-linker=--shared
-Wl,-G
-Wl,-G,-z,now
-Xlinker -G -Wl,-z,now
-Wl,@linkers
@ours
-Wl,-G,8
-Xlinker -G -Xlinker 8
-shared -Wl,-G,8
-Bshareable
-shared -pie
-pie -shared
-shared -no-pie
-no-pie -shared
-Xassembler -shared
-Wl,-z,now -Wl,-rpath,shared
END
is 'there were both' "$(grep -c library kinds) $(grep -c program kinds)" '20 7'

is 'a program that hides what archives bring gets an object' \
    "$(shown a.o -Wl,--gc-sections,--exclude-libs,ALL)" \
    "$plugin$begin<a.o><-Wl,--gc-sections,--exclude-libs,ALL><-L$lib><-l:libwpp-rt.o>$list"
for options in -Wl,--exclude-libs,x.a:ALL '-Wl,--exclude-libs -Wl,ALL' '-Xlinker -exclude-libs=ALL' \
    '-Xlinker --exclude-libs -Xlinker ALL'; do
    is "$options" "$(shown a.o $options | grep -o '<[^<]*wpp-rt.o>')" '<-l:libwpp-rt.o>'
done
is 'but not a static one' "$(shown a.o -static -Wl,--exclude-libs=ALL)" \
    "$plugin<-Xlinker><-e><-Xlinker><__wpp_entry><$lib/libwpp-entry.o>$begin<a.o><-static><-Wl,--exclude-libs=ALL><-L$lib><-l:libwpp-rt.a>"
is 'arguments are kept as they are' "$(shown -c '-DX="a b"' '*' "it's" '')" \
    "$plugin<-c><-DX=\"a b\"><*><it's><>"
is 'dependencies beside compiling (-MD -MF)' "$(shown -MD -MF a.d -c a.c)" \
    "$plugin<-MD><-MF><a.d><-c><a.c>"
is 'standard input is an input' "$(shown -x c -)" "$plugin$begin<-x><c><->$exe"
passes 'nothing is linked with -nostdlib' -nostdlib a.o
is 'but with -nostdlib and libc, as libtool does' "$(shown -nostdlib -shared a.o -lc -o l.so)" \
    "$plugin<-nostdlib><-shared><a.o><-lc><-o><l.so>$so"
is 'nothing is linked with -r for the linker' "$(shown -Xlinker -r a.o)" "$plugin<-Xlinker><-r><a.o>"
# What the linker alone is given is linked as well.
for inputs in -Wl,f.o '-Xlinker f.o' --for-linker=f.o '-Wl,--whole-archive,-lf'; do
    is "$inputs" "$(shown -shared $inputs)" "$plugin<-shared>$(printf '<%s>' $inputs)$so"
done
passes 'what the linker says of itself' -Wl,--version
for option in -r -Wl,-r -Wl,--relocatable -Wl,-z,now,-r -Wl,-i,-z,now -Wl,-d,-Ur; do
    is "nothing is linked with $option" "$(shown $option a.o b.o)" "$plugin<$option><a.o><b.o>"
done
is 'long options' "$(shown --compile a.c --output=a.o)" "$plugin<--compile><a.c><--output=a.o>"
finds_headers 'preprocessing' -E a.c
finds_headers 'dependencies alone' -M a.c
passes 'version' --version
passes 'help for one kind' --help=warnings
passes 'help with more' --help -v
passes 'verbose without input' -v
passes 'an option that takes the next word, no input' -v -o a.c
passes 'print-' -print-file-name=plugin
passes 'dumpversion' -dumpversion
finds_headers 'a precompiled header' -O2 a.h
finds_headers 'a precompiled header, compiled by itself' -O2 -c a.hpp -o a.hpp.gch
passes 'words that say nothing' -o '' ''

# ---- Probes: not instrumented; libraries that are may be linked -------------------
passes 'a probe is compiled' -c conftest.c
passes "CMake's probe is compiled" -v -o CMakeFiles/cmTC_1.dir/ABI.c.o -c /usr/share/cmake/ABI.c
passes "Meson's is compiled, under its newer name" -c sanity_check_for_c.c
passes "Meson's probe is compiled" -c /b/meson-private/tmp1/testfile.c -o /b/meson-private/tmp1/output.obj
passes 'a probe shows what is linked' -v -o conftest conftest.o
passes "CMake's probe shows what is linked" -v CMakeFiles/cmTC_1.dir/ABI.c.o -o cmTC_1
is 'a probe is linked' "$(shown -o conftest conftest.c -lz)" \
    "<-o><conftest><conftest.c><-lz><-L$lib><-l:libwpp-rt.a>"
is "CMake's, too" "$(shown CMakeFiles/cmTC_1.dir/a.c.o -o cmTC_1)" \
    "<CMakeFiles/cmTC_1.dir/a.c.o><-o><cmTC_1><-L$lib><-l:libwpp-rt.a>"
for probe in conftest_1.cpp .sconf_temp/conftest_0.c b/.conf_check_9/test.c _configtest.c /tmp/ffconf.x1/test.c; do
    passes "$probe" -c $probe
done

# ---- Response files: looked into, passed on as they are --------------------------
cd "$T" || exit 1
printf -- '-O2 -c a.c\n"-DX=-shared -E"' > compile
printf -- "'-shared' -o \\\"l.so\\\" a.o" > library
echo '-DX -MF -E @library' > nested
echo @self > self
echo '@twice @twice' > twice
printf -- -E > preprocess
is 'a compile line' "$(shown @compile)" "$plugin<@compile>"
is 'a link line' "$(shown @library)" "$plugin<@library>$so"
is 'one in the other' "$(shown @nested -lm)" "$plugin<@nested><-lm>$so"
is "an option's argument in another place" "$(shown a.c -o @preprocess)" "$plugin$begin<a.c><-o><@preprocess>$exe"
is 'a file that is not there is an input' "$(shown @missing)" "$plugin$begin<@missing>$exe"
is 'one in itself' "$(shown @self)" "$plugin$begin<@self>$exe"
is 'one twice in itself' "$(WPP_CC=$T/show timeout 20 wpp-gcc @twice)" "$plugin$begin<@twice>$exe"
finds_headers 'preprocessing, in a file' a.c @preprocess

# ---- Settings ------------------------------------------------------------------------
is 'the nop runtime' "$(WPP_RUNTIME=nop shown a.o)" \
    "$plugin<a.o><-L$lib><-l:libwpp-rt-nop.a>$list"
WPP_CC=$T/show WPP_RUNTIME=none fails 'another runtime' wpp-gcc a.c
touch -- -fplugin-arg-wpp-include=x.c
is 'plugin arguments, patterns unexpanded' "$(WPP_PLUGIN_ARGS='include=*.c limit=9' shown -c a.c)" \
    "$plugin<-fplugin-arg-wpp-include=*.c><-fplugin-arg-wpp-limit=9><-c><a.c>"
is 'the compiler may be several words' "$(WPP_CC="$T/show ccache" wpp-gcc -E a.c)" "<ccache>$headers<-E><a.c>"
is 'wpp-g++ calls the other compiler' "$(WPP_CC=false WPP_CXX=$T/show wpp-g++ -c a.cc)" "$plugin<-c><a.cc>"
cp "$T/show" "$T/gcc"
is 'gcc is the default' "$(PATH=$T:$PATH wpp-gcc -E a.c)" "$headers<-E><a.c>"

# Named as a compiler, and first in PATH: the next of that name is called.
mkdir named
for name in gcc cc c++ gcc-99; do
    ln -s "$BUILD/bin/wpp-gcc" named/$name
    printf '#!/bin/sh\nprintf "%%s:" "${0##*/}"\n. "%s"\n' "$T/show" > $name
    chmod +x $name
    is "$name in place of $name" "$(PATH=$T/named:$T:$PATH $name -c a.c)" "$name:$plugin<-c><a.c>"
done
# in_place WPP_CC NAME: what a link of this name runs
in_place() { WPP_CC=$1 PATH=$T/named:$T:$PATH timeout 20 $2 -c a.c; }
is 'the compiler is named as we are' "$(in_place gcc cc)" "gcc:$plugin<-c><a.c>"
is 'behind another program' "$(in_place 'env gcc' gcc)" "gcc:$plugin<-c><a.c>"
WPP_CC=wpp-gcc fails_with 127 'the compiler is wpp-gcc' timeout 20 wpp-gcc -c a.c
WPP_CC=$T/named/cc fails_with 127 'or a link to it' timeout 20 wpp-gcc -c a.c
# A cache that looks for the next compiler in PATH finds us, before it or behind it.
mkdir cache
cat > cache/gcc << 'END_CACHE'
#!/bin/bash
printf 'cache:'
for folder in ${PATH//:/ }; do
    [ ! -x "$folder/gcc" ] || [ "$folder/gcc" -ef "$0" ] || exec "$folder/gcc" "$@"
done
END_CACHE
chmod +x cache/gcc
is 'a cache behind us' "$(PATH=$T/named:$T/cache:$T:$PATH timeout 20 gcc -c a.c)" "cache:gcc:$plugin<-c><a.c>"
is 'also when it preprocesses' "$(PATH=$T/named:$T/cache:$T:$PATH timeout 20 gcc -E a.c)" "cache:gcc:$headers<-E><a.c>"
is 'a cache before us' "$(PATH=$T/cache:$T/named:$T:$PATH timeout 20 gcc -c a.c)" "cache:gcc:$plugin<-c><a.c>"
is 'we are behind the compiler' "$(PATH=$T:$T/named named/gcc -c a.c)" "gcc:$plugin<-c><a.c>"
is 'whoever runs us may call us what he likes' \
    "$(WPP_CC=$T/show PATH=$PATH:$T/named bash -c 'exec -a gcc wpp-gcc -c a.c')" "$plugin<-c><a.c>"
ln -s "$BUILD/bin/wpp-gcc" named/nothing
PATH=$T/named:$T:$PATH fails_with 127 'in place of nothing' nothing -c a.c

# ---- The compiler's tools for archives ---------------------------------------------------
# tool NAME VARIABLE...: which program wpp-gcc-NAME runs, with its arguments
mkdir tools
for name in gcc-ar gcc-ar-99 gcc-nm-99 gcc-ranlib-99 x-y-gcc-ar-9; do
    printf '#!/bin/sh\nprintf "%%s:" "$0"\n. "%s"\n' "$T/show" > tools/$name
done
printf '#!/bin/sh\n' > tools/gcc-99
chmod +x tools/*
ln -s gcc-99 tools/cc
tool() {
    local name=$1

    shift
    env "$@" PATH="$T/tools:$PATH" wpp-gcc-$name rc 'a b' | sed "s|$T/||"
}
is 'ar of the compiler' "$(tool ar WPP_CC=gcc-99)" 'tools/gcc-ar-99:<rc><a b>'
is 'nm' "$(tool nm WPP_CC=gcc-99)" 'tools/gcc-nm-99:<rc><a b>'
is 'ranlib' "$(tool ranlib WPP_CC=gcc-99)" 'tools/gcc-ranlib-99:<rc><a b>'
is 'of one behind a cache, with options' "$(tool ar WPP_CC='ccache gcc-99 -m64')" 'tools/gcc-ar-99:<rc><a b>'
is 'of one for a named target' "$(tool ar WPP_CC=x-y-gcc-9)" 'tools/x-y-gcc-ar-9:<rc><a b>'
is 'in the folder of the compiler' "$(tool ar WPP_CC="$T/tools/gcc-99")" 'tools/gcc-ar-99:<rc><a b>'
is 'of a link to a compiler' "$(tool ar WPP_CC=cc)" 'tools/gcc-ar-99:<rc><a b>'
is 'of the compiler of C++ alone' "$(tool ar WPP_CXX=g++-99)" 'tools/gcc-ar-99:<rc><a b>'
is 'of none in particular' "$(tool ar)" 'tools/gcc-ar:<rc><a b>'
WPP_CC=nothing fails_with 127 'of what is no compiler' wpp-gcc-ar rc a
WPP_CC=gcc-98 fails_with 127 'of one that has none' wpp-gcc-ar rc a
ln -s "$BUILD/bin/wpp-gcc-ar" named/gcc-ar
is 'in place of gcc-ar' "$(PATH=$T/named:$T/tools:$PATH gcc-ar x | sed "s|$T/||")" 'tools/gcc-ar:<x>'

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
