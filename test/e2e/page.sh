#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 20
# wpp-report --html: what it refuses, and its page driven in headless Chromium: every view against what the
# tools say, two files, hostile names, an incomplete run.  In Firefox: steps, a search, the timeline.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# ---- Programs ------------------------------------------------------------------------------------------
cat > prog.c << 'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned sum;

__attribute__((noinline)) static unsigned leaf(unsigned n)
{
    if (n % 7 == 0)
        return n / 7;
    if (n == 4000000000u)
        return 1;
    return n & 3;
}

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sum += leaf(i);
}

static void *other(void *n)
{
    work(*(unsigned *)n);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100, few = 50;
    pthread_t thread;

    work(n);
    sum += fib(15);
    pthread_create(&thread, NULL, other, &few);
    pthread_join(thread, NULL);
    work(n / 2);
    printf("%u\n", sum);
    return 0;
}
C
ok 'a program' "$WPP_GCC" -O0 -g -pthread -o prog prog.c
ok 'a run' wpp-record -o a.wpp ./prog 2000
ok 'another run' wpp-record -o b.wpp ./prog 2007

# Names that would be script, were they not escaped: of a file, routine, thread, command.
evil='<img src=x onerror="window.hacked=1">'
evilFile='x</script><script>window.hacked=1</script>.c'
cat > hostile.c << 'C'
#include <sys/prctl.h>
void bad(int n) __asm__("\"<script>hacked=1</script>\"");
int worse(int n);
__attribute__((noinline)) void bad(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
int main(int argc, char **argv)
{
    prctl(PR_SET_NAME, "<b onx=hacked>");
    return worse(100) + (argc > 3 ? argv[0][0] : 0);
}
C
mkdir -p "${evilFile%/*}"
cat > "$evilFile" << 'C'
void bad(int n) __asm__("\"<script>hacked=1</script>\"");
int worse(int n)
{ /* "</script><script>window.hacked=1</script>" & <img src=x onerror='hacked=1'> */
    for (int i = 0; i < n; i++)
        bad(i);
    return 0;
}
C
ok 'a program with hostile names' "$WPP_GCC" -O0 -g -o hostile hostile.c "$evilFile"
ok 'its run' wpp-record -o hostile.wpp ./hostile "$evil" '--></script>'
cp hostile.wpp "$evil.wpp"

# ---- What is refused --------------------------------------------------------------------------------------
if [ -f "$BUILD/lib/wpp/page.html" ]; then
    fails_with 2 'no output given' wpp-report --html a.wpp
    fails_with 2 'three files' wpp-report --html -o p.html a.wpp b.wpp a.wpp
    fails_with 2 'options for text' wpp-report --html -o p.html --top=3 a.wpp
    fails_with 2 '-o without --html' wpp-report -o p.html a.wpp
    fails_with 1 'no file' wpp-report --html -o p.html none.wpp
    echo nonsense > n.wpp
    fails_with 1 'no WPP' wpp-report --html -o p.html n.wpp
    fails_with 1 'the output is the input' wpp-report --html -f -o b.wpp a.wpp b.wpp
    is 'no page is left behind' "$(ls)" "$(ls | grep -v '\.html')"
    ok 'a page' wpp-report --html -o p.html a.wpp
    fails_with 1 'it is not replaced' wpp-report --html -o p.html a.wpp
    ok 'unless asked' wpp-report --html -f -o p.html a.wpp
    ok 'into a pipe' sh -c 'wpp-report --html -o - - < a.wpp | cat > q.html'
    is 'is the same but for the name' "$(($(stat -c %s q.html) - $(stat -c %s p.html)))" \
        $(($(printf 'standard input' | wc -c) - $(printf a.wpp | wc -c)))
    ok 'without source' wpp-report --html --no-source -o small.html a.wpp
    is 'is smaller, and holds none' "$(($(stat -c %s small.html) < $(stat -c %s p.html))) $(grep -c noinline small.html)" '1 0'
    is 'the page is the WPP and at most 3 MB' "$(($(stat -c %s p.html) - $(stat -c %s a.wpp) < 3000000))" 1
    is 'the policy lets nothing in' "$(grep -a -o "default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]*' 'wasm-unsafe-eval'; style-src 'sha256-[A-Za-z0-9+/=]*'; worker-src blob:; base-uri 'none'; form-action 'none'" p.html | wc -l)" 1
    is 'no address in it but names of XML' "$(grep -a -o -E '(https?|wss?)://[a-zA-Z0-9./-]*' p.html | sort -u | grep -v '^http://www\.w3\.org/')" ''
else
    fails_with 1 'without the page' wpp-report --html -o p.html a.wpp
fi

# ---- The browser -------------------------------------------------------------------------------------------
# Prints why the page cannot be driven here; nothing: it can.
lacks() {
    local missing

    missing=$(make -s -C "$ROOT" page-what-lacks)
    if [ -n "$missing" ]; then
        echo "the page cannot be built here: no $missing (scripts/deps --page)"
    elif [ ! -f "$BUILD/lib/wpp/page.html" ] && [ ! -f "$ROOT/build/page/npm/.done" -o ! -f "$ROOT/build/page/zstd/zstd.h" ]; then
        echo 'the page was not built: npm packages or the sources of libzstd could not be fetched'
    elif ! command -v chromium > /dev/null; then
        echo 'the page is not driven: no chromium (scripts/deps --page)'
    fi
}
why=$(lacks)
if [ -n "$why" ]; then
    skip "$why"
    done_testing
fi
[ -f "$BUILD/lib/wpp/page.html" ] || { fail 'the page is built (make page)'; done_testing; }

ok 'a page of two runs' wpp-report --html -o two.html a.wpp b.wpp
ok 'a page with hostile names' wpp-report --html -o hostile.html "$evil.wpp"
ok 'a run that is cut short' wpp-record --limit=2000 -o cut.wpp ./prog 20000
run wpp-report --html -o cut.html cut.wpp
is 'a page of it, which is said' "$status" 3

# What the tools say of the same runs.  Events FROM - 1000 to FROM are stepped through backwards.
python3 - a.wpp b.wpp << 'PY' || fail 'the facts' 'python3 failed'
import json, os, re, subprocess, sys
def out(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
a, b = sys.argv[1:]
FROM = 1500
facts = {'info': json.loads(out('wpp-info', '--format=json', a)),
         'report': json.loads(out('wpp-report', '--format=json', a)),
         'diff': json.loads(out('wpp-diff', '--format=json', '--by=path', a, b)), 'names': [a, b], 'from': FROM,
         'evil': '<img src=x onerror="window.hacked=1">', 'evilFile': 'x</script><script>window.hacked=1</script>.c'}
paths, stack = [], []
# The routine of a path is that of its depth in the dump.
for line in out('wpp-dump', '--thread=0', a).splitlines():
    text = line.strip()
    depth = (len(line) - len(line.lstrip())) // 2
    if text.startswith('EnterRoutine'):
        stack[depth:] = [text.split()[1]]
    elif text.startswith('NewPath'):
        paths.append('%s %s' % (stack[depth - 1], text.split()[1]))
facts['paths'] = paths[FROM - 1000:FROM + 1]
facts['threads'] = facts['info'].get('threads') if isinstance(facts['info'].get('threads'), int) else 2
source = open('prog.c').read().split('\n')
facts['line'] = next(i for i, l in enumerate(source, 1) if 'return n & 3' in l)
facts['text'] = source[facts['line'] - 1].strip()
facts['missed'] = next(i for i, l in enumerate(source, 1) if 'return 1;' in l)
facts['leafLine'] = next(i for i, l in enumerate(source, 1) if ' leaf(unsigned n)' in l)
counts = dict(l.rsplit(' ', 1) for l in out('wpp-dump', '--line-counts', a).splitlines())
facts['executions'] = int(next(n for l, n in counts.items() if l.endswith('prog.c:%d' % facts['line'])))
# Deep within fib.
deep = max(range(len(paths)), key=lambda i: paths[i].startswith('fib') and 1 + (i % 97))
facts['deep'] = {'event': deep, 'stack': re.findall(r'^#\d+\s+(\S+)', out('wpp-dump', '--stack=%d' % deep, a), re.M)}
json.dump(facts, open('facts.json', 'w'))
PY
timeout 300 node "$ROOT/test/e2e/page/drive.mjs" "$ROOT/build/page/npm" "$(command -v chromium)" facts.json \
    "one=$T/p.html" "two=$T/two.html" "hostile=$T/hostile.html" "incomplete=$T/cut.html" > driven 2> driven.err
status=$?
# What a driver says becomes checks.
take() {
    local line

    while IFS= read -r line; do
        case $line in
        'ok '*) pass "${line#ok }" ;;
        'not ok '*) fail "${line#not ok }" ;;
        *) echo "# $line" ;;
        esac
    done < "$1"
    [ ! -s "$1.err" ] || sed 's/^/# /' "$1.err"
}
take driven
is 'the browser ended well' "$status $(grep -c '^ok' driven | awk '{ print ($1 > 30) }')" '0 1'

# Firefox, where there is one.
firefox=$(command -v firefox-esr || command -v firefox)
if [ -n "$firefox" ]; then
    timeout 200 node "$ROOT/test/e2e/page/firefox.mjs" "$firefox" "$T/profile" facts.json p.html > fox 2> fox.err
    status=$?
    take fox
    is 'Firefox ended well' "$status $(grep -c '^ok' fox)" '0 7'
else
    skip 'the page is not opened in Firefox: there is none'
fi
done_testing
