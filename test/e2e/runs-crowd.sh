#!/bin/bash
# SPDX-License-Identifier: MIT
# A store of runs that is packed; many writers at once, and writers that are killed.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
. "$ROOT/test/e2e/runs/work.sh"

ok 'a WPP' wpp-record -q -o alone.wpp ./work 4

# ---- Packing ------------------------------------------------------------------------------------------

rm -rf store
for n in 1 2 3 4 5 10 20 40 80 17 24 31; do wpp-record -q --runs=store ./work $n > /dev/null 2>&1; done
wpp-record -q --runs=store sh -c './work 6; ./work 9' > /dev/null
ok 'a path profile is a run, too' bash -c 'wpp-profile -f -o p.prof alone.wpp && wpp-runs store add p.prof'
sed 's/? 3 : 1/? 5 : 2/; s/i++)/i += 2)/' work.c > other.c
ok 'another build' "$WPP_GCC" -O1 -o other other.c
for n in 1 2 3 40; do wpp-record -q --runs=store ./other $n > /dev/null 2>&1; done
# all FOLDER: exports all there is
all() {
    mkdir -p $1
    index 'SELECT run, number FROM process ORDER BY run, number' | while IFS='|' read -r run number; do
        wpp-runs store export $run --process=$number -o $1/$run.$number.wpp || echo bad > $1/bad
    done
}
all before
ok 'the store is packed' wpp-runs store pack
like 'which is said' "$(cat "$T/out")" '^1[0-9] WPPs of [0-9,]+ bytes packed into [0-9,]+, and [0-9,]+ that they share$'
is 'into less than half' "$(index 'SELECT sum(stored) * 2 < sum(bytes) FROM run')" 1
all after
ok 'all come back byte for byte' diff -r before after
is 'there are many' "$(find after -name '*.wpp' | wc -l)" 19
for n in 2 3 50; do wpp-record -q --runs=store ./work $n > /dev/null 2>&1; done
all later
ok 'runs that come later are packed, too' wpp-runs store pack
is 'all of them' "$(index 'SELECT count(*) FROM process WHERE packing = 0 AND body IS NOT NULL')" 0
all packed
ok 'and come back' diff -r later packed
ok 'packing twice changes nothing' wpp-runs store pack
like 'there is nothing left' "$(cat "$T/out")" '^0 WPPs'
ok 'packed runs are merged' wpp-runs third merge store
is 'with all bytes' "$(sqlite3 third/runs.sqlite 'SELECT sum(bytes), count(*) FROM run')" \
    "$(index 'SELECT sum(bytes), count(*) FROM run')"
ok 'and come back from there' bash -c 'wpp-runs third export 5 | cmp - packed/5.0.wpp'
cp -r store hurt
sqlite3 hurt/runs.sqlite "UPDATE process SET body = x'28b52ffd00' || substr(body, 6) WHERE run = 3; DELETE FROM shared WHERE build = 2"
fails 'a damaged packed run' wpp-runs hurt export 3
fails 'one whose base is gone' wpp-runs hurt export 16
ok 'the others are there' wpp-runs hurt export 4 -o four.wpp
# Packers and writers at once.
rm -rf store
seq 1 60 | xargs -P 4 -I{} wpp-record -q --runs=store ./work {} > /dev/null 2>&1 &
writers=$!
for i in 1 2 3 4 5 6; do
    wpp-runs store pack > /dev/null 2>> packs &
    wpp-runs store pack > /dev/null 2>> packs
done
wait $writers
wait
ok 'packed while it is written' wpp-runs store pack
is 'nothing is lost' "$(index 'SELECT count(*), sum(events) FROM run; SELECT count(*) FROM process WHERE packing = 0;
    PRAGMA integrity_check' | paste -sd' ')" "60|$(seq 60 | awk '{ n += 2 * $1 + 2 } END { print n }') 0 ok"
all crowd
is 'and all is whole' "$(cat crowd/bad 2> /dev/null; for f in crowd/*.wpp; do wpp-check -q $f > check 2>&1 ||
    grep -q ' undamaged' check || echo $f; done)" ''

# ---- Many writers ------------------------------------------------------------------------------------

rm -rf store ended
seq 1 7 350 | xargs -P 8 -I{} wpp-record -q --runs=store ./work {} > /dev/null
is '50 writers, 8 at a time, from nothing on: none is lost' \
    "$(index 'SELECT count(*), sum(events) FROM run; PRAGMA integrity_check' | paste -sd' ')" "50|$(seq 1 7 350 |
        awk '{ n += 2 * $1 + 2 } END { print n }') ok"

# Recorders that are killed at the program's end, or while the run is added.  They have a keeper by then,
# which adds the run.
rm -rf store ended
kill_one() {
    local pid

    wpp-record -q --runs=store ./work 20 id$1 > /dev/null 2>> err &
    pid=$!
    until children $pid wpp-keeper > /dev/null; do sleep 0.01; done
    touch id$1
    sleep "0.0$(printf %02d $(($1 * 7 % 50)))"
    kill -KILL $pid 2> /dev/null
    wait $pid 2> /dev/null
}
for k in 0 1 2 3; do
    for i in $(seq $k 4 99); do kill_one $((i + 100)); done &
done
wait
ids() {
    index 'SELECT command FROM run' | sed 's/.*\(id[0-9]*\).*/\1/' | sort
}
for i in $(seq 100); do
    [ "$(ids | wc -l)" = 100 ] && break
    sleep 0.1
done
is '100 killed recorders: each run is there' "$(comm -23 <(sort ended) <(ids) | paste -sd' ')" ''
is 'once' "$(ids | uniq -d)" ''
is 'all of them' "$(ids | wc -l)" 100
is 'and whole' "$(index 'SELECT count(*) FROM process WHERE run NOT IN (SELECT id FROM run);
    SELECT count(*) FROM run WHERE id NOT IN (SELECT run FROM process); PRAGMA integrity_check' | paste -sd' ')" \
    '0 0 ok'
wpp-runs store list --format=json > list
bad=0
for i in $(rows 1 | head -n 100 | awk 'NR % 9 == 0'); do
    wpp-runs store export $i -o x.wpp && wpp-check -q x.wpp 2> check || grep -q ' undamaged' check || bad=$((bad + 1))
done
is 'the files are whole' $bad 0

# Adders that are killed: what they said to have added is there.
first=$(index 'SELECT count(*) FROM run')
for i in $(seq 40); do
    { wpp-runs store add --label=pass alone.wpp && echo done >> added; } 2> /dev/null &
    pid=$!
    sleep "0.00$((i % 9))"
    kill -KILL $(children $pid wpp-runs) 2> /dev/null
    wait $pid 2> /dev/null
done
touch added
now=$(index 'SELECT count(*) FROM run')
is "40 killed adders: nothing is lost or halved ($((now - first)) runs)" \
    $((now >= first + $(wc -l < added) && now <= first + 40)) 1
is 'the index is whole' "$(index 'PRAGMA integrity_check')" ok
ok 'and free' timeout 20 wpp-runs store add alone.wpp

done_testing
