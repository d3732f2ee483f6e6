#!/bin/bash
# SPDX-License-Identifier: MIT
# Recording stopped and started by the program or by a signal: everything that should be
# recorded is, in a complete trace that tells its omissions.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tracer/harness.sh"

compile -o "$T/expect" "$SRC/expect.c"
link_scenarios static -static "$RT/libwpp-rt.a" 2> "$T/static.log"
link_scenarios dynamic "$RT/libwpp-rt.a" $EXPORT
link_scenarios shared "$RT/libwpp-rt.so" -Wl,-rpath,"$RT"
link_scenarios nop "$RT/libwpp-rt-nop.a"

# whole NAME STATUS LINE: the program ended so; the trace is complete and holds this stream
whole() {
    streams "$T/trace"
    is "$1" "$status $complete $got" "$2 0 $3"
}

# Less than a chunk, the rest of one, several.
for n in 5 16268 16269 40000; do
    for kind in static dynamic shared; do
        [ $kind = dynamic ] || [ $n = 16269 ] || continue
        for where in file recorder; do
            case $where in
            file)     with=(env "WPP_OUT=$T/trace" WPP_OPTIONS=signal=USR2) ;;
            recorder) with=(env WPP_OPTIONS=signal=12 wpp-record -q "--trace=$T/trace" -o "$T/no.wpp") ;;
            esac
            what="$kind, $where, $n events"
            both=$(expect $kind 0:0:100:$BASE gap 0:$((100 + n)):50:$BASE)
            one=$(expect $kind 0:0:100:$BASE)
            run "${with[@]}" "$T/$kind" pause $n exit
            whole "$what: stopped and started" 7 "$both"
            run "${with[@]}" "$T/$kind" pause $n exit signal
            whole "$what: by a signal" 7 "$both"
            run "${with[@]}" "$T/$kind" pause $n kill
            whole "$what: killed afterwards" 137 "$both"
            run "${with[@]}" "$T/$kind" pause $n lost
            whole "$what: killed meanwhile" 137 "$one"
            run "${with[@]}" "$T/$kind" pause $n stopped
            whole "$what: never started again" 7 "$one"
            like "$what: and that is said" "$("$READ" "$T/trace")" \
                "^STARTED nanoseconds=[0-9]* tokens=$n\$"
        done
    done
done
mkdir "$T/forks"
WPP_OUT=$T/forks/%p run "$T/dynamic" pause 40000 fork
child=$(cat "$T/out")
mv "$T/forks/$child" "$T/child"
mv "$T"/forks/* "$T/trace"
whole 'a fork while it is stopped: the parent' 7 \
    "$(expect dynamic 0:0:100:$BASE gap 0:40100:50:$BASE)"
streams "$T/child"
is 'and the child' "$complete $got" "0 $(expect dynamic gap 7:40000:30:$BASE)"
WPP_OUT=$T/trace run "$T/dynamic" pause-handler
whole 'stopped by a traced handler' 7 "$(expect dynamic 0:0:10:$BASE gap 0:20:10:$BASE)"
WPP_OUT=$T/trace WPP_OPTIONS=record=off run "$T/dynamic" pause 40000 exit
whole 'a program that begins stopped' 7 "$(expect dynamic gap 0:40100:50:$BASE)"
WPP_OUT=$T/trace WPP_OPTIONS=record=off run "$T/dynamic" single 40000
whole 'and stays so' 7 'dynamic 0 cbf29ce484222325'
WPP_OUT=none run "$T/dynamic" pause 40000 exit
is 'nothing to stop' "$status" 7
run "$T/nop" pause 40000 exit
is 'nop: the same' "$status" 7

# Whatever another thread is doing: nothing is missing but where a gap is.  On a busy machine
# it may do nothing while it could.
for ((i = 0; i < 10; i++)); do
    WPP_OUT=$T/trace run "$T/dynamic" pauses 300
    "$READ" --numbers "$T/trace" > "$T/numbers"
    read_status=$?
    found=$(awk -v base=$BASE '
        $1 == 4294901766 { gaps++; next_number = -1; next }
        next_number >= 0 && $1 != next_number { wrong++ }
        { next_number = base + ($1 - base + 1) % 1000000 }
        BEGIN { next_number = base }
        END { print wrong + 0, (gaps > 100) }' "$T/numbers")
    [ "$status $read_status $found" = '7 0 0 0' ] || break
done
is 'three hundred times while a thread runs: well-formed' "$status $read_status" '7 0'
is 'all there between the gaps' "$found" '0 1'

# Those of the second line cannot be caught, tell of errors, or are libc's own.
for bad in record=maybe gone=fishing signal=0 signal=KILL signal=9 signal= \
           signal={STOP,SEGV,19,11,7,8,4,5,6,32,33}; do
    WPP_OUT=none WPP_OPTIONS=$bad run "$T/dynamic" single 1
    is "WPP_OPTIONS=$bad: one line" "$status $(wc -l < "$T/err")" '7 1'
done

# ---- A program that is compiled ---------------------------------------------------------

cat > "$T/parts.c" << 'END'
#include <tracer/control.h>
static volatile int n;
__attribute__((noinline)) static void deep(int depth)
{
    n = n + 1;                                          /* DEEP */
    if (depth == 2)
        wpp_stop();
    if (depth)
        deep(depth - 1);
    n = n + 1;                                          /* BACK */
}
__attribute__((noinline)) static void unseen(void)
{
    n = n + 1;                                          /* UNSEEN */
}
__attribute__((noinline)) static void seen(void)
{
    n += 2;                                         /* SEEN */
}
int main(void)
{
    deep(4);
    for (int i = 0; i < 100; i++)
        unseen();
    wpp_start();
    for (int i = 0; i < 10; i++)
        seen();
    return n != 130;
}
END
line_counts() {
    wpp-dump --line-counts "$1" | sed 's/.*\///' > "$T/counts"
    for mark in DEEP BACK UNSEEN SEEN; do
        line=$(grep -n "/\* $mark \*/" "$T/parts.c" | cut -d: -f1)
        echo "$mark $(awk -v at="parts.c:$line" '$1 == at { print $2 }' "$T/counts")"
    done | xargs
}
for what in "wpp-gcc -O0" "wpp-gcc -O2" "wpp-g++ -O0 -xc++" "wpp-g++ -O2 -xc++"; do
    ok "$what: compiles" $what -Wall -Wextra -Werror -g -fno-inline -I"$ROOT" "$T/parts.c" -o "$T/parts"
    ok "$what: runs" wpp-record -q -o "$T/parts.wpp" "$T/parts"
    ok "$what: is sound" wpp-check --strict "$T/parts.wpp"
    is "$what: has what it is to have" "$(line_counts "$T/parts.wpp")" 'DEEP 3 BACK UNSEEN SEEN 10'
    wpp-info "$T/parts.wpp" > "$T/info"
    like "$what: wpp-info says so" "$(cat "$T/info")" \
        '^stopped +1 time, as was asked for: [0-9.]+ s and [0-9]+ events were not recorded$'
    like "$what: and that nothing is missing" "$(cat "$T/info")" '^complete +yes$'
    like "$what: as JSON" "$(wpp-info --format=json "$T/parts.wpp")" \
        '"stops":1,"stopped_nanoseconds":[0-9]+,"unrecorded_events":[1-9][0-9]*,'
    wpp-dump "$T/parts.wpp" > "$T/dump"
    is "$what: where it was stopped, in main and three others" "$(grep -c '^Gap$' "$T/dump") \
$(sed -n '/not recorded/s/^ *\(.*\)  #.*/\1/p' "$T/dump" | sed 's/(.*//' | xargs)" \
        '1 LeaveRoutine deep LeaveRoutine deep LeaveRoutine deep LeaveRoutine main'
    like "$what: main goes on" "$(cat "$T/dump")" '^EnterRoutine main  # earlier'
done
for what in "gcc" "g++ -xc++"; do
    ok "$what: without wpp" $what -Wall -Wextra -Werror -O2 -I"$ROOT" "$T/parts.c" -o "$T/parts"
    ok "$what: it does nothing" "$T/parts"
done

# ---- wpp-record ----------------------------------------------------------------------------

cat > "$T/phases.c" << 'END'
#include <signal.h>
#include <stdio.h>
static volatile int n;
__attribute__((noinline)) static void phase(int times)
{
    for (int i = 0; i < times; i++)
        n = n + 1;                                      /* PHASE */
}
/* Three phases; behind each of the first two it waits for a signal that somebody handles. */
int main(void)
{
    sigset_t usr2, none;

    sigemptyset(&none);
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    sigprocmask(SIG_BLOCK, &usr2, NULL);
    for (int i = 1; i <= 3; i++) {
        phase(i == 1 ? 100 : i == 2 ? 10000 : 1000000);
        printf("%d\n", i);
        fflush(stdout);
        if (i < 3)
            sigsuspend(&none);
    }
    return 0;
}
END
# phases OPTION...: records the program, and gives wpp-record a signal where it waits for one
phases() {
    rm -f "$T/out"
    wpp-record -q --signal=USR2 "$@" -o "$T/phases.wpp" "$T/phases" > "$T/out" 2> "$T/err" &
    job=$!
    for i in 1 2; do
        until grep -qsx $i "$T/out" || ! kill -0 $job 2> /dev/null; do sleep 0.01; done
        kill -USR2 $job
    done
    wait $job
}
turns() {
    wpp-dump --line-counts "$T/phases.wpp" |
        awk -v line=":$(grep -n 'PHASE \*/' "$T/phases.c" | cut -d: -f1)\$" '$1 ~ line { print $2 }'
}
ok 'a program of three phases' "$WPP_GCC" -O1 -g "$T/phases.c" -o "$T/phases"
phases
is 'stopped and started by a signal to wpp-record' "$? $(turns)" '0 1000100'
phases --stopped
is 'started and stopped' "$? $(turns)" '0 10000'
like 'it was stopped twice' "$(wpp-info "$T/phases.wpp")" '^stopped +2 times, as was asked for: '
ok 'and is whole' wpp-check --strict "$T/phases.wpp"
WPP_OPTIONS=fd=220 phases
is 'with other options of the runtime' "$? $(turns) $(cat "$T/err")" '0 1000100 '
WPP_OPTIONS=record=off phases
is 'the runtime was told to begin stopped' "$? $(turns)" '0 10000'
for bad in --signal={NONE,INT,0,,KILL,STOP,SEGV,BUS,FPE,ILL,TRAP,ABRT,SIGSEGV,11,32,33}; do
    fails_with 2 "wpp-record $bad" wpp-record $bad true
done
done_testing
