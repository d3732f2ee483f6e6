# SPDX-License-Identifier: MIT
# programs.sh: the programs of `make papers`, with a train and a ref input each.
#
#     papers_names                     the programs
#     papers_about NAME                what it is, and its relative in SPEC95 or SPEC2006
#     papers_input NAME KIND SIZE      make the input; KIND is train or ref, SIZE small or full
#     papers_command NAME EXE KIND SIZE
#                                      set the array `command` and `stdin`, a file
#     papers_result NAME               of the output, on standard input, what two runs have in
#                                      common
#
# The two inputs of a program are of one kind, and neither is a part of the other.  Fetching,
# preparing and building are those of test/real/programs.sh; programs that are not there have
# prepare_NAME and recipe_NAME here.
#
# Expects ROOT and REAL, and test/real/programs.sh.
papers_names='ncompress gzip bzip2 lua5.4 sqlite3 libjpeg-turbo perl phalanx minisat2'

papers_about() {
    case $1 in
    ncompress)     echo 'compressor: 129.compress itself' ;;
    gzip)          echo 'compressor: 164.gzip' ;;
    bzip2)         echo 'compressor: 401.bzip2' ;;
    lua5.4)        echo 'interpreter, as 130.li' ;;
    sqlite3)       echo 'database, as 147.vortex' ;;
    libjpeg-turbo) echo 'images: 132.ijpeg, without SIMD' ;;
    perl)          echo 'interpreter: 134.perl' ;;
    phalanx)       echo 'game of chess, as 099.go and 458.sjeng' ;;
    minisat2)      echo 'SAT solver, C++' ;;
    esac
}

# ---- Sources ----------------------------------------------------------------------------

# The C code of the library, and cjpeg.  What cmake would find out is the same on every Debian
# system; its processor code (SIMD) is left out.
prepare_libjpeg-turbo() {
    local version=2.1.5

    sed -e "s/@JPEG_LIB_VERSION@/62/; s/@VERSION@/$version/" \
        -e 's/@LIBJPEG_TURBO_VERSION_NUMBER@/2001005/; s/@BITS_IN_JSAMPLE@/8/' \
        -e 's/^#cmakedefine \([CD]_ARITH_CODING_SUPPORTED\|MEM_SRCDST_SUPPORTED\).*/#define \1 1/' \
        -e '/^#cmakedefine/d' jconfig.h.in > jconfig.h &&
        sed -e 's/@BUILD@/papers/; s/@INLINE@/inline/; s/@THREAD_LOCAL@/__thread/' \
            -e "s/@CMAKE_PROJECT_NAME@/libjpeg-turbo/; s/@VERSION@/$version/; s/@SIZE_T@/8/" \
            -e 's/^#cmakedefine HAVE_BUILTIN_CTZL/#define HAVE_BUILTIN_CTZL 1/' \
            -e '/^#cmakedefine/d' jconfigint.h.in > jconfigint.h &&
        sed 's/@COPYRIGHT_YEAR@/1991-2023/' jversion.h.in > jversion.h
}

recipe_libjpeg-turbo() {
    files="$(ls jc*.c jd*.c jf*.c ji*.c jq*.c | grep -vE 'jcstest|j.colext|jdmrg|jdcol565|-tj\.c')
           jaricom.c jerror.c jutils.c jmemmgr.c jmemnobs.c jsimd_none.c
           cjpeg.c cdjpeg.c rdgif.c rdppm.c rdswitch.c rdbmp.c rdtarga.c"
    flags='-DBMP_SUPPORTED -DGIF_SUPPORTED -DPPM_SUPPORTED -DTARGA_SUPPORTED -I.' libraries=
}

# Its clock decides which nodes look at the clock, and its seed is the time: here the clock
# tells how often it was asked.
prepare_phalanx() {
    sed -i 's/^srand( ((unsigned)time(NULL)).*/srand( 1 );/' phalanx.c &&
        sed -i 's/^long ptime(void)$/long ptime(void) { static long asked; return ++asked; }\nlong wall_clock(void)/' \
            levels.c && grep -q '^srand( 1 );' phalanx.c && grep -q 'asked' levels.c
}

# It reads variables that it has not set: at -O0 and -O1 it plays other moves.
recipe_phalanx() {
    files=$(ls *.c | grep -v '^getopt')
    flags='-std=gnu89 -D_GNU_SOURCE -DGNUFUN -ftrivial-auto-var-init=zero' libraries=
}

# ---- Inputs -----------------------------------------------------------------------------

# pixels FILE HEADER WIDTH HEIGHT TIMES: a picture that shows a picture's raw pixels several times.
pixels() {
    local k

    printf 'P6\n%d %d\n255\n' "$3" $(($4 * $5))
    for ((k = 0; k < $5; k++)); do
        tail -c "+$(($2 + 1))" "$1" | head -c $(($3 * $4 * 3))
    done
}

# moves OPENING DEPTH N: plays an opening, then N moves by itself.
moves() {
    local k

    echo force
    printf '%s\n' $1
    echo "depth $2"
    for ((k = 0; k < $3; k++)); do
        echo go
    done
    echo quit
}

papers_input() {
    local name=$1 kind=$2 size=$3 pictures file

    file=$REAL/input/$name.$kind.$size
    [ ! "$file" -nt "$ROOT/test/bench/papers/programs.sh" ] || return 0
    mkdir -p "$REAL/input"
    pictures=$(real_tree libjpeg-turbo)/testimages
    case $name-$kind-$size in
    ncompress-train-small)  corpus 400000 0 ;;
    ncompress-ref-small)    corpus 500000 300000 ;;
    ncompress-train-full)   corpus 8000000 0 ;;
    ncompress-ref-full)     corpus 36000000 15000000 ;;
    gzip-train-small)       corpus 200000 0 ;;
    gzip-ref-small)         corpus 300000 100000 ;;
    gzip-train-full)        corpus 4000000 0 ;;
    gzip-ref-full)          corpus 18000000 8000000 ;;
    bzip2-train-small)      corpus 100000 0 ;;
    bzip2-ref-small)        corpus 150000 50000 ;;
    bzip2-train-full)       corpus 3000000 0 ;;
    bzip2-ref-full)         corpus 10000000 4000000 ;;
    lua5.4-train-small)     cat "$(real_tree lua5.4)"/src/l[a-c]*.c ;;
    lua5.4-ref-small|perl-ref-small) corpus 120000 0 ;;
    lua5.4-train-full)      cat "$(real_tree lua5.4)"/src/*.[ch] ;;
    lua5.4-ref-full|perl-ref-full)   corpus 4000000 0 ;;
    perl-train-small)       cat "$(real_tree perl)"/pp_pack.c ;;
    perl-train-full)        cat "$(real_tree perl)"/pp*.c ;;
    sqlite3-train-small)    sql_script 500 ;;
    sqlite3-ref-small)      sql_script 2000 ;;
    sqlite3-train-full)     sql_script 16000 ;;
    sqlite3-ref-full)       sql_script 140000 ;;
    libjpeg-turbo-train-small) pixels "$pictures/testorig.ppm" 15 227 149 4 ;;
    libjpeg-turbo-ref-small)   pixels "$pictures/nightshot_iso_100.bmp" 54 192 144 10 ;;
    libjpeg-turbo-train-full)  pixels "$pictures/testorig.ppm" 15 227 149 100 ;;
    libjpeg-turbo-ref-full)    pixels "$pictures/nightshot_iso_100.bmp" 54 192 144 440 ;;
    phalanx-train-small)    moves 'e2e4 c7c5' 4 4 ;;
    phalanx-ref-small)      moves 'd2d4 g8f6 c2c4' 5 6 ;;
    phalanx-train-full)     moves 'e2e4 c7c5' 8 6 ;;
    phalanx-ref-full)       moves 'd2d4 g8f6 c2c4' 9 16 ;;
    minisat2-train-small)    formula 80 341 7 ;;
    minisat2-ref-small)      formula 100 430 11 ;;
    minisat2-train-full)     formula 170 724 7 ;;
    minisat2-ref-full)       formula 240 1034 11 ;;
    *)  echo "papers: no input of $name, $kind, $size" >&2
        return 1 ;;
    esac > "$file.new" && mv "$file.new" "$file"
}

# ---- Runs -------------------------------------------------------------------------------

papers_command() {
    local input=$REAL/input/$1.$3.$4

    stdin=/dev/null
    case $1 in
    libjpeg-turbo)
        command=("$2" -quality 90 -optimize -progressive "$input") ;;
    perl)
        command=(env PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0 "$2" -I"$(real_tree perl)/lib"
                 "$ROOT/test/bench/papers/work.pl" "$input") ;;
    phalanx)
        command=("$2" -c+ -o- -b- -x+ -s- -t 4096) stdin=$input ;;
    minisat2)
        command=("$2" -verb=1 "$input") ;;
    *)  real_command "$1" "$2" "$3.$4" ;;
    esac
}

# phalanx and minisat2 say how long they took.
papers_result() {
    case $1 in
    phalanx)  grep '^move ' ;;
    minisat2) grep -vE 'time|Memory used' | sed 's/(.*//' ;;
    *)        cat ;;
    esac
}

# Exit statuses of a run that is fine: a solver's say what it found.
papers_status() {
    case $1-$2 in
    *-0|minisat2-10|minisat2-20) return 0 ;;
    esac
    return 1
}
