# SPDX-License-Identifier: MIT
# programs.sh: real programs from Debian's sources, and real work for them.
#
#     real_prepare NAME             fetch the source, generate what its build generates
#     real_build NAME CC OPT DIR    compile and link DIR/NAME with `CC OPT`
#     real_input NAME SIZE          make the input, the same bytes on every call
#     real_command NAME EXE SIZE    set the array `command`: EXE at work on that input
#
# NAME is one of $real_names.  SIZE is small (about 1/20 s), demo (1/4 s), medium (1/2 s; more
# than 1 s at -O0) or full (more than 1 s), natively at -O2 on a fast machine.  Every command
# reads files, writes its result to standard output, and does the same thing on every run.
# `command` is to be run in an empty folder.
#
# All builds of a program compile the same files of one prepared tree, directly, so
# that plain, traced and gcov builds differ in the compiler's flags and nothing else.
#
# Expects ROOT, the project's folder.  Writes under $REAL (ROOT/build/real).
REAL=${REAL:-${ROOT:-.}/build/real}
real_names='bzip2 gzip ncompress lua5.4 sqlite3 jq zstd ninja jsonnet'
# More, which give many more events than can be compressed meanwhile, or very long grammars.
real_busy_names='minisat2 perl tcc'

# ---- Sources ------------------------------------------------------------------

real_tree() {
    echo "$REAL/tree/$1"
}

# Makes the prepared tree of NAME; says why it cannot and returns 1.
real_prepare() {
    local name=$1 package=$1 tree source new

    tree=$(real_tree "$name")
    [ ! -d "$tree" ] || return 0
    case $name in
    zstd)  package=libzstd ;;
    ninja) package=ninja-build ;;
    esac
    source=$("$ROOT/scripts/fetch-source" "$package") || return 1
    new=$REAL/tree/.$name.$$
    mkdir -p "$REAL/tree" && cp -a "$source" "$new" || return 1
    if ! (cd "$new" && "prepare_${name%%.*}") > "$REAL/$name.log" 2>&1; then
        echo "cannot prepare $name; see $REAL/$name.log" >&2
        rm -rf "$new"
        return 1
    fi
    mv -T "$new" "$tree" 2>/dev/null || rm -rf "$new"
}

prepare_bzip2()     { :; }
prepare_ncompress() { :; }

# The header with which Debian names its library folder; and addresses must not decide
# what is done, since two builds have different ones: they are table keys (here all in one
# chain: work.lua has no such keys), and index the cache of C strings (STRCACHE_N).
prepare_lua5() {
    echo '#define DEB_HOST_MULTIARCH ""' > src/lua5.4-deb-multiarch.h &&
        sed -i 's/^#define point2uint(p).*/#define point2uint(p) 0u/' src/llimits.h
}
prepare_zstd()  { :; }
prepare_ninja() { :; }

# What its build makes of its standard library and of its version.  The #line of the parser
# and the lexer point behind the end of the patched grammar, where gcov says nothing; the
# seed of its hashes is a random one.
prepare_jq() {
    sed -i '/^#line/d' src/parser.c src/lexer.c &&
        sed -i 's/seed = arc4random();/seed = 0x432A9843;/' src/jv.c &&
        sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' src/builtin.jq \
            > src/builtin.inc &&
        echo '#define JQ_VERSION "1.6"' > src/version.h
}
prepare_jsonnet() {
    { od -v -Anone -t u1 stdlib/std.jsonnet | tr -s ' \n' ','; echo 0; } |
        sed '1s/^,//' > core/std.jsonnet.h
}

# gzip wants its config.h and the replacements of libc functions that it selects.
prepare_gzip() {
    ./configure -q --disable-dependency-tracking CC="${CC:-gcc}" CFLAGS=-O0 &&
        make ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: MAKEINFO=: all &&
        ar t lib/libgzip.a | sed 's/^libgzip_a-//; s/\.o$/.c/; /^xalloc-die/d' | while read -r file; do
            find lib -name "$file"
        done > library-files
}

# sqlite3 is compiled as one file made of all.
prepare_sqlite3() {
    make -f main.mk TOP=. BCC="${CC:-gcc}" TCCX="${CC:-gcc}" sqlite3.c shell.c &&
        rm -rf test www
}

# The interpreter with which perl builds itself: all but the modules in C.  buildcustomize.pl is for
# the folder that it was built in.
prepare_perl() {
    ./Configure -des -Dcc="${CC:-gcc}" -Doptimize=-O0 -Dprefix=/nowhere &&
        make -j"$(nproc)" miniperl && rm -f lib/buildcustomize.pl &&
        ls ./*.o | sed 's|^\./||; s/\.o$/.c/' | grep -vE '^(generate_uudmap|perlmain)\.c$' > miniperl-files
}

prepare_minisat2() { :; }
prepare_tcc()      { ./configure --cc="${CC:-gcc}"; }

# Sets files, flags and libraries of NAME, with the tree as working folder.  A program that
# is not in the list has a function recipe_NAME elsewhere, and prepare_NAME.
real_recipe() {
    case $1 in
    bzip2)
        files='blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c'
        flags='-D_FILE_OFFSET_BITS=64' libraries= ;;
    gzip)
        files="bits.c deflate.c gzip.c inflate.c trees.c unlzh.c unlzw.c unpack.c unzip.c util.c
               zip.c version.c $(cat library-files)"
        flags='-DHAVE_CONFIG_H -I. -Ilib' libraries= ;;
    ncompress)
        files=$(ls compress42.c compress.c 2> /dev/null)     # until version 4, from 5 on
        flags='-DDIRENT=1 -DUSERMEM=800000 -DREGISTERS=3 -DUTIME_H' libraries= ;;
    jq)
        files=$(ls src/*.c | grep -v inject_errors)
        flags='-I. -DHAVE_ARC4RANDOM -D_GNU_SOURCE -DIEEE_8087
               -DHAVE___THREAD -DHAVE_MEMMEM -DHAVE_MKSTEMP
               -DHAVE_ISATTY -DHAVE_STRPTIME -DHAVE_STRFTIME -DHAVE_TIMEGM -DHAVE_GMTIME_R
               -DHAVE_LOCALTIME_R -DHAVE_TM_TM_GMT_OFF -DHAVE_ALLOCA_H -DHAVE_FLOOR -DHAVE_SQRT
               -DHAVE_POW -DHAVE_LOG'
        libraries='-lm -lpthread' ;;
    lua5.4)
        files=$(ls src/*.c | grep -v 'src/luac\.c')
        # The seed of its string hash otherwise comes from addresses and the time.
        flags='-DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Dluai_makeseed(L)=(123u)
               -DSTRCACHE_N=1 -DSTRCACHE_M=2'
        libraries='-lm -ldl' ;;
    sqlite3)
        files='shell.c sqlite3.c'
        flags='-I. -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_FTS5'
        libraries=-lm ;;
    zstd)
        files="$(ls lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c)
               $(ls programs/*.c)"
        flags='-Ilib -Ilib/common -DZSTD_DISABLE_ASM -DBACKTRACE_ENABLE=0 -DZSTD_LEGACY_SUPPORT=0'
        libraries= ;;
    jsonnet)
        files="cmd/jsonnet.cpp cmd/utils.cpp third_party/md5/md5.cpp
               $(ls core/*.cpp | grep -v _test)
               $(ls third_party/rapidyaml/rapidyaml/src/c4/yml/*.cpp)
               $(ls third_party/rapidyaml/rapidyaml/ext/c4core/src/c4/*.cpp)"
        flags='-std=c++11 -Iinclude -Icore -Ithird_party/md5 -Ithird_party/json
               -Ithird_party/rapidyaml/rapidyaml/src
               -Ithird_party/rapidyaml/rapidyaml/ext/c4core/src'
        libraries='-lstdc++ -lm' ;;
    ninja)
        files=$(ls src/*.cc | grep -Ev '(test|bench|win32|\.in)\.cc$|src/(browse|test)\.cc')
        flags= libraries=-lstdc++ ;;
    perl)
        files=$(cat miniperl-files)
        flags='-DPERL_CORE -DPERL_IS_MINIPERL -DPERL_EXTERNAL_GLOB -DPERL_HASH_FUNC_SIPHASH13
               -fwrapv -fno-strict-aliasing -D_LARGEFILE_SOURCE -D_FILE_OFFSET_BITS=64 -I.'
        libraries='-lm -lcrypt' ;;
    minisat2)
        files='minisat/core/Solver.cc minisat/simp/SimpSolver.cc minisat/simp/Main.cc
               minisat/utils/Options.cc minisat/utils/System.cc'
        flags='-I. -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -DNDEBUG' libraries='-lstdc++ -lz -lm' ;;
    tcc)
        files=tcc.c flags='-DONE_SOURCE=1 -DTCC_TARGET_X86_64 -I.' libraries='-lm -ldl -lpthread' ;;
    *)  "recipe_$1" ;;
    esac
}

# ---- Building -----------------------------------------------------------------

# is_current FILE [CC]: whether it was made since the plugin and the runtime were; of a CC
# that is no wrapper of ours, whether it is there.
is_current() {
    [ -f "$1" ] || return
    case ${2-wpp-} in
    *wpp-*) [ -z "$(find "$BUILD/lib/wpp" -newer "$1")" ] ;;
    esac
}

# real_build NAME CC OPT DIR [FLAG...]: objects and program to DIR, unless they are
# current (a recipe that changes below makes no new ones: remove the folder).  WPP_... variables act as usual.  Several words in CC or OPT are several
# arguments.  DIR/log: the compiler's messages.
real_build() {
    local name=$1 cc=$2 opt=$3 dir=$4 files flags libraries file
    local -a cflags

    real_prepare "$name" || return 1
    ! is_current "$dir/$name" "$cc" || return 0
    rm -rf "$dir"
    mkdir -p "$dir"
    (
        cd "$(real_tree "$name")" || exit 1
        real_recipe "$name"
        read -d '' -ra cflags <<< "$opt -g -w $flags"
        for file in $files; do
            printf '%s\0%s\0' "$file" "$dir/${file//\//-}.o"
        done | xargs -0 -n 2 -P "$(nproc)" nice bash -c \
            'cc=$1; shift; n=$(($# - 1)); f=${@:n:1} o=${@:$#}; exec $cc "${@:1:n-1}" -c "$f" -o "$o"' \
            compile "$cc" "${cflags[@]}" "${@:5}"
    ) > "$dir/log" 2>&1 && real_link "$name" "$cc" "$opt" "$dir" "$dir/$name" "${@:5}" && return 0
    echo "cannot build $name with $cc $opt: $(grep -m 1 -E 'error|rror:' "$dir/log")" >&2
    return 1
}

# real_link NAME CC OPT DIR EXE [FLAG...]: EXE from the objects in DIR
real_link() {
    local name=$1 cc=$2 opt=$3 dir=$4 exe=$5 files flags libraries file
    local -a objects=()

    (
        cd "$(real_tree "$name")" || exit 1
        real_recipe "$name"
        for file in $files; do
            objects+=("$dir/${file//\//-}.o")
        done
        $cc $opt -g "${@:6}" "${objects[@]}" $libraries -o "$exe.new"
    ) >> "$dir/log" 2>&1 && mv "$exe.new" "$exe"
}

# ---- Work ---------------------------------------------------------------------

# The first MB of what the compiler brings along: headers (text) and cc1 (binary).
# Sets nothing; prints N bytes of text, then M bytes of machine code.
corpus() {
    local folder text=$1 code=$2

    folder=$("${CC:-gcc}" -print-file-name=plugin)/include
    while [ "$text" -gt 0 ]; do     # the headers are some 6 MB
        find "$folder" -name '*.h' -print0 | LC_ALL=C sort -z | xargs -0 cat 2>/dev/null |
            head -c "$(( text < 6000000 ? text : 6000000 ))"
        text=$((text - 6000000))
    done
    while [ "$code" -gt 0 ]; do     # and cc1 more than 20
        head -c "$((1000000 + (code < 20000000 ? code : 20000000)))" "$("${CC:-gcc}" -print-prog-name=cc1)" |
            tail -c "$((code < 20000000 ? code : 20000000))"
        code=$((code - 20000000))
    done
}

# Work of size `medium`, so many times as much.  minisat2 has none: its formulas grow otherwise.
times_medium() {
    local n=$2

    case $1 in
    bzip2)   corpus $((n * 10000000)) $((n * 4000000)) ;;
    gzip)    corpus $((n * 18000000)) $((n * 8000000)) ;;
    ncompress) corpus $((n * 30000000)) $((n * 12000000)) ;;
    zstd)    corpus $((n * 22000000)) $((n * 10000000)) ;;
    lua5.4|perl) corpus $((n * 4000000)) 0 ;;
    jq)      parcels $((n * 20000)) ;;
    jsonnet) jsonnet_program $((n * 12)) ;;
    ninja)   ninja_manifest $((n * 20000)) ;;
    tcc)     functions $((n * 40000)) ;;
    sqlite3) sql_script $((n * 140000)) ;;
    *)       return 1 ;;
    esac
}

# Sizes: small, demo, medium (about a second of native work), full; xN: N times medium.
real_input() {
    local name=$1 size=$2 file

    file=$REAL/input/$name.$size
    [ -z "$(find "$ROOT/test/real" -newer "$file" 2>&1)" ] && return
    mkdir -p "$REAL/input"
    case $name-$size in
    *-x[0-9]*)    times_medium "$name" "${size#x}" ;;
    bzip2-small)  corpus 300000 100000 ;;
    bzip2-demo)   corpus 1500000 500000 ;;
    bzip2-medium) corpus 10000000 4000000 ;;
    bzip2-full)   corpus 18000000 7000000 ;;
    gzip-small)   corpus 1000000 200000 ;;
    gzip-demo)    corpus 3000000 1000000 ;;
    gzip-medium)  corpus 18000000 8000000 ;;
    gzip-full)    corpus 30000000 14000000 ;;
    ncompress-small) corpus 2000000 500000 ;;
    ncompress-demo) corpus 12000000 4000000 ;;
    ncompress-medium) corpus 30000000 12000000 ;;
    ncompress-full) corpus 60000000 24000000 ;;
    zstd-small)   corpus 800000 200000 ;;
    zstd-demo)    corpus 6000000 2000000 ;;
    zstd-medium)  corpus 22000000 10000000 ;;
    zstd-full)    corpus 44000000 20000000 ;;
    lua5.4-small) corpus 150000 0 ;;
    lua5.4-demo)  corpus 700000 0 ;;
    lua5.4-medium) corpus 4000000 0 ;;
    lua5.4-full)  corpus 8000000 0 ;;
    jq-small)     parcels 1000 ;;
    jq-demo)      parcels 6000 ;;
    jq-medium)    parcels 20000 ;;
    jq-full)      parcels 40000 ;;
    jsonnet-small) jsonnet_program 1 ;;
    jsonnet-demo) jsonnet_program 6 ;;
    jsonnet-medium) jsonnet_program 12 ;;
    jsonnet-full) jsonnet_program 30 ;;
    ninja-small)  ninja_manifest 2000 ;;
    ninja-demo)   ninja_manifest 10000 ;;
    ninja-medium) ninja_manifest 20000 ;;
    ninja-full)   ninja_manifest 60000 ;;
    minisat2-small) formula 100 430 11 ;;
    minisat2-demo) formula 170 724 7 ;;
    minisat2-medium) formula 240 1034 11 ;;
    minisat2-full) formula 260 1120 3 ;;
    perl-small)   corpus 120000 0 ;;
    perl-demo)    corpus 700000 0 ;;
    perl-medium)  corpus 4000000 0 ;;
    perl-full)    corpus 8000000 0 ;;
    tcc-small)    functions 800 ;;
    tcc-demo)     functions 5000 ;;
    tcc-medium)   functions 40000 ;;
    tcc-full)     functions 80000 ;;
    sqlite3-small) sql_script 3000 ;;
    sqlite3-demo) sql_script 25000 ;;
    sqlite3-medium) sql_script 140000 ;;
    sqlite3-full) sql_script 240000 ;;
    esac > "$file.new" && mv "$file.new" "$file"
}

# N rows of orders that 1 + N/50 customers make, looked at from several sides.
sql_script() {
    sed "s/@N@/$1/g; s/@M@/$((1 + $1 / 50))/g" "$ROOT/test/real/work.sql"
}

# N parcels as JSON, a line each.
parcels() {
    awk -v n="$1" 'BEGIN {
        split("Aachen Bergen C\303\263rdoba Dover Essen", town, " ")
        for (i = 0; i < n; i++)
            printf "{\"id\":%d,\"to\":{\"name\":\"customer %05d\",\"town\":\"%s\"}," \
                   "\"weight\":%d.%02d,\"express\":%s,\"note\":%s,\"stops\":[%d,%d,%d]}\n",
                   i, i * 7919 % n, town[1 + i % 5], 1 + i * 37 % 30, i % 100, i % 3 ? "false" : "true",
                   i % 4 ? "null" : "\"caf\\u00e9 \\\"" i "\\\"\"", i % 17, i * 3 % 23, i * 5 % 29
    }'
}

jsonnet_program() {
    sed "s/@N@/$1/g" "$ROOT/test/real/work.jsonnet"
}

# A build of N objects from headers they share, libraries of ten, a program of these.
ninja_manifest() {
    awk -v n="$1" 'BEGIN {
        print "cflags = -O2\nrule cc\n  command = cc $cflags -c $in -o $out\n  description = CC $out"
        print "rule ar\n  command = ar rc $out $in\nrule link\n  command = cc $in -o $out"
        for (i = 0; i < n; i++) {
            printf "build obj/%d.o: cc src/%d.c | include/h%d.h include/h%d.h || gen\n", i, i, i % 17, i * 7 % 23
            if (i % 5 == 0) print "  cflags = $cflags -DN=" i
            if (i % 10 == 9) {
                printf "build lib/%d.a: ar", i / 10
                for (k = i - 9; k <= i; k++) printf " obj/%d.o", k
                print ""
            }
        }
        printf "build program: link"
        for (i = 9; i < n; i += 10) printf " lib/%d.a", i / 10
        print "\nbuild gen: phony\ndefault program"
        for (i = 0; i < n; i++) printf "build src/%d.c: phony\n", i
        for (i = 0; i < 23; i++) printf "build include/h%d.h: phony\n", i
    }'
}

# formula N CLAUSES SEED: a random formula of clauses of three.
formula() {
    awk -v n="$1" -v m="$2" -v seed="$3" '
        function next_random(k) {
            seed = (seed * 16807) % 2147483647
            return seed % k
        }
        BEGIN {
            print "p cnf", n, m
            for (i = 0; i < m; i++) {
                a = 1 + next_random(n)
                do b = 1 + next_random(n); while (b == a)
                do c = 1 + next_random(n); while (c == a || c == b)
                print (next_random(2) ? -a : a), (next_random(2) ? -b : b), (next_random(2) ? -c : c), 0
            }
        }'
}

# A C file with N functions of many kinds of statements.
functions() {
    awk -v n="$1" '
        function next_random(k) {
            seed = (seed * 16807) % 2147483647
            return seed % k
        }
        function statement(kind) {
            if (kind == 0) return "x = (a ? y : " next_random(99) ") | (unsigned)b;"
            if (kind == 1) return "y = sizeof(long) * " next_random(99) " + (short)x;"
            if (kind == 2) return "while (x > " 9 + next_random(990) ") { x = x / " 2 + next_random(9) " + s[" next_random(20) "]; y++; }"
            if (kind == 3) return "for (i = 0; i < " next_random(80) "; i++) { x += y * " next_random(900) " ^ i; if (x & " next_random(63) ") y -= x; else x = -x; }"
            if (kind == 4) return "switch (x % " 1 + next_random(5) ") { case 0: y = " next_random(60) "; break; case 1: y += a; default: x ^= b << " next_random(8) "; }"
            if (kind == 5) return "if (x < y && s[" next_random(20) "] != " next_random(128) ") { struct { int p, q; } z = { x, " next_random(50) " }; y = z.p * z.q; }"
            if (kind == 6 && f > 0) return "x += f" next_random(f) "(x, y + " next_random(99) ", s + " next_random(9) ");"
            if (kind == 7) return "s[" next_random(20) "] = \"" sprintf("%x", next_random(1000000)) "\"[1] + (char)x;"
            return "{ double d = x * " next_random(1000) "." next_random(100) "; y += d > " next_random(500) " ? (int)d : 1; }"
        }
        BEGIN {
            seed = 4711
            for (f = 0; f < n; f++) {
                print "int f" f "(int a, int b, char *s)\n{\n    int i = 0, x = a, y = b;"
                for (k = 3 + next_random(12); k > 0; k--) print "    " statement(next_random(9))
                print "    return x ^ y;\n}"
            }
        }'
}

real_command() {
    local input=$REAL/input/$1.$3

    case $1 in
    bzip2)   command=("$2" -9 -c "$input") ;;
    gzip)    command=("$2" -6 -n -c "$input") ;;
    zstd)    command=("$2" -q -9 -c "$input") ;;
    ncompress) command=("$2" -c "$input") ;;
    jq)      command=("$2" -c -n -f "$ROOT/test/real/work.jq" "$input") ;;
    jsonnet) command=("$2" "$input") ;;
    lua5.4)  command=("$2" "$ROOT/test/real/work.lua" "$input") ;;
    ninja)   command=("$2" -n -v -d explain -f "$input") ;;
    perl)    command=(env PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 "$2" -I"$(real_tree perl)/lib"
                      "$ROOT/test/bench/papers/work.pl" "$input") ;;
    # Its status says whether there is a solution, and its output how long it took.
    minisat2) command=(sh -c '"$@" > log; case $? in 10|20) tail -n 1 log ;; *) exit 1 ;; esac'
                       sh "$2" "$input") ;;
    # It removes its output before it writes that.
    tcc)     command=(sh -c '"$@" && cat out.o' sh "$2" -nostdinc -c -o out.o -x c "$input") ;;
    sqlite3) command=("$2" -batch -init /dev/null run.db ".read $input") ;;
    esac
}
