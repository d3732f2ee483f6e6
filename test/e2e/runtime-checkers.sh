#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 20
# The runtime under valgrind, and compiled for the thread sanitizer: neither reports anything,
# and the traces are the same as without.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tracer/harness.sh"

compile -o "$T/expect" "$SRC/expect.c"
compile -o "$T/dynamic" -g "$SRC/scenarios.c" "$RT/libwpp-rt.a" $EXPORT

# The scenarios themselves are left as they are: their events are no atomic stores, and
# whoever hands over another thread's reads them.
flags=(-std=gnu17 -O1 -g -fPIC -fvisibility=hidden -fcf-protection=none -ftls-model=initial-exec
       -fno-tree-loop-distribute-patterns -D_GNU_SOURCE "-I$ROOT")
make_checked() {
    local file

    for file in "$ROOT"/tracer/*.[cS]; do
        [ "${file##*/}" = nop.c ] && continue
        gcc "${flags[@]}" "$@" -c "$file" -o "$T/checked.${file##*/}.o" || return
    done
    gcc "${flags[@]}" -O0 -mno-red-zone -c "$SRC/scenarios.c" -o "$T/checked.o" &&
        gcc "$@" -o "$T/checked" "$T"/checked*.o -lpthread
}

# clean NAME COMMAND...: says nothing and ends as it should; the trace is complete
clean() {
    local name=$1

    shift
    rm -f "$T/trace"
    run "$@"
    streams "$T/trace"
    # Programs that emit by hand have no path tables, and no WPP.
    if [ "$status $complete" = '7 0' ] && ! grep -v '^wpp-record: .* path table' "$T/err"; then
        pass "$name"
    else
        fail "$name" "status $status, trace $complete" "$(head -n 30 "$T/err")"
    fi
}

scenarios=('single 100000' 'threads 32 16' 'short 80' fork vfork raise destructors alive
           'pause 40000 exit' 'pause 40000 stopped' pause-handler 'library LIBRARY 20000')

if command -v valgrind > /dev/null; then
    compile -o "$T/library.so" -shared -fPIC "$SRC/library.c" "$RT/libwpp-rt.so" -Wl,-rpath,"$RT"
    some_of 'threads 32 16' fork raise 'pause 40000 exit' 'library LIBRARY 20000' 'traced-ticks 100000' -- \
        'single 100000' 'short 80' vfork destructors 'pause 40000 stopped' pause-handler
    for scenario in "${chosen[@]}"; do                  # not `alive`: its threads' memory may seem lost
        read -ra words <<< "${scenario/LIBRARY/$T/library.so}"
        clean "valgrind: $scenario" env WPP_OUT="$T/trace" valgrind -q --error-exitcode=55 \
            --leak-check=full "$T/dynamic" "${words[@]}"
    done
else
    skip 'there is no valgrind'
fi

# Each process that ends would sleep for a second, and the others fill gigabytes meanwhile.
export TSAN_OPTIONS=atexit_sleep_ms=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}
# Some kernels place memory where the sanitizer cannot live.
echo 'int main(void) { return 0; }' > "$T/empty.c"
if gcc -fsanitize=thread "$T/empty.c" -o "$T/empty" 2> /dev/null && "$T/empty" 2> /dev/null; then
    # In the last round of destructors the sanitizer has finished with the thread, and faults in
    # whatever it has instrumented.  So here threads end a round earlier.
    cat > "$T/earlier.h" << 'END'
#include <limits.h>
#undef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS 3
END
    ok 'the runtime is compiled for the thread sanitizer' \
        make_checked -fsanitize=thread -include "$T/earlier.h"
    for scenario in "${scenarios[@]}" 'racing' 'many-forks 100' 'pauses 100'; do
        # Its own runtime is another one; its events come in the last round.
        case $scenario in library*|destructors) continue ;; esac
        read -ra words <<< "$scenario"
        clean "thread sanitizer: $scenario" env WPP_OUT="$T/trace" "$T/checked" "${words[@]}"
    done
    for scenario in racing raise 'pause 40000 exit' 'threads 32 16' 'short 80' 'many-forks 100' \
                    'pauses 100'; do
        read -ra words <<< "$scenario"
        clean "thread sanitizer, under wpp-record: $scenario" \
            wpp-record -q "--trace=$T/trace" -o "$T/no.wpp" "$T/checked" "${words[@]}"
    done
else
    skip 'the thread sanitizer does not run here'
fi
done_testing
