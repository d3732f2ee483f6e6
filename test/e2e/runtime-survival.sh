#!/bin/bash
# SPDX-License-Identifier: MIT
# However a process ends, its events up to there are in the trace; they are compared with its
# known number of events.  WPP_KILLS: the number of kills at random times (4, with CHECK_ALL=yes 10).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tracer/harness.sh"

compile -o "$T/expect" "$SRC/expect.c"
link_scenarios static -static "$RT/libwpp-rt.a" 2> "$T/static.log"
link_scenarios dynamic "$RT/libwpp-rt.a" $EXPORT
link_scenarios shared "$RT/libwpp-rt.so" -Wl,-rpath,"$RT"
RECORD=(wpp-record -q "--trace=$T/trace" -o "$T/none.wpp")

# whole NAME STATUS LINE: the program ended so, and the trace is complete and holds this stream
whole() {
    streams "$T/trace"
    is "$1" "$status $complete $got" "$2 0 $3"
}

# A program without path tables has no WPP, but wpp-record keeps its trace.
for kind in static dynamic shared; do
    for end in kill:137 abort:134 segv:139 overflow:139 _exit:7 quick_exit:7 exec:0 \
               handler:7 altstack:7; do
        how=${end%:*}
        events=50000
        case $how in handler|altstack) events=70000 ;; esac
        line=$(expect $kind 0:0:$events:$BASE)
        rm -f "$T/trace"
        run env "WPP_OUT=$T/trace" "$T/$kind" end $how 50000
        whole "$kind: $how" ${end#*:} "$line"
        run "${RECORD[@]}" "$T/$kind" end $how 50000
        [ $status = 1 ] && status=0         # no WPP: 1 where the program itself says 0
        whole "$kind: $how, under wpp-record" ${end#*:} "$line"
    done
done

# Nothing but one event, and nothing at all.
for n in 0 1; do
    run env "WPP_OUT=$T/trace" "$T/dynamic" end kill $n
    streams "$T/trace"
    is "killed after $n events" "$got" "$([ $n = 0 ] || expect dynamic 0:0:1:$BASE)"
done

# ---- At any moment ------------------------------------------------------------------------

kills=4
! check_all || kills=10
kills=${WPP_KILLS:-$kills}
for where in 'in a file' 'under wpp-record'; do
    right=0
    for ((i = 0; i < kills; i++)); do
        if [ "$where" = 'in a file' ]; then
            WPP_OUT=$T/trace begin "$T/dynamic" counted "$T/counters" 3
        else
            begin "${RECORD[@]}" "$T/dynamic" counted "$T/counters" 3
        fi
        sleep 0.0$((RANDOM % 30 + 10))
        kill -KILL "$victim"
        wait $job 2> /dev/null
        counted_right 1 2 3 && right=$((right + 1))
    done
    is "$kills times killed at random, $where: no event is lost" $right $kills
done

# ---- The recorder ends first ----------------------------------------------------------------

begin "${RECORD[@]}" "$T/dynamic" counted "$T/counters" 1
kill -KILL $job
wait $job 2> /dev/null
before=$(count 1)
for ((i = 0; i < 100; i++)); do
    sleep 0.1
    [ "$(count 1)" -gt $((before + 10000000)) ] && break
done
after=$(count 1)
kill -KILL "$victim" 2> /dev/null
[ "$after" -gt $((before + 10000000)) ] && pass 'without its recorder the program goes on' ||
    fail 'without its recorder the program goes on' "from $before to $after events"
like 'and says so' "$(cat "$T/err")" '^wpp: the recorder is gone; recording stopped$'
WPP_OPTIONS=gone=stop begin "${RECORD[@]}" "$T/dynamic" counted "$T/counters" 1
kill -KILL $job
wait $job 2> /dev/null
for ((i = 0; i < 100; i++)); do
    kill -0 "$victim" 2> /dev/null || break
    sleep 0.1
done
kill -KILL "$victim" 2> /dev/null && fail 'or, as it was told to, it ends' ||
    pass 'or, as it was told to, it ends'
done_testing
