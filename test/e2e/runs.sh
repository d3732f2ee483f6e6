#!/bin/bash
# SPDX-License-Identifier: MIT
# A store of runs: wpp-record --runs, wpp-runs.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
. "$ROOT/test/e2e/runs/work.sh"

# ---- Adding ------------------------------------------------------------------------------------

for n in 1 2 3 4; do
    wpp-record -q --runs=store ./work $n > /dev/null 2> err
    echo "$?" >> statuses
done
is "the program's status is kept" "$(paste -sd' ' statuses)" '0 1 134 0'
is 'labels: by status and signal' "$(rows 1,2,3 | paste -sd,)" \
    '1 pass exit,2 fail exit,3 fail SIGABRT,4 pass exit'
is 'the index says the same' "$(index 'SELECT id, label, exited, killed FROM run' | paste -sd,)" \
    '1|1|1|0,2|2|2|0,3|2|0|6,4|1|1|0'
run wpp-record --runs=store ./work 5
like 'the run is told' "$(cat err "$T/err")" 'wpp-record: 12 events of 1 process: run 5 of store'
ok 'a label is given' wpp-record -q --runs=store --label=fail ./work 5
ok 'or asked for' wpp-record -q --runs=store --oracle='[ $WPP_STATUS = 0 ] && exit 3' ./work 5
ok 'or not known' wpp-record -q --runs=store --oracle='exit 125' ./work 5
ok 'a run that passed' wpp-record -q --runs=store --oracle='[ $WPP_RUN = 9 ]' ./work 5
run wpp-record -q --runs=store --oracle='kill -KILL $$' ./work 5
is 'an oracle that dies judges nothing' "$(cat "$T/err")" \
    'wpp-record: the oracle could not judge: run 10 has no label'
is 'these labels' "$(rows 2 6-10 | paste -sd' ')" 'fail fail unknown pass unknown'
ok 'labels change' wpp-runs store label pass 8 10
is 'for those runs' "$(rows 2 6-10 | paste -sd' ')" 'fail fail pass pass pass'
is 'a label chooses' "$(rows 1 --label=fail | paste -sd' ')" '2 3 6 7'

# ---- What is in there ---------------------------------------------------------------------------

ok 'a file of its own' wpp-record -q -o alone.wpp ./work 4
ok 'a run as a file' wpp-runs store export 4 -o run.wpp
ok 'it is whole' wpp-check run.wpp
same_answers 'and the same' alone.wpp run.wpp wpp-dump
ok 'a file as a run' wpp-runs store add alone.wpp
ok 'exported again' wpp-runs store export 11 -o again.wpp
same 'byte for byte' again.wpp alone.wpp
is 'with its label' "$(rows 1,2,3 11)" '11 pass exit'
ok 'json' wpp-runs store list --format=json
is 'is right' "$(python3 -c 'import json, sys
for r in json.load(sys.stdin)["runs"][:3]: print(r["run"], r["label"], r.get("exited"), r.get("killed"), r["events"], r["build"])' \
    < "$T/out" | paste -sd,)" '1 pass 0 None 4 1,2 fail 1 None 6 1,3 fail None 6 8 1'
ok 'a large run' wpp-record -q --runs=store sh -c 'n=40; while [ $n -gt 0 ]; do ./work $n; n=$((n-1)); done'
is 'has all processes, the program first' "$(rows 6 12)" 40
for n in 0 1 39; do
    ok "process $n" wpp-runs store export 12 --process=$n -o p$n.wpp
    ok 'is whole' wpp-check p$n.wpp
done
fails 'there is no other' wpp-runs store export 12 --process=40 -o none.wpp
ok 'random events' bash -c 'head -c 2000000 /dev/urandom | od -An -v -t u1 | tr -s " \n" "\n\n" |
    python3 -c "import sys, struct
sys.stdout.buffer.write(b\"\".join(struct.pack(\"<I\", int(x)) for x in sys.stdin.read().split()))" |
    wpp-compress --symbols -o big.wpp -'
ok 'are a large file' wpp-runs store add --label=pass big.wpp
is 'which is no part of the index' "$(index 'SELECT count(*) FROM process WHERE body IS NULL')" \
    "$(find store/large -name '*.wpp' | wc -l)"
ok 'it comes back' wpp-runs store export 13 -o big2.wpp
same 'byte for byte' big.wpp big2.wpp

# ---- Runs that wait --------------------------------------------------------------------------------

mkdir wait && cd wait
for n in 1 2 3 4 5 6; do wpp-record -q --runs=store ../work $n > /dev/null 2>&1; done
waiting=$(ls store/new | wc -l)
ok 'quietly recorded runs wait in files' test "$waiting" -ge 4
is 'nothing else is there' "$(ls -A store/new | grep -cv '^[0-9a-f]\{16\}-[0-9a-f]\{32\}$')" 0
wpp-record --runs=store ../work 7 > /dev/null 2> err
like 'the next number is behind theirs' "$(cat err)" 'run 7 of store'
is 'none waits any more' "$(ls store/new | wc -l) $(rows 1 | paste -sd' ')" '0 1 2 3 4 5 6 7'
for n in 8 9 10; do wpp-record -q --runs=store ../work $n > /dev/null 2>&1; done
set -- store/new/*
if [ -f "${1-}" ] && [ -f "${2-}" ]; then
    printf 'x' | dd of="$1" bs=1 seek=100 conv=notrunc 2> /dev/null
    truncate -s 50 "$2"
    run wpp-runs store list
    is 'damaged ones are told' "$status $(cat "$T/err")" '0 wpp-runs: 2 runs in store/new are damaged and left out'
    is 'the others are taken' "$(wpp-runs store list 2> /dev/null | tail -n +2 | wc -l)" 8
else
    skip 'damaged runs: none waits'           # each recorder takes those that wait with a chance of 1 in 256
fi
cd ..

# ---- Merging, removing -----------------------------------------------------------------------------

mv store first
ok 'another store' wpp-record -q --runs=store ./work 1
ok 'and one of both' wpp-runs store merge first
ok 'merged twice' wpp-runs store merge first
is 'has all runs once' "$(index 'SELECT count(*), count(DISTINCT key), sum(label = 2), sum(events) FROM run')" \
    "$(sqlite3 first/runs.sqlite 'SELECT count(*) + 1, count(DISTINCT key) + 1, sum(label = 2), sum(events) + 4 FROM run')"
is 'large ones, too' "$(wpp-runs store export 14 | cmp - big.wpp && echo same)" same
before=$(rows 1 | wc -l)
ok 'a run is removed' wpp-runs store prune 2
is 'this one' "$(rows 1 | wc -l) $(rows 1 | grep -c '^2$')" "$((before - 1)) 0"
ok 'all but two of each label' wpp-runs store prune --keep=2
is 'are left' "$(index 'SELECT label, count(*) FROM run GROUP BY label' | paste -sd' ')" '1|2 2|2'
is 'their processes alone are left' "$(index 'SELECT count(*) FROM process WHERE run NOT IN (SELECT id FROM run)')" 0
ok 'the failing ones go' wpp-runs store prune --label=fail
is 'and no others' "$(rows 2 | sort -u)" pass
ok 'a number is not given twice' wpp-record -q --runs=store ./work 1
is 'so it is a new one' "$(rows 1 | tail -n 1)" 15

# ---- What is refused -----------------------------------------------------------------------------------

fails 'no store' wpp-runs nowhere list
mkdir other && touch other/file
fails 'a folder of something else' wpp-record --runs=other ./work 1
fails 'a store in a file' wpp-record --runs=work.c ./work 1
fails 'a store in no folder' wpp-record --runs=none/store ./work 1
is 'the program did not run' "$(cat "$T/out")" ''
mkdir broken && head -c 10000 /dev/urandom > broken/runs.sqlite
fails 'another file as index' wpp-runs broken list
mkdir strange && sqlite3 strange/runs.sqlite 'CREATE TABLE a (b)'
fails "another program's index" wpp-runs strange list
fails 'which nothing is added to' wpp-record --runs=strange ./work 1
cp -r store future && sqlite3 future/runs.sqlite 'PRAGMA user_version = 99'
fails 'a later version' wpp-runs future list
fails 'no such run' wpp-runs store list 1000
fails 'nor to label' wpp-runs store label fail 1000
fails 'nor to remove' wpp-runs store prune 1000
fails 'no WPP' wpp-runs store add work.c
fails 'no file' wpp-runs store add none
fails_with 2 'no command' wpp-runs store
fails_with 2 'an unknown one' wpp-runs store burn
fails_with 2 'no such label' wpp-runs store label good 1
fails_with 2 'no number' wpp-runs store list x
fails_with 2 'a range that ends before it begins' wpp-runs store list 7-3
fails_with 2 'prune wants to know what' wpp-runs store prune
fails_with 2 'a label without a store' wpp-record --label=pass ./work 1
fails_with 2 'an oracle without a store' wpp-record --oracle=true ./work 1
fails_with 2 'two labels' wpp-record --runs=store --label=pass --oracle=true ./work 1
fails_with 2 'a store and a file' wpp-record --runs=store -o x.wpp ./work 1
fails_with 2 'a limit of memory' wpp-record --runs=store --memory=64M ./work 1
# Somebody who may only read the store.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
    mkdir -m 755 theirs && cp "$(command -v wpp-runs)" theirs
    wpp-record --runs=theirs/store ./work 1 > /dev/null 2>&1
    wpp-record -q --runs=theirs/store ./work 2 > /dev/null
    chmod 755 "$T"
    set -- theirs/store/new/*
    if [ -e "$1" ]; then           # one in 256 is not left to wait
        run setpriv --reuid=65534 --clear-groups theirs/wpp-runs theirs/store list --format=json
        is 'a reader has what is in the index, and the rest is told' \
            "$status $(grep -c '"run"' "$T/out") $(grep -c '^wpp-runs: 1 run in theirs/store/new left out' "$T/err")" '0 1 1'
    fi
    is 'whoever may write has all' "$(wpp-runs theirs/store list --format=json | grep -c '"run"')" 2
    run setpriv --reuid=65534 --clear-groups theirs/wpp-runs theirs/store list --format=json
    is 'and then a reader, too' "$status $(grep -c '"run"' "$T/out") $(wc -l < "$T/err")" '0 2 0'
else
    skip 'a reader: not root, or no setpriv'
fi
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=400k none small 2> /dev/null; then
    wpp-record -q --runs=small/store ./work 1 > /dev/null
    wpp-runs small/store list > /dev/null
    head -c 1M /dev/zero > small/full 2> /dev/null
    fails 'a full disk' bash -c 'for i in 1 2 3 4 5 6 7 8 9; do wpp-runs small/store add big.wpp || exit 1; done'
    rm small/full
    is 'which holds what it held' "$(sqlite3 small/store/runs.sqlite 'SELECT count(*) FROM run; PRAGMA integrity_check' |
        paste -sd' ')" '1 ok'
    umount small
else
    skip 'a full disk: cannot mount'
fi
done_testing
