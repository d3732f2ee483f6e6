# SPDX-License-Identifier: MIT
# A trace whose program has moved, or one of whose libraries is gone or has changed.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

mkdir build build/lib
cat > build/main.c <<'END_C'
#include <dlfcn.h>
static int twice(int x) { return x > 100 ? x : 2 * x; }
static int call(const char *path, int n)
{
    void *library = dlopen(path, RTLD_NOW);
    int (*f)(int, int (*)(int)) = library ? dlsym(library, "work") : 0;

    return f ? f(n, twice) : -1;
}
int main(int argc, char **argv)
{
    int sum = 0;

    for (int i = 1; i < argc; i++)
        sum += call(argv[i], 50);
    return sum < 0;
}
END_C
cat > build/plug.c <<'END_C'
static int sum;
int work(int n, int (*f)(int))
{
    for (int i = 0; i < n; i++)
        sum += i % 3 ? f(i) : NUMBER;
    return sum;
}
END_C
# make_library N
make_library() {
    cp build/plug.c build/plug$1.c
    "$WPP_GCC" -O0 -g -shared -fPIC -DNUMBER="$1" build/plug$1.c -o build/lib/plug$1.so
}
"$WPP_GCC" -O1 -g build/main.c -o build/prog -ldl
make_library 1 && make_library 2
ok 'a program with two libraries' env WPP_OUT=p.trace build/prog "$T"/build/lib/plug1.so "$T"/build/lib/plug2.so
ok 'where it was' wpp-compress -o want.wpp p.trace
wpp-dump want.wpp > want.events

# ---- Moved -----------------------------------------------------------------------------
mkdir new
mv build new/place
fails_with 1 'a program that has moved' wpp-compress -o no.wpp p.trace
like 'is gone' "$(cat err)" "gone or unreadable: cannot open $T/build/"
ok 'is found in its new folder' wpp-compress --map="$T/build=$T/new/place" -o moved.wpp p.trace
same 'and gives the same file' moved.wpp want.wpp
mkdir -p "root$T"
cp -r new/place "root$T/build"
ok 'a folder with all of another system' wpp-compress --map=/=root -f -o moved.wpp p.trace
same 'gives the same file, too' moved.wpp want.wpp
ok 'a slash at the end makes no difference' wpp-compress --map="$T/build/=new/place/" -f -o moved.wpp p.trace
ok 'each file by itself' wpp-compress --map="$T/build/prog=new/place/prog" \
    --map="$T/build/lib=new/place/lib" -f -o moved.wpp p.trace
same 'also gives the same' moved.wpp want.wpp
ok 'the last rule is tried first' wpp-compress --map="$T/build=new/place" --map="$T/build=nowhere" -f -o moved.wpp p.trace
same 'and then the others' moved.wpp want.wpp
fails_with 1 'a rule is about whole names' wpp-compress --map="$T/bui=$T/new/place/../pla" -o no.wpp p.trace
absent 'and leaves no file' no.wpp
for rule in x =x x= ''; do
    fails_with 2 "no rule: \`$rule\`" wpp-compress --map="$rule" -o no.wpp p.trace
done

# Only the file that was traced is taken, wherever it lies.
mkdir build
cp new/place/prog build/prog
mkdir other other/lib
cp new/place/lib/plug2.so other/lib/plug1.so
cp new/place/lib/plug1.so other/lib/plug2.so
fails_with 3 'a file that is another' wpp-compress --map="$T/build=other" -f -o moved.wpp p.trace
like 'is not taken' "$(cat err)" 'other/lib/plug1.so has changed since it was traced: its build id is another \(and 1 other module\)$'
ok 'but passed over' wpp-compress --map="$T/build=new/place" --map="$T/build=other" -f -o moved.wpp p.trace
same 'for the one that is right' moved.wpp want.wpp

# The kernel says of a file that was removed that it is deleted.
cp new/place/prog copy
bash -c 'exec 3< copy; rm copy; WPP_OUT=deleted.trace exec /proc/self/fd/3'
fails_with 1 'a program that was removed before it ran' wpp-compress deleted.trace
cp new/place/prog copy
ok 'is known where it was' wpp-compress deleted.trace
mv copy elsewhere
ok 'and where it is said to be' wpp-compress -f --map="$PWD/copy=elsewhere" deleted.trace

# ---- A library that is gone or has changed ------------------------------------------------
mkdir build/lib
cp new/place/lib/plug1.so build/lib
fails_with 3 'a library that is gone' wpp-compress -o part.wpp p.trace
like 'is named' "$(cat err)" "^wpp-compress: p.trace: the events of a module are unreadable: a file that was traced is gone or unreadable: cannot open $T/build/lib/plug2.so: No such file or directory$"
run wpp-info part.wpp
is 'the WPP is incomplete' $status 3
like 'and says why' "$(cat out)" "complete +no: the events of some modules could not be read"
like 'how much it is' "$(cat out)" "
unreadable +[0-9]+ events: a file that was traced is gone or unreadable: cannot open $T/build/lib/plug2.so: No such file or directory"
unread=$(sed -n 's/^unreadable *\([0-9]*\) .*/\1/p' out)
is 'as JSON' "$(wpp-info --format=json part.wpp |
    sed 's/.*"complete":\([a-z]*\),.*"unread_modules":\[{"module":"\([^"]*\)","events":\([0-9]*\),"why":"[^"]*"}\].*/\1 \2 \3/')" \
    "false $T/build/lib/plug2.so $unread"
is 'there are as many events as ever' "$(wpp-info part.wpp | sed -n 's/^events *//p')" \
    "$(wpp-info want.wpp | sed -n 's/^events *//p')"
wpp-dump part.wpp > part.events 2> err
like 'what answers says that something is missing' "$(cat err)" 'incomplete \(the events of some modules could not be read\)'
is 'only the events of the library have no names' \
    "$(grep -c Symbol part.events)" "$unread"
is 'all others are as they were' "$(sed -n 's/^ *NewPath/NewPath/p' part.events)" \
    "$(sed -n 's/^ *NewPath/NewPath/p' want.events | grep -v 'plug2\.c')"
"$BUILD/test/read-wpp" part.wpp > got.tokens
"$BUILD/test/read-wpp" want.wpp > want.tokens
same 'the second reader finds the same tokens' got.tokens want.tokens
ok 'it is undamaged' sh -c 'wpp-check --strict part.wpp; test $? = 3 && ! wpp-check part.wpp 2>&1 | grep -v undamaged'
for answer in 'wpp-hot' 'wpp-dump --lines' 'wpp-dump --line-counts' 'wpp-dump --calls' wpp-dot; do
    fails_with 3 "$answer answers" $answer part.wpp
    like "$answer: about the rest" "$(cat out)" 'main|plug'
done
ok 'a smaller one' wpp-compress --best -o best.wpp part.wpp
is 'says the same' "$(wpp-info best.wpp | sed -n '/^unreadable/p')" "$(wpp-info part.wpp | sed -n '/^unreadable/p')"
sed 's/i % 3/i % 5/' new/place/plug.c > build/plug.c
make_library 2
fails_with 3 'a library that was built anew' wpp-compress -f -o part.wpp p.trace
like 'is told' "$(cat err)" 'unreadable: .*/plug2.so has changed since it was traced: its build id is another$'
rm build/lib/*
fails_with 3 'both are gone' wpp-compress -f -o part.wpp p.trace
like 'the others are counted' "$(cat err)" 'plug1.so: No such file or directory \(and 1 other module\)$'
is 'and each is listed, with its events' \
    "$(wpp-info part.wpp 2> /dev/null | sed -n 's/^unreadable *\([0-9]*\) .*\/\(plug.\)\.so.*/\2 \1/p')" \
    "$(for n in 1 2; do echo "plug$n $(grep -c "plug$n\.c" want.events)"; done)"
rm build/prog
cp new/place/lib/plug1.so build/lib
fails_with 3 'the executable is gone, a library is there' wpp-compress -f -o part.wpp p.trace
like 'which can be read' "$(wpp-dump part.wpp 2> /dev/null)" 'EnterRoutine work'
rm build/lib/*
fails_with 1 'nothing is there' wpp-compress -o no.wpp p.trace
absent 'so there is no file' no.wpp

# While it is recorded: told however the recording is to end.
cp new/place/prog build
objcopy --remove-section .wpp new/place/lib/plug1.so build/lib/plug1.so
for option in -q --limit=5 --ring=4k; do
    run wpp-record -q $option -o live.wpp build/prog "$T"/build/lib/plug1.so
    like "wpp-record $option: a library without its table" "$(cat err)" \
        '^wpp-record: prog: the events of a module are unreadable: .*/plug1.so has lost its path table'
done

# A trace that is cut as well.
cp new/place/prog build
cp new/place/lib/plug1.so build/lib
WPP_OUT=fd:3 build/prog "$T"/build/lib/plug1.so 3>&1 | cat > pipe.trace
rm build/lib/plug1.so
head -c -64 pipe.trace > cut.trace
fails_with 3 'a trace that is cut as well' wpp-compress -o cut.wpp cut.trace
like 'both are said' "$(cat err)" 'cut.*; and the events of a module are unreadable: .*plug1.so'
like 'in the WPP, too' "$(wpp-info cut.wpp 2> /dev/null)" "complete +no: cut short.*
unreadable +[0-9]+ events: "
done_testing
