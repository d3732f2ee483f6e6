#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp.so with other compilers: it reports the compiler that it was built for, the one that loads
# it, and the command to type.  A program that loads wpp.so like GCC plays the compilers; a real
# second compiler is also tested if it is installed.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > compiler.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
struct version { const char *basever, *datestamp, *devphase, *revision, *configuration; };
#ifdef IS_GCC
void register_callback(void) {}
#endif
int main(int argc, char **argv)
{
    struct version version = {argv[2], "20260101", "", "", argc > 3 ? argv[3] : ""};
    void *plugin = dlopen(argv[1], RTLD_NOW);
    int (*init)(void *, struct version *);

    if (!plugin || !dlsym(plugin, "plugin_is_GPL_compatible"))
        return fprintf(stderr, "%s\n", dlerror()), 9;
    *(void **)&init = dlsym(plugin, "plugin_init");
    return init ? init(NULL, &version) : 9;
}
END_C
ok 'a program that loads plugins as GCC does' gcc -w -DIS_GCC -rdynamic compiler.c -o compiler -ldl
ok 'and one that is not GCC' gcc -w -rdynamic compiler.c -o other -ldl

mkdir one none two
cp "$BUILD/lib/wpp/wpp.so" one
cp "$BUILD/lib/wpp/wpp.so" none
cp "$BUILD/lib/wpp/wpp.so" two
: > one/wpp-12.so
: > two/wpp-9.so
: > two/wpp-11.so
: > two/wpp-12.so
: > two/wpp-13.so.old

fails_with 1 'a later GCC' ./compiler one/wpp.so 15.1.0
is 'is told all it needs' "$(cat "$T/err")" "wpp: error: this is GCC 15.1.0, but the plugin is built for GCC 12; compile with gcc-12 (for wpp-gcc, wpp-g++: WPP_CC=gcc-12 WPP_CXX=g++-12), or in wpp's sources type \`make PLUGIN_GCC=gcc-15 PLUGIN_GXX=g++-15\`"
fails_with 1 'built for several' ./compiler "$T/two/wpp.so" 13.2.1
like 'lists them all and names the newest' "$(cat "$T/err")" \
    'is GCC 13.2.1, .* for GCC 9, 11 and 12; compile with gcc-12 .*WPP_CC=gcc-12 .* PLUGIN_GCC=gcc-13 '
fails_with 1 'built for none' ./compiler none/wpp.so 12.2.0
like 'says so' "$(cat "$T/err")" 'GCC 12.2.0, but none has a plugin for no GCC; .*PLUGIN_GCC=gcc-12 '
fails_with 1 'a plugin that is no library' ./compiler one/wpp.so 12.2.0
like 'is named' "$(cat "$T/err")" 'does not fit this GCC 12.2.0: .*one/wpp-12.so'
fails_with 1 'a cross compiler' ./compiler one/wpp.so 12.2.0 \
    "../src/configure -v --build=x86_64-linux-gnu --target=aarch64-linux-gnu --with-x"
is 'is told why' "$(cat "$T/err")" \
    'wpp: error: this GCC compiles for aarch64-linux-gnu; only x86-64 code can be instrumented'

fails_with 1 'what is not GCC' ./other one/wpp.so 12.2.0
like 'is told so' "$(cat "$T/err")" '^wpp: error: this compiler is not GCC, .*WPP_CC=gcc '
if command -v clang > /dev/null; then
    echo 'int main(void) { return 0; }' > clang.c
    fails_with 1 'clang' env WPP_CC=clang "$WPP_GCC" clang.c -o from-clang
    like 'is told so, too' "$(cat "$T/err")" '^wpp: error: this compiler is not GCC, '
    is 'and makes no program' "$(ls from-clang 2> /dev/null)" ''
else
    skip 'clang is not installed'
fi

# The plugin itself, met by another GCC of the same number.
echo 'int main(void) { return 0; }' > empty.c
for compiler in gcc gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 gcc-16; do
    major=$(command -v $compiler > /dev/null && $compiler -dumpversion) || {
        skip "$compiler is not installed"
        continue
    }
    major=${major%%.*}
    cp "$BUILD/lib/wpp/wpp.so" none/wpp.so
    $compiler -fplugin=none/wpp.so -c empty.c 2> err
    is "$compiler without a plugin: in one line" "$(grep -c '^wpp: error: this is GCC '$major < err) $(wc -l < err)" '1 1'
    if [ -e "$BUILD/lib/wpp/wpp-$major.so" ]; then
        ok "$compiler with its plugin" env WPP_CC=$compiler wpp-gcc -O2 empty.c -o empty-$major
        ok 'and the program is recorded' wpp-record -o empty.wpp ./empty-$major
        is 'wholly' "$(wpp-dump empty.wpp | grep -c 'EnterRoutine main')" 1
    else
        skip "no plugin is built for $compiler"
    fi
done
done_testing
