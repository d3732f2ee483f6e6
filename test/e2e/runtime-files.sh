#!/bin/bash
# SPDX-License-Identifier: MIT
# Files of programs and libraries are removed, or replaced by another build, during the
# recording.  wpp-record reads the files that the process named at that time.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# calls FILE...: each executed routine and how often it was called
calls() {
    local file

    for file; do
        wpp-dump --routines "$file" | awk 'NR > 1 { print $5, $2 }'
    done | sort | xargs
}

cat > program.c << 'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int n;
__attribute__((noinline)) static void WORK(void) { n++; }
/* By then the recorder has looked. */
__attribute__((no_wpp)) static void change(const char *how, const char *path)
{
    if (strcmp(how, "keep") == 0)
        return;
    usleep(200000);
    if (strcmp(how, "remove") == 0 ? unlink(path) : rename("made/other", path))
        _exit(9);
}
__attribute__((no_wpp)) static void call(const char *how, const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    void (*work)(void) = library ? (void (*)(void))dlsym(library, "from_library") : NULL;

    if (!work)
        _exit(8);
    change(how, path);
    work();
    dlclose(library);
}
int main(int argc, char **argv)
{
    if (argc == 2)
        change(argv[1], argv[0]);
    for (int i = 0; i < 1000; i++)
        WORK();
    for (int i = 2; i < argc; i++)
        call(argv[1], argv[i]);
    return 0;
}
END
cat > library.c << 'END'
static volatile int n;
__attribute__((noinline)) static void NAME(void) { n++; }
void from_library(void) { NAME(); }
END
ok 'a program' wpp-gcc -O1 -DWORK=work program.c -o program
ok 'another build of it' wpp-gcc -O1 -DWORK=labour program.c -o other
ok 'a library' wpp-gcc -O1 -fPIC -shared -DNAME=first library.c -o library.so
ok 'another one' wpp-gcc -O1 -fPIC -shared -DNAME=second library.c -o more.so

# records NAME CALLS COMMAND...: live, and with a ring, which is compressed in the end
records() {
    local name=$1 calls=$2 how

    shift 2
    for how in '' --ring=1M; do
        rm -rf made && mkdir made && cp program other library.so more.so made
        run wpp-record -q $how -o file.wpp "$@"
        is "$name $how: it runs, nothing is said" "$status $(cat "$T/err")" '0 '
        ok "$name $how: the file is whole" wpp-check --strict file.wpp
        is "$name $how: has every call" "$(calls file.wpp)" "$calls"
    done
}
records 'a program that removes itself' 'main 1 work 1000' made/program remove
records 'one that another build replaces' 'main 1 work 1000' made/program replace
libraries=(made/library.so made/more.so)
calls='first 1 from_library 1 from_library 1 main 1 second 1 work 1000'
# Of three files the hostile configuration holds two.
[ "$CONFIG" != hostile ] ||
    { unset 'libraries[1]' && calls='first 1 from_library 1 main 1 work 1000'; }
records 'libraries that are removed once they are loaded' "$calls" \
    ./program remove "${libraries[@]}"

# A program, and another build of it that takes its place when it has gone.
cat > twice.sh << 'END'
./made/program remove && mv made/other made/program && ./made/program remove
END
rm -rf made file.wpp* && mkdir made && cp program other made
run wpp-record -q --ring=1M -o file.wpp sh twice.sh
is 'two builds in one place: both run' "$status" 0
is 'two builds in one place: each has its own calls' "$(calls file.wpp file.wpp.d/*)" \
    'labour 1000 main 1 main 1 work 1000'

# More files than are held, and more than there may be descriptors for.
rm -rf made && mkdir made
for i in {1..80}; do cp library.so made/$i.so; done
for limit in 1024 40; do
    run bash -c "ulimit -n $limit; exec wpp-record -q --ring=1M -o file.wpp ./program keep made/*.so"
    is "80 libraries, $limit descriptors: nothing is said" "$status $(cat "$T/err")" '0 '
    is "80 libraries, $limit descriptors: all calls are there" \
        "$(wpp-dump --routines file.wpp | awk '$5 == "first" { n += $2 } END { print n }')" 80
done

# ---- Where complaints go ------------------------------------------------------------------
cat > plain.c << 'END'
int main(int argc, char **argv)
{
    for (int i = 0; i < 100; i++)
        __asm__ volatile("");
    return argc > 1 ? argv[1][0] - '0' : 7;
}
END
ok 'a program to complain of' "$WPP_GCC" -O0 -o plain plain.c
# Nobody reads its standard error any more.
unheard() {
    perl -e 'pipe R, W; close R; open STDERR, ">&", \*W; my $s = system @ARGV;
             print $s & 127 ? "signal " . ($s & 127) : $s >> 8' "$@"
}
for where in /nonexistent/trace /dev/full 'fd:99' '%q'; do
    is "a complaint that nobody hears, of $where" "$(WPP_OUT=$where unheard ./plain)" 7
done
is 'nor one about options' "$(WPP_OUT=none WPP_OPTIONS=nonsense unheard ./plain)" 7
# Descriptor 2 has become a file of the program's.
cat > own.c << 'END'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int flags = O_RDWR | O_CREAT | O_TRUNC | (argc > 1 ? O_APPEND : 0);

    close(2);
    if (open("data", flags, 0600) != 2 || write(2, "data\n", 5) != 5)
        return 1;
    for (int i = 0; i < 200000; i++)
        __asm__ volatile("");
    return 7;
}
END
ok 'a program whose data are where errors go' "$WPP_GCC" -O0 -o own own.c
run bash -c 'ulimit -f 100; WPP_OUT=own.trace ./own'
is 'its data are its own' "$status $(cat data)" '7 data'
run bash -c 'ulimit -f 100; WPP_OUT=own.trace ./own log'
like 'but a log is appended to' "$status $(paste -sd' ' data)" '^7 data wpp: cannot write the trace'
done_testing
