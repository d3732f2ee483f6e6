#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 80
# The wrappers used by build systems: configure with automake and libtool, CMake, Meson, ccache.
# Each is tested if it is installed; `make check-all` installs them.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS CC CXX CFLAGS CXXFLAGS

# A program in C, a library of it in C and one in C++.
mkdir project
cat > project/main.c <<'END'
#include <stdio.h>
int shapes(int n);
int names(int n);
int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", shapes(argc + 3) + names(argc));
    return 0;
}
END
cat > project/shapes.c <<'END'
int shapes(int n);
int shapes(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }
END
cat > project/names.cc <<'END'
extern "C" int names(int n);
int names(int n)
{
    int count = 0;
    for (int *p = new int(n + 9); n < *p; n++)
        try {
            if (n % 4 == 0)
                throw n;
        } catch (int) {
            count++;
        }
    return count;
}
END
# shown PROGRAM: what it prints when recorded, and which of our routines ran
shown() {
    rm -f run.wpp
    wpp-record -o run.wpp "$1" && wpp-dump run.wpp |
        sed -n 's/^ *EnterRoutine \(main\|shapes\|names\)\( .*\)*$/\1/p' | sort -u | paste -s -d ' '
}
want='16
main names shapes'
# Traces that something other than our tests has left.
traces() {
    find . -name 'wpp.*.trace' | wc -l
}

# ---- configure, automake, libtool ------------------------------------------------------
cat > project/configure.ac <<'END'
AC_INIT([project], [1.0])
AC_CONFIG_AUX_DIR([aux])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_CONFIG_HEADERS([config.h])
AC_PROG_CC
AC_PROG_CXX
LT_INIT
AC_C_BIGENDIAN
AC_CHECK_SIZEOF([long double])
AC_CHECK_HEADERS([sys/wait.h none/such.h])
AC_CHECK_FUNCS([mmap sigaction no_such_function])
AC_SEARCH_LIBS([cos], [m])
AC_RUN_IFELSE([AC_LANG_PROGRAM([[#include <stdlib.h>]], [[exit(sizeof(long) == 8 ? 0 : 1);]])],
              [AC_DEFINE([LONG_IS_LONG], [1], [64 bits])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat > project/Makefile.am <<'END'
bin_PROGRAMS = prog
lib_LTLIBRARIES = libshapes.la libnames.la
libshapes_la_SOURCES = shapes.c
libnames_la_SOURCES = names.cc
libnames_la_LDFLAGS = -no-undefined
prog_SOURCES = main.c
nodist_EXTRA_prog_SOURCES = linked-by-c++.cc
prog_LDADD = libshapes.la libnames.la
TESTS = prog
END
if command -v autoreconf > /dev/null && command -v libtoolize > /dev/null && command -v automake > /dev/null; then
    cp -r project tools
    ok 'autoreconf' sh -c 'cd tools && autoreconf -i'
    mkdir plain traced
    ok 'configure, plainly' sh -c 'cd plain && ../tools/configure CC=gcc CXX=g++'
    ok 'configure CC=wpp-gcc' sh -c 'cd traced && ../tools/configure --cache-file=../found --prefix="$1" CC=wpp-gcc CXX=wpp-g++' - "$T/tree"
    same 'finds the same' traced/config.h plain/config.h
    is 'and leaves no traces of its probes' "$(traces)" 0
    ok 'make check' env WPP_OUT=none make -s -j2 -C traced check
    ok 'make install' env WPP_OUT=none make -s -C traced install
    is 'the installed program is recorded with its libraries' "$(shown tree/bin/prog)" "$want"
    is 'and from the build folder' "$(shown traced/prog)" "$want"
    ok 'a library for other programs' sh -c \
        'gcc tools/main.c -Ltree/lib -lshapes -lnames -Wl,-rpath,"$1/tree/lib" -o other' - "$T"
    is 'is recorded by itself' "$(shown ./other)" '16
names shapes'
    ok 'make distclean' make -s -C traced distclean
    if check_all; then
        # It finds what it has found before.
        ok 'configure for archives' sh -c \
            'cd traced && ../tools/configure --cache-file=../found --disable-shared CC=wpp-gcc CXX=wpp-g++'
        ok 'make' env WPP_OUT=none make -s -j2 -C traced
        is 'the program is recorded' "$(shown traced/prog)" "$want"
    fi
else
    skip 'autoconf, automake or libtool is not installed'
fi

# ---- CMake ---------------------------------------------------------------------------------
cat > project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(project C CXX)
include(CheckFunctionExists)
include(CheckCSourceRuns)
find_package(Threads REQUIRED)
check_function_exists(mmap HAVE_MMAP)
check_function_exists(no_such_function HAVE_NO_SUCH_FUNCTION)
check_c_source_runs("int main(void) { return sizeof(long) == 8 ? 0 : 1; }" LONG_IS_LONG)
add_library(shapes STATIC shapes.c)
add_library(names SHARED names.cc)
add_executable(prog main.c)
target_link_libraries(prog shapes names Threads::Threads)
install(TARGETS prog names RUNTIME DESTINATION bin LIBRARY DESTINATION lib)
set_target_properties(prog PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
END
checks() {
    sed -n '/^\(HAVE_\|LONG_\|CMAKE_HAVE\|CMAKE_C_COMPILER_\)/p' "$1/CMakeCache.txt" | grep -v '_\(AR\|RANLIB\):'
    sed -n '/IMPLICIT_\(LINK\|INCLUDE\)/p' "$1"/CMakeFiles/3*/CMake*Compiler.cmake
}
if command -v cmake > /dev/null; then
    ok 'cmake, plainly' cmake -S project -B cmake-plain -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
    ok 'cmake with the wrappers' cmake -S project -B cmake-traced -DCMAKE_INSTALL_PREFIX="$T/cmake-tree" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=wpp-gcc -DCMAKE_CXX_COMPILER=wpp-g++
    is 'finds the same' "$(checks cmake-traced)" "$(checks cmake-plain)"
    is 'and leaves no traces of its probes' "$(traces)" 0
    ok 'cmake --build' cmake --build cmake-traced -j2
    is 'the program is recorded with its library' "$(shown cmake-traced/prog)" "$want"
    ok 'cmake --install' cmake --install cmake-traced
    is 'the installed program is' "$(shown cmake-tree/bin/prog)" "$want"
    cat > project/lto.cmake <<'END'
include(CheckIPOSupported)
check_ipo_supported(RESULT ipo OUTPUT why LANGUAGES C CXX)
message(STATUS "lto: ${ipo}")
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${ipo})
END
    ok 'link-time optimisation, as CMake finds it' cmake -S project -B cmake-lto \
        -DCMAKE_C_COMPILER=wpp-gcc -DCMAKE_CXX_COMPILER=wpp-g++ \
        -DCMAKE_PROJECT_project_INCLUDE="$T/project/lto.cmake"
    like 'is found' "$(cat "$T/out")" 'lto: (YES|TRUE|ON)'
    ok 'is built' cmake --build cmake-lto -j2
    is 'and recorded' "$(shown cmake-lto/prog | sed 1q)" 16
else
    skip 'CMake is not installed'
fi

# ---- Meson ---------------------------------------------------------------------------------
cat > project/meson.build <<'END'
project('project', 'c', 'cpp')
compiler = meson.get_compiler('c')
message('long', compiler.sizeof('long'), 'mmap', compiler.has_function('mmap'),
        'none', compiler.has_function('no_such_function'), 'three',
        compiler.run('int main(void) { return 3; }').returncode())
shapes = static_library('shapes', 'shapes.c')
names = shared_library('names', 'names.cc', install: true)
executable('prog', 'main.c', link_with: [shapes, names], install: true, install_rpath: '$ORIGIN/../lib')
END
if command -v meson > /dev/null && command -v ninja > /dev/null; then
    ok 'meson, plainly' env CC=gcc CXX=g++ meson setup meson-plain project
    grep '^Message' "$T/out" > plain.messages
    ok 'meson with the wrappers' env CC=wpp-gcc CXX=wpp-g++ \
        meson setup --prefix="$T/meson-tree" --libdir=lib meson-traced project
    is 'finds the same' "$(grep '^Message' "$T/out")" "$(cat plain.messages)"
    is 'and leaves no traces of its probes' "$(traces)" 0
    ok 'ninja' ninja -C meson-traced -j2
    is 'the program is recorded with its library' "$(shown meson-traced/prog)" "$want"
    ok 'ninja install' ninja -C meson-traced install
    is 'the installed program is' "$(shown meson-tree/bin/prog)" "$want"
else
    skip 'Meson or ninja is not installed'
fi

# ---- ccache ---------------------------------------------------------------------------------
export CCACHE_DIR=$T/ccache CCACHE_NOCOMPRESS=1
unset CCACHE_DISABLE
hits() {
    ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n + 0 }'
}
if command -v ccache > /dev/null; then
    export WPP_CC='ccache gcc'
    ok 'ccache within: first' wpp-gcc -O1 -c project/shapes.c -o first.o
    ok 'ccache within: again' wpp-gcc -O1 -c project/shapes.c -o second.o
    is 'is a hit' "$(hits)" 1
    same 'the same object' first.o second.o
    WPP_PLUGIN_ARGS=exclude=shapes ok 'other arguments of the plugin' \
        wpp-gcc -O1 -c project/shapes.c -o none.o
    is 'are a miss' "$(hits) $(readelf -SW none.o | grep -c wpp_units)" '1 0'
    mkdir -p tree2/bin tree2/lib
    cp "$BUILD/bin/wpp-gcc" tree2/bin && cp -r "$BUILD/lib/wpp" tree2/lib
    ok 'by a copy' tree2/bin/wpp-gcc -O1 -c project/shapes.c -o second.o
    ok 'and again' tree2/bin/wpp-gcc -O1 -c project/shapes.c -o second.o
    is 'a hit' "$(hits)" 2
    for plugin in tree2/lib/wpp/wpp-*.so; do
        printf '\0' >> "$plugin"
    done
    ok 'by another build of the plugin' tree2/bin/wpp-gcc -O1 -c project/shapes.c -o second.o
    is 'a miss' "$(hits)" 2
    unset WPP_CC
    ok 'ccache outside: first' ccache wpp-gcc -O1 -c project/main.c -o first.o
    ok 'ccache outside: again' ccache wpp-gcc -O1 -c project/main.c -o second.o
    is 'is a hit' "$(hits)" 3
    wpp-gcc -O1 -c project/shapes.c -o first.o
    ok 'and a program' wpp-g++ second.o first.o project/names.cc -o cached
    is 'is recorded' "$(shown ./cached)" "$want"
else
    skip 'ccache is not installed'
fi
done_testing
