#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 15
# A build in another folder, at another time, with other jobs has the same bytes if gcc's would:
# names in the path table are mapped like the names that the compiler writes.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
export WPP_OUT=none

cat > part.h <<'END_C'
static inline int twice(int n) { return n > 2 ? 2 * n : n; }
END_C
cat > part.c <<'END_C'
#include "part.h"
int part(int n);
int part(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 1 ? twice(i) : i; return s; }
END_C
cat > main.c <<'END_C'
#include <stdio.h>
int part(int n);
int main(void) { printf("%d\n", part(7)); return 0; }
END_C
mkdir one two
for folder in one two; do
    mkdir $folder/src && cp part.h part.c main.c $folder/src
done

# in_both COMMAND...: in each folder; $PWD in its words is that folder
in_both() {
    local folder word
    local -a words

    for folder in one two; do
        words=()
        for word do
            words+=("${word//HERE/$T/$folder}")
        done
        (cd $folder && "${words[@]}") > log 2>&1 || { cat log; return 1; }
    done
}
# names FILE: whether the folders of this test stand in it
names() {
    strings -a "$1" | grep -c "$T"
}

while read -r options; do
    for debug in '' -g; do
        # Without an option for that, debug information names the folder.
        case $debug$options in
        -g-fmacro*|-g-fprofile*) continue ;;
        esac
        in_both wpp-gcc $debug -O1 $options -c HERE/src/part.c -o part.o
        same "$options $debug: the same bytes" one/part.o two/part.o
        is "$options $debug: no real folder" "$(names one/part.o)" 0
    done
done << 'END_LINES'
-ffile-prefix-map=HERE=/build
-fdebug-prefix-map=HERE=/build
-fmacro-prefix-map=HERE=/build
-ffile-prefix-map=HERE/src=/src -ffile-prefix-map=HERE=/build
-fmacro-prefix-map=HERE=/macro -fdebug-prefix-map=HERE=/build
END_LINES
if echo | gcc -fprofile-prefix-map=/a=/b -x c -c -o /dev/null - 2> /dev/null &&
   [ "$(gcc -dumpversion | cut -d . -f 1)" -ge 12 ]; then
    in_both wpp-gcc -O1 -fprofile-prefix-map=HERE=/build -c HERE/src/part.c -o part.o
    same '-fprofile-prefix-map: the same bytes' one/part.o two/part.o
fi
in_both wpp-gcc -g -O1 -c HERE/src/part.c -o part.o
is 'without an option the real folder stays' "$([ "$(names one/part.o)" -gt 0 ] && echo yes)" yes

map=-ffile-prefix-map=HERE=/build
for lto in '' '-flto -frandom-seed=1' '-flto=2 -flto-partition=max -frandom-seed=1'; do
    in_both wpp-gcc -g -O2 $lto $map -c src/main.c src/part.c
    in_both wpp-gcc -g -O2 $lto $map main.o part.o -o program
    same "a program ${lto:-of two objects}" one/program two/program
    is 'without the folder' "$(names one/program)" 0
    mv one/program first && sleep 1.1
    in_both wpp-gcc -g -O2 $lto $map main.o part.o -o program
    same 'and linked a second time' one/program first
done
for jobs in 1 2; do
    (cd one && for file in main part; do
        wpp-gcc -O2 -c src/$file.c & [ $jobs = 2 ] || wait
    done; wait; wpp-gcc main.o part.o -o ../jobs.$jobs)
done
same 'by one job or two' jobs.1 jobs.2
in_both wpp-gcc -O1 -shared -fPIC $map src/part.c -o libpart.so
same 'a library' one/libpart.so two/libpart.so

# The tools show the mapped names, and find the sources when they are told where.
(cd one && wpp-gcc -g -O1 -ffile-prefix-map="$T/one"=/build "$T/one/src/main.c" "$T/one/src/part.c" -o mapped)
ok 'a program with mapped names is recorded' wpp-record -o mapped.wpp one/mapped
like 'the names are the mapped ones' "$(wpp-dump --lines mapped.wpp)" '^/build/src/part.c:3'
like 'wpp-hot --source finds them' "$(wpp-hot -l 1 --source="$T/one" mapped.wpp)" 's \+= i & 1'
like 'and where the folder of the sources is given' "$(wpp-hot -l 1 --source="$T/one/src" mapped.wpp)" 's \+= i & 1'

# No file has a name of so many folders: it is not tried from each of them.
{ printf '# 1 "'; yes a/ | head -n 300000 | tr -d '\n'; printf 'x.c"\n'; cat main.c part.c; } > endless.c
wpp-gcc -O1 endless.c -o endless && wpp-record -q -o endless.wpp ./endless > out
ok 'a name without end' sh -c 'ulimit -t 5; wpp-hot -l 1 --source=. endless.wpp'
done_testing
