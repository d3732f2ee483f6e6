#!/bin/bash
# SPDX-License-Identifier: MIT
# The runtime under programs that emit events by hand.  A reader written from the document must
# find these events, and the programs must not notice the runtime.  test/e2e/tracer/scenarios.c
# explains the scenarios.
. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/tracer/harness.sh"

# scenario PROGRAM ARGS...: trace in $T/trace; checks the program's own status
scenario() {
    local program=$1

    shift
    rm -f "$T/trace"
    WPP_OUT=${OUT-$T/trace} run "$program" "$@"
    [ $status = 7 ] || fail "$* ends with its own status" "status $status" "$(cat "$T/err")"
}

# recorded NAME LINE...: the trace is complete and holds these streams, without a word on stderr
recorded() {
    local name=$1

    shift
    want "$@"
    streams "$T/trace"
    if [ "$got" = "$wanted" ] && [ $complete = 0 ] && [ ! -s "$T/err" ]; then
        pass "$name"
    else
        fail "$name" "status $complete" "got:" "$got" "want:" "$wanted" \
             "$(cat "$T/read.err" "$T/err")"
    fi
}

# complains NAME REGEX: the program said one line, and this
complains() {
    if [ "$(wc -l < "$T/err")" = 1 ] && grep -Eq "^wpp: .*$2" "$T/err"; then
        pass "$1"
    else
        fail "$1" "wanted one line that matches $2:" "$(cat "$T/err")"
    fi
}

quiet() {
    if [ -s "$T/err" ]; then
        fail "$1" "$(cat "$T/err")"
    else
        pass "$1"
    fi
}

compile -o "$T/expect" "$SRC/expect.c"
link_scenarios static -static "$RT/libwpp-rt.a" 2> "$T/static.log"
compile -o "$T/fixed" -no-pie -O0 "$SRC/scenarios.c" "$RT/libwpp-rt.a"
link_scenarios dynamic "$RT/libwpp-rt.a" $EXPORT
link_scenarios shared "$RT/libwpp-rt.so" -Wl,-rpath,"$RT"
compile -o "$T/library.so" -shared -fPIC "$SRC/library.c" "$RT/libwpp-rt.so" -Wl,-rpath,"$RT"

# ---- The same in every way of linking --------------------------------------------------

for kind in static fixed dynamic shared; do
    scenario "$T/$kind" single 3000000
    recorded "$kind: three million events" "$(expect $kind 0:0:3000000:$BASE)"
    for n in 1 16367 16368 16369 32736; do
        scenario "$T/$kind" single $n
        recorded "$kind: $n events" "$(expect $kind 0:0:$n:$BASE)"
    done
    scenario "$T/$kind" single 0
    recorded "$kind: no event" ""

    lines=("$(expect $kind 0:0:20:$BASE)")
    for k in $(seq 100); do
        lines+=("$(expect t$k $k:0:$((k * 100)):$BASE)")
    done
    scenario "$T/$kind" threads 100 1
    recorded "$kind: a hundred threads, one after another" "${lines[@]}"
    scenario "$T/$kind" threads 96 8
    recorded "$kind: eight threads at once" "${lines[@]:0:97}"

    scenario "$T/$kind" alive
    recorded "$kind: threads that live when the program ends" "$(expect $kind 0:0:5:$BASE)" \
        "$(expect t200 200:0:20000:$BASE)" "$(expect t400 400:0:40000:$BASE)" \
        "$(expect t600 600:0:60000:$BASE)"
    scenario "$T/$kind" racing
    streams "$T/trace"
    want "$(expect $kind 0:0:100000:$BASE)"
    for k in 1 2 3; do
        n=$(sed -n "s/^t$k \([0-9]*\) .*/\1/p" <<< "$got")
        wanted=$(printf '%s\n%s' "$wanted" "$(expect t$k $k:0:$n:$BASE)")
    done
    is "$kind: threads that emit while the program ends" \
        "$complete $(sort <<< "$got")" "0 $(sort <<< "$wanted")"
    scenario "$T/$kind" vfork
    recorded "$kind: vfork" "$(expect $kind 0:0:10:$BASE 7:0:20000:$BASE 0:10:10:$BASE)"
    scenario "$T/$kind" destructors
    recorded "$kind: events in a thread's destructors" "$(expect t1 1:0:130:$BASE)"
    SCENARIO_AROUND=1 scenario "$T/$kind" around
    recorded "$kind: constructor, main, atexit, destructor" "$(expect $kind 0:0:4:$BASE)"
    scenario "$T/$kind" raise
    recorded "$kind: a traced handler between two events" \
        "$(expect $kind 0:0:10:$BASE 2:0:20000:$BASE 0:10:10:$BASE)"

    compile -o "$T/registers" -O1 -mno-red-zone "$SRC/registers.c" \
        $(case $kind in
          static) echo -static "$RT/libwpp-rt.a" ;;
          fixed) echo -no-pie "$RT/libwpp-rt.a" ;;
          dynamic) echo "$RT/libwpp-rt.a" ;;
          shared) echo "$RT/libwpp-rt.so" -Wl,-rpath,"$RT" ;;
          esac)
    is "$kind: every register is kept" "$(WPP_OUT=$T/registers.trace "$T/registers")" ok
    is "$kind: also when nothing is written" "$(WPP_OUT=none "$T/registers")" ok
done
compile -o "$T/registers" -O1 -mno-red-zone "$SRC/registers.c" "$RT/libwpp-rt-nop.a"
is 'nop: every register is kept' "$("$T/registers")" ok

# ---- Where the trace goes ---------------------------------------------------------------

one=$(expect dynamic 0:0:100000:$BASE)

mkdir "$T/cwd"
(cd "$T/cwd" && "$T/dynamic" single 100000)
mv "$T"/cwd/wpp.*.trace "$T/trace"
streams "$T/trace"
is 'the default is wpp.PID.trace' "$got" "$one"
pid=$("$READ" "$T/trace" | sed -n 's/^PROCESS pid=//p')
OUT=$T/cwd/a%%b.%h.%p run env WPP_OUT="$T/cwd/a%%b.%h.%p" "$T/dynamic" single 100000
name=$(ls "$T/cwd")
is '%p, %h and %% in a name' "${name%.*}" "a%b.$(uname -n)"
streams "$T/cwd/$name"
is 'and the trace is there' "$got" "$one"

mkfifo "$T/fifo"
cat "$T/fifo" > "$T/copy" & reader=$!
OUT=$T/fifo scenario "$T/dynamic" single 100000
wait $reader
mv "$T/copy" "$T/trace"
recorded 'a FIFO' "$one"

run bash -c 'WPP_OUT=fd:9 "$1" single 100000 9>&1 >/dev/null | cat > "$2"' \
    - "$T/dynamic" "$T/trace"
recorded 'an inherited descriptor' "$one"
run bash -c 'WPP_OUT=fd:9 "$1" single 100000 9> "$2"; [ $? = 7 ]' - "$T/dynamic" "$T/trace"
recorded 'an inherited descriptor of a file' "$one"
# The reader sees the end although a daemon of the program lives on.
run timeout 20 bash -c 'WPP_OUT=fd:9 bash -c "\"$1\" single 10 9>&9; exec 9>&-" 9>&1 >/dev/null |
    cat > "$2"' - "$T/dynamic" "$T/trace"
recorded 'the end of a pipe is seen' "$(expect dynamic 0:0:10:$BASE)"

ls "$T/cwd" > "$T/before"
(cd "$T/cwd" && WPP_OUT=none run "$T/dynamic" single 100000; echo $status > "$T/status")
is 'none: the program runs' "$(cat "$T/status")" 7
is 'none: writes nothing' "$(ls "$T/cwd")" "$(cat "$T/before")"

ln -s "$T/target" "$T/link"
echo 'longer than any trace' > "$T/target"
OUT=$T/link scenario "$T/dynamic" single 100000
[ -L "$T/link" ] && pass 'a symbolic link stays' || fail 'a symbolic link stays'
cp "$T/target" "$T/trace"
recorded 'and its target is the trace' "$one"
ln "$T/target" "$T/trace.hard"
cp "$T/target" "$T/saved"
OUT=$T/target scenario "$T/dynamic" single 3
same 'an existing trace is replaced, not written over' "$T/trace.hard" "$T/saved"

OUT=/dev/null scenario "$T/dynamic" single 100000
quiet 'WPP_OUT=/dev/null says nothing'
[ -c /dev/null ] && pass '/dev/null is still a device' || fail '/dev/null is still a device'

# ---- What the records say ---------------------------------------------------------------

odd="$T/odd name
é"
cp "$T/dynamic" "$odd"
WPP_OUT=$T/trace run "$odd" single 5 'two words' ''
"$READ" "$T/trace" > "$T/list"
like 'program' "$(cat "$T/list")" "^    program=$T/odd name$"
is 'arguments' "$(grep -c '^    arg=' "$T/list")" 5
like 'an argument with a blank' "$(cat "$T/list")" '^    arg=two words$'
like 'working directory' "$(cat "$T/list")" "^    cwd=$(pwd)$"
like 'parent' "$(cat "$T/list")" "^    parent=$$\$"
now=$(date +%s)
started=$(sed -n 's/^    started=\([0-9]*\)\.[0-9]\{9\}$/\1/p' "$T/list")
[ $((now - started)) -le 60 ] && [ "$started" -le "$now" ] && pass 'started' ||
    fail 'started' "$started, now $now"
path=$(sed -n '/^MODULE_LOAD/,/^BUFFER/p' "$T/list" | sed '$d' | sed '1s/.* path=//')
is "the module's path, whatever is in it" "$path" "$odd"
id=$(readelf -n "$T/dynamic" | sed -n 's/.*Build ID: //p')
like "the module's build id" "$(cat "$T/list")" "^MODULE_LOAD .* n=2 id=$id "
like "the module's tokens" "$(cat "$T/list")" '^MODULE_LOAD base=16 count=1000010 '
address=$(sed -n 's/^MODULE_LOAD .*address=\(0x[0-9a-f]*\).*/\1/p' "$T/list")
is "the module's address" "$((address & 4095))" 0
link_scenarios no-id -Wl,--build-id=none "$RT/libwpp-rt.a"
scenario "$T/no-id" single 5
like 'a module without build id' "$("$READ" "$T/trace")" "^MODULE_LOAD .* id= path=$T/no-id$"

# ---- Processes ----------------------------------------------------------------------------

mkdir "$T/forks"
for kind in static dynamic shared; do
    OUT="$T/forks/%p" scenario "$T/$kind" fork
    child=$(cat "$T/out")
    mv "$T/forks/$child" "$T/child"
    mv "$T"/forks/* "$T/trace"
    recorded "$kind: the parent of a fork" "$(expect $kind 0:0:1300:$BASE)"
    like "$kind: knows its child" "$("$READ" "$T/trace")" "^FORK tid=[0-9]+ child=$child\$"
    streams "$T/child"
    is "$kind: the child of a fork" "$got $complete" "$(expect $kind 7:0:500:$BASE) 0"
    like "$kind: says that it is one" "$("$READ" "$T/child")" '^    forked=1$'
    scenario "$T/$kind" fork
    recorded "$kind: a fork when there is one name only" "$(expect $kind 0:0:1300:$BASE)"
    OUT="$T/forks/%p" scenario "$T/$kind" raw-fork
    child=$(cat "$T/out")
    is "$kind: a fork that libc does not see leaves two traces" "$(ls "$T/forks" | wc -l)" 2
    mv "$T/forks/$child" "$T/child"
    mv "$T"/forks/* "$T/trace"
    recorded "$kind: one is the parent's" "$(expect $kind 0:0:1300:$BASE)"
    streams "$T/child"
    is "$kind: one the child's" "$got $complete" "$(expect $kind 7:0:50000:$BASE) 0"
    like "$kind: which says that it is one" "$("$READ" "$T/child")" '^    forked=1$'
done

OUT="$T/forks/%p" scenario "$T/dynamic" many-forks 200
is 'two hundred children leave two hundred traces' "$(ls "$T/forks" | wc -l)" 201
child=$(expect dynamic 7:0:10:$BASE)
good=0
for trace in "$T"/forks/*; do
    streams "$trace"
    [ "$complete" = 0 ] && [ "$got" = "$child" ] && good=$((good + 1))
    case $got in *busy*) mv "$trace" "$T/trace" ;; esac
done
is 'each complete' "$good" 200
"$READ" --streams "$T/trace" > "$T/list"
is 'and the parent has its own' "$? $(grep '^dynamic' "$T/list")" \
    "0 $(expect dynamic 0:0:200:$BASE)"
rm -f "$T"/forks/*

OUT="$T/forks/%p" scenario "$T/dynamic" exec 50
streams "$T"/forks/*[0-9].1
is 'after exec: a trace besides the first' "$got $complete" "$(expect exe 0:0:50:$BASE) 0"
first=$(ls "$T/forks" | grep -v '\.')
streams "$T/forks/$first"
is 'before exec: everything' "$got $complete" "$(expect dynamic 3:0:40000:$BASE) 0"

# ---- Signals ------------------------------------------------------------------------------

(sleep 0.3; cat) < "$T/fifo" > "$T/copy" & reader=$!
OUT=$T/fifo scenario "$T/dynamic" ticks 1000000
wait $reader
mv "$T/copy" "$T/trace"
recorded 'a timer that interrupts' "$(expect dynamic 0:0:1000000:$BASE)"

(sleep 0.3; cat) < "$T/fifo" > "$T/copy" & reader=$!
OUT=$T/fifo scenario "$T/dynamic" nonblocking 1000000
wait $reader
mv "$T/copy" "$T/trace"
recorded 'an output that does not wait' "$(expect dynamic 0:0:1000000:$BASE)"

scenario "$T/dynamic" traced-ticks 3000000
"$READ" --numbers "$T/trace" > "$T/numbers" 2> "$T/read.err"
is 'a traced handler at any time: the trace is well-formed' "$?" 0
strangers=$(awk '$1 < 26 || $1 > 1000025' "$T/numbers" | wc -l)
is 'and holds only tokens that were emitted' "$strangers" 0

# ---- Trouble --------------------------------------------------------------------------------

for bad in "$T/no/such/dir/trace" "$T" fd:77 fd:x "$T/%z" fd:; do
    OUT=$bad scenario "$T/dynamic" errno 100000
    complains "WPP_OUT=${bad#"$T"}: one line" 'not recording$'
done
exec 8< /dev/null
OUT=fd:8 scenario "$T/dynamic" errno 100000
complains 'a descriptor for reading: one line' 'not open for writing; not recording$'
exec 8<&-
OUT=$(printf '%05000d' 1) scenario "$T/dynamic" errno 100000
complains 'a path that is too long' 'too long'
OUT=/dev/full scenario "$T/dynamic" errno 100000
complains '/dev/full: one line' '/dev/full: no space left; recording stopped$'

# Descriptor 9 writes to a pipe without any reader.
mkfifo "$T/nobody"
exec 8<> "$T/nobody" 9> "$T/nobody" 8<&-
OUT=fd:9 scenario "$T/dynamic" errno 1000
exec 9>&-
complains 'no reader from the start: one line' 'descriptor 9: the reader is gone; recording stopped$'
for n in 100000 1000000; do
    run bash -c 'WPP_OUT=fd:9 "$1" errno $2 9>&1 >/dev/null | true; exit ${PIPESTATUS[0]}' \
        - "$T/dynamic" $n
    is "a reader that goes away: the program goes on ($n)" "$status" 7
done
(head -c 100000 "$T/fifo" > "$T/copy") & reader=$!
OUT=$T/fifo scenario "$T/dynamic" errno 1000000
wait $reader
complains 'a reader that leaves in the middle: one line' 'the reader is gone; recording stopped$'
cp "$T/copy" "$T/trace"
streams "$T/trace"
is 'and what it read is right' "$complete ${got%% *}" '3 dynamic'
(head -c 100000 "$T/fifo" > "$T/copy") & reader=$!
OUT=$T/fifo scenario "$T/dynamic" pending 1000000
wait $reader
complains "a SIGPIPE of the program's own stays" 'the reader is gone'

scenario "$T/dynamic" limit 100000 220000
complains 'a limit on file sizes: one line' 'file too large; recording stopped$'
streams "$T/trace"
is 'and the trace holds what was written before' "$got $complete" \
    "$(expect dynamic 0:0:32736:$BASE) 3"
like 'and says what was lost' "$("$READ" "$T/trace" 2> /dev/null)" '^END tokens=32736 lost=67264$'

if mkdir "$T/small" && mount -t tmpfs -o size=256k wpp-test "$T/small" 2> /dev/null; then
    OUT=$T/small/trace scenario "$T/dynamic" errno 100000
    complains 'a full disk: one line' 'no space left; recording stopped$'
    cp "$T/small/trace" "$T/trace"
    umount "$T/small"
    streams "$T/trace"
    is 'a full disk: what was written before is right' "$complete ${got%% *}" '3 dynamic'
    like 'and what was lost is said' "$("$READ" "$T/trace" 2> /dev/null)" \
        '^END tokens=32736 lost=67264$'
else
    skip 'a full disk: cannot mount a tmpfs here'
fi

scenario "$T/dynamic" close 20000 "$T/own"
recorded 'a program that closes all descriptors' "$(expect dynamic 0:0:40000:$BASE)"
(head -c 10000000 "$T/fifo" > "$T/copy") & reader=$!
OUT=$T/fifo scenario "$T/dynamic" close 20000 "$T/own"
wait $reader
complains 'the same with a FIFO: one line' 'closed the trace.s descriptor'
WPP_OPTIONS=fd=30 scenario "$T/dynamic" close 20000 "$T/own"
recorded 'descriptors from 30 on' "$(expect dynamic 0:0:40000:$BASE)"
(ulimit -n 12; scenario "$T/dynamic" single 100000)
recorded 'few descriptors' "$one"

scenario "$T/dynamic" memory
streams "$T/trace"
want "$(expect dynamic 0:0:10:$BASE)" "$(expect t1 1:16368:50:$BASE)"
is 'no memory: the program goes on, and later so does the recording' "$got" "$wanted"
is 'the trace is incomplete' "$complete" 3
like 'and says what was lost, and where' "$("$READ" "$T/trace" 2> /dev/null)" \
    '^LOST tid=[0-9]+ tokens=16368$'

compile -o "$T/early" -O0 -DEMIT_EARLY "$SRC/scenarios.c" "$RT/libwpp-rt.a"
scenario "$T/early" single 100
streams "$T/trace"
is 'events before the runtime knows the module do no harm' "$got" "$(expect early 0:0:100:$BASE)"
like 'and are counted' "$("$READ" "$T/trace" 2> /dev/null)" '^EARLY tokens=7$'

WPP_OPTIONS=colour=red:fd=250 scenario "$T/dynamic" single 100000
complains 'an unknown option: one line' 'colour=red'
streams "$T/trace"
is 'and the trace is there' "$got $complete" "$one 0"

compile -o "$T/abi" -O0 -DEMIT_ABI=99 "$SRC/scenarios.c" "$RT/libwpp-rt.a"
scenario "$T/abi" single 100000
complains 'another ABI: one line' "$T/abi: built for another version of libwpp-rt; rebuild"
streams "$T/trace"
is 'and nothing wrong in the trace' "$got" ''
compile -o "$T/huge" -O0 -DEMIT_PATHS=4294901760u "$SRC/scenarios.c" "$RT/libwpp-rt.a"
scenario "$T/huge" single 100000
complains 'more paths than 32 bits can number: one line' "$T/huge: its paths .* recording stopped"
# Where the linker numbers executables' paths nobody else's are.
compile -o "$T/many" -O0 -DEMIT_PATHS=40000000u "$SRC/scenarios.c" "$RT/libwpp-rt.a"
scenario "$T/many" single 100
streams "$T/trace"
is 'forty million paths begin at 2^31' "$got" "$(expect many 0:0:100:$((BASE - 16 + (1 << 31))))"

cp "$T/dynamic" "$T/privileged"
if chmod u+s "$T/privileged" && chmod 755 "$T" && [ "$(id -u)" = 0 ] &&
   mkdir -m 777 "$T/theirs"; then
    WPP_OUT=$T/theirs/trace run setpriv --reuid=65534 --clear-groups "$T/privileged" single 10
    is 'a program with more rights than its caller writes no trace' "$status $(ls "$T/theirs")" '7 '
else
    skip 'a program with more rights than its caller: not root'
fi

# ---- Libraries -----------------------------------------------------------------------------

# The library's events are thread 9's, at the base after the executable's 1,000,010 paths.
first=$((16 + 1000010 + 10))
second=$((first + 1000010))
for kind in dynamic shared; do
    scenario "$T/$kind" library "$T/library.so" 20000
    recorded "$kind: a library, loaded twice" "$(expect $kind 0:0:5:$BASE 9:0:20000:$first \
        0:5:5:$BASE 0:10:5:$BASE 9:0:20000:$second 0:15:5:$BASE)"
    "$READ" "$T/trace" > "$T/list"
    counts=$(for r in PROCESS MODULE_LOAD MODULE_UNLOAD; do grep -c "^$r" "$T/list"; done)
    is "$kind: one process, three modules" "$(echo $counts)" '1 3 3'
    like "$kind: the library's path" "$(cat "$T/list")" "path=$T/library.so\$"
done
# A program that hides its runtime: the library brings another one.
link_scenarios hidden "$RT/libwpp-rt.a" -Wl,--exclude-libs,ALL
scenario "$T/hidden" library "$T/library.so" 20000
complains 'a second runtime: one line' "$T/library.so: not recorded: .* --exclude-libs"
streams "$T/trace"
is 'the first one records' "$got $complete" "$(expect hidden 0:0:20:$BASE) 3"
like 'and tells what the second one lost' "$("$READ" "$T/trace")" '^END tokens=20 lost=40000$'
WPP_OUT=none run "$T/hidden" library "$T/library.so" 20000
is 'nothing is said when nothing is to be recorded' "$status $(wc -c < "$T/err")" '7 0'
# A traced library in a program that is not.
cat > "$T/plain.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    void (*run)(unsigned) = library ? (void (*)(unsigned))dlsym(library, "library_run") : 0;

    if (!run)
        return 1;
    run(40000);
    if (argc > 2)
        dlclose(library);
    return 7;
}
END
compile -o "$T/plain" "$T/plain.c"
scenario "$T/plain" "$T/library.so"
recorded 'a traced library in a plain program' "$(expect plain 9:0:40000:$BASE)"
scenario "$T/plain" "$T/library.so" close
recorded 'the same, closed again' "$(expect plain 9:0:40000:$BASE)"

# ---- The baseline, and what is in the library -------------------------------------------------

link_scenarios nop "$RT/libwpp-rt-nop.a"
(cd "$T/cwd" && rm -f ./* && run "$T/nop" single 1000000; echo $status > "$T/status")
is 'nop: the program runs' "$(cat "$T/status")" 7
is 'nop: writes nothing' "$(ls "$T/cwd")" ''
run "$T/nop" threads 96 8
is 'nop: threads' "$status" 7

is 'exported: sixteen names' \
    "$(nm -D --defined-only "$RT/libwpp-rt.so" | awk '{ print $3 }' | sort | tr '\n' ' ')" \
    '__wpp_count_thread __wpp_counting __wpp_cursor __wpp_frames __wpp_leaving __wpp_module_load __wpp_module_unload __wpp_personality __wpp_personality_cxx __wpp_refill __wpp_resolver __wpp_signal_begin __wpp_signal_end __wpp_start __wpp_stop __wpp_time '
# Weak ones, of the unwinder and of libc's start.
weak='_Unwind_(Backtrace|Find_FDE|Get(CFA|GR|IP))|__gxx_personality_v0|_start|__libc_stack_end|program_invocation_name'
needed='_GLOBAL_OFFSET_TABLE_|environ|__libc_single_threaded|__errno_location|getauxval|dl_iterate_phdr|dladdr|dlsym|dlerror|pthread_(atfork|key_create|setspecific)'
# gthreads.h names what static programs must be linked with; nothing uses it.
is 'of threads it uses two functions' \
    "$(readelf -rW "$RT/libwpp-rt.so" | grep -oE '(pthread|sched)_[a-z_]*' | sort | tr '\n' ' ')" \
    'pthread_key_create pthread_setspecific '
named=$(grep -oE 'NEED\([a-z_]+\)' "$ROOT/tracer/gthreads.h" | sed 's/NEED(\(.*\))/\1/' | paste -sd '|')
for lib in libwpp-rt.a libwpp-rt-nop.a; do
    is "$lib: every name begins with __wpp_" \
        "$(nm -g --defined-only "$RT/$lib" | awk 'NF == 3 && $3 !~ /^__wpp_/ { print $3 }')" ''
    is "$lib: needs no more of libc than it says" \
        "$(nm -gu "$RT/$lib" | awk 'NF == 2 && $2 !~ /^__wpp_/ { print $2 }' | sort -u |
           grep -vxE "$needed|$weak|$named")" ''
    is "$lib: uses no vector register" "$(objdump -d "$RT/$lib" | grep -cE '%[xyz]mm|%mm|%st')" 0
done
done_testing
