#!/bin/bash
# SPDX-License-Identifier: MIT
# The harness itself: test/run never counts a test as passed that dies, stops early or fails,
# and lib.sh's verbs can fail.
. "$(dirname "$0")/lib.sh"

# file NAME: a test program of the script on standard input
file() {
    mkdir -p "$T/build/test/unit"
    { echo '#!/bin/sh'; cat; } > "$T/build/test/unit/$1"
    chmod +x "$T/build/test/unit/$1"
}
total() {
    tail -n 1 "$T/out"
}
lib=$ROOT/test/e2e/lib.sh
harness() {
    CONFIG='' WPP_BUILD='' run env TEST_TIMEOUT=2 "$ROOT/test/run" "$T/build" "$@"
}

file good <<< 'echo "ok 1 - a"; echo "skip 2 - no network"; echo "ok 3 - b"; echo 1..3'
harness --unit
is 'a good file passes' "$status $(total)" '0 2 passed, 0 failed, 1 skipped'

file bad <<< 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# because"; echo 1..2; exit 1'
harness --unit
is 'a failing check is counted' "$status $(total)" '1 3 passed, 1 failed, 1 skipped'
like 'and shown with its reason' "$(cat "$T/out")" '^ +# because'

file bad <<< 'echo "ok 1 - a"; kill -SEGV $$'
harness --unit
is 'a crash after a good check fails' "$status $(total)" '1 3 passed, 1 failed, 1 skipped'

file bad <<< 'echo "ok 1 - a"; exit 0'
harness --unit
is 'an end without a plan fails' "$status $(total)" '1 3 passed, 1 failed, 1 skipped'

file bad <<< 'echo "ok 1 - a"; echo 1..2'
harness --unit
is 'a wrong plan fails' "$status $(total)" '1 3 passed, 1 failed, 1 skipped'

file bad <<< 'echo "ok 1 - a"; echo 1..1; exit 4'
harness --unit
is 'a bad exit status fails' "$status $(total)" '1 3 passed, 1 failed, 1 skipped'

file bad <<< 'echo "ok 1 - a"; sleep 60'
harness --unit
is 'a file that hangs fails' "$status $(total)" '1 3 passed, 1 failed, 1 skipped'

# Each waits for the other, and would be stopped alone.
rm "$T/build/test/unit/"*
for name in left right; do
    file $name <<< "touch '$T/$name'
        until [ -e '$T/left' ] && [ -e '$T/right' ]; do sleep 0.01; done
        echo 'ok 1 - met'; echo 1..1"
done
TEST_JOBS=2 harness --unit
is 'two files run at the same time' "$status $(total)" '0 2 passed, 0 failed, 0 skipped'

rm "$T/build/test/unit/"*
mkdir "$T/now"
for name in a b c d e; do
    file $name <<< "touch '$T/now/$name'; ls '$T/now' | wc -l >> '$T/at-once'; sleep 0.3
        rm '$T/now/$name'; echo 'ok 1 - ran'; echo 1..1"
done
TEST_JOBS=2 harness --unit
is 'never more than that' "$status $(total) $(sort -n "$T/at-once" | tail -n 1)" \
    '0 5 passed, 0 failed, 0 skipped 2'

rm -r "$T/build/test/unit"
harness --unit
is 'no test at all is no success' "$status $(total)" '1 0 passed, 1 failed, 0 skipped'

cat > "$T/verbs.sh" <<END
. '$lib'
ok a true;  ok b false
fails c sh -c 'echo why >&2; exit 3';  fails d true;  fails e sh -c 'exit 3'
fails f sh -c 'echo two >&2; echo lines >&2; exit 3'
fails g sh -c 'echo crash >&2; kill -SEGV \$\$'
fails_with 3 h sh -c 'echo why >&2; exit 3';  fails_with 3 i sh -c 'echo why >&2; exit 2'
is j 1 1;  is k 1 2;  like l abc 'b.$';  like m abc 'a$'
same n '$lib' '$lib';  same o '$lib' /dev/null;  absent p '$T/nothing';  absent q '$lib'
done_testing
END
run bash "$T/verbs.sh"
is 'verbs pass and fail as they should' \
    "$(sed -n 's/^\(ok\|not ok\) [0-9]* - \(.\)$/\1 \2/p' "$T/out" | tr '\n' ',')" \
    'ok a,not ok b,ok c,not ok d,not ok e,not ok f,not ok g,ok h,not ok i,ok j,not ok k,ok l,not ok m,ok n,not ok o,ok p,not ok q,'

done_testing
