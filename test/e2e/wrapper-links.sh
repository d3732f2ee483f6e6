#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 15
# wpp-gcc's additions to a link: libraries are found at the same places as with gcc.  A program
# without libc or start files works, or is refused in one line.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
unset LD_RUN_PATH LD_LIBRARY_PATH
export WPP_OUT=none

# ---- Where the loader looks ---------------------------------------------------------------
cat > b.c <<'END_C'
int b(int n);
int b(int n) { return n > 2 ? n : 1; }
END_C
cat > a.c <<'END_C'
int b(int n);
int a(int n);
int a(int n) { return b(n) + b(n + 1); }
END_C
cat > opens.c <<'END_C'
#include <dlfcn.h>
int a(int n);
int a(int n)
{
    void *library = dlopen("libb.so", RTLD_NOW);
    int (*b)(int) = library ? (int (*)(int))dlsym(library, "b") : 0;
    return b ? b(n) + b(n + 1) : -1;
}
END_C
cat > main.c <<'END_C'
#include <stdio.h>
int a(int n);
int main(void) { printf("%d\n", a(3)); return 0; }
END_C

echo 'int b(int); int main(void) { return b(1) - 1; }' > calls.c
linkers=
for linker in bfd gold lld mold; do
    if echo 'int x;' | gcc -shared -fuse-ld=$linker -x c -o x.so - 2> err; then
        linkers="$linkers $linker"
    else
        skip "$linker: not installed"
    fi
done

# paths FILE: the folders that a library names, without ours
paths() {
    readelf -d "$1" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]/\1 \2/p' |
        sed "s|:$BUILD/bin/../lib/wpp\$||; s|^RUNPATH $BUILD/bin/../lib/wpp\$|RUNPATH |; /^RPATH .*lib\/wpp\$/d"
}

for cc in gcc wpp-gcc; do
    for file in a b opens main; do
        $cc -O1 -fPIC -c $file.c -o $file.$cc.o
    done
done
gcc -c calls.c -o calls.o

# Of a line: what the library is linked with, after which variable; `+`: by each linker.  How an
# option is spelt is the same to all of them.
lines() {
    case $1 in
    bfd) sed 's/^+//' ;;
    *)   sed -n 's/^+//p' ;;
    esac << 'END_LINES'
+|
+|-Wl,--enable-new-dtags
+|-Wl,--disable-new-dtags
+|-Wl,-rpath,/x
|-Wl,-rpath=/x -Wl,-rpath,/y
|-Wl,-rpath -Wl,/x -Wl,--disable-new-dtags
|-Xlinker --rpath -Xlinker /x
+|-Wl,--enable-new-dtags,--rpath=/x
|-Wl,-R,/tmp
|-Wl,-R/tmp
|-Wl,-rpath-link,/x
+LD_RUN_PATH=/x|
LD_RUN_PATH=/x|-Wl,-rpath,/y
LD_RUN_PATH=/x|-Wl,--disable-new-dtags
LD_RUN_PATH=|
END_LINES
}
for linker in $linkers; do
    lines $linker > lines
    while IFS='|' read -r variable options; do
        name="$linker${options:+ $options}${variable:+ $variable}"
        for cc in gcc wpp-gcc; do
            env $variable $cc -shared -fuse-ld=$linker b.$cc.o -o $cc.so $options
        done
        is "$name: the same folders" "$(paths wpp-gcc.so)" "$(paths gcc.so)"
        ok "$name: the program begins" sh -c 'gcc calls.o -o calls ./wpp-gcc.so && ./calls'
    done < lines
done

# A program says where its libraries' libraries are (DT_RPATH), or does not (DT_RUNPATH).
for linker in $linkers; do
    for source in a opens; do
        for cc in gcc wpp-gcc; do
            rm -rf private && mkdir private
            needs='-Lprivate -lb'
            [ $source = a ] || needs=
            $cc -shared -fuse-ld=$linker b.$cc.o -o private/libb.so
            $cc -shared -fuse-ld=$linker $source.$cc.o -o private/liba.so $needs
            for tags in --disable-new-dtags --enable-new-dtags; do
                $cc main.$cc.o -o main -fuse-ld=$linker -Lprivate -la -Wl,-rpath-link,private \
                    -Wl,$tags -Wl,-rpath,"$T/private"
                ./main 2>&1 | sed "s/$cc/cc/" > $cc$tags
            done
        done
        for tags in --disable-new-dtags --enable-new-dtags; do
            same "$linker, $tags, $source.c: the same libraries are found" wpp-gcc$tags gcc$tags
        done
    done
done
is 'an executable has none of our folders' "$(readelf -d main | grep -c lib/wpp)" 0
ok 'flags of wpp-config, without an rpath' gcc -shared b.c -fPIC -o b.so $(wpp-config --shared-libs)
is 'no DT_RUNPATH' "$(readelf -d b.so | grep -o -E '\((RPATH|RUNPATH)\)')" '(RPATH)'
ok 'and with one' gcc -shared b.c -fPIC -o b.so -Wl,-rpath,/x $(wpp-config --shared-libs-rpath)
is "the linker's kind stays" "$(readelf -d b.so | sed -n 's/.*(\(.*PATH\)).*\[\/x:.*/\1/p')" RUNPATH

# ---- Without libc, without start files -------------------------------------------------------
cat > bare.c <<'END_C'
static long call(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
static void end(int status) { for (;;) call(231, status, 0, 0); }
__attribute__((noinline)) static int odd(int n) { return n & 1 ? n + 2 : n; }
void _start(void);
void _start(void)
{
    char bytes[] = "hi\n";
    call(1, 1, (long)bytes, odd(1));
    end(0);
}
END_C
sed 's/_start/begin/; s/_start/begin/' bare.c > unused.c
cat > loads.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *library = dlopen("./lib.so", RTLD_NOW);
    puts(library ? "loaded" : dlerror());
    return !library;
}
END_C
gcc loads.c -o loads
while IFS='|' read -r options how; do
    rm -f bare
    run wpp-gcc -O1 $options bare.c -o bare
    is "$options: links" "$status" 0
    is "$options: and runs" "$(./bare)" hi
    case $how in
    recorded)
        is "$options: nothing is said" "$(cat err)" ''
        ok "$options: is recorded" wpp-record -o bare.wpp ./bare
        like "$options: with its paths" "$(wpp-dump bare.wpp)" 'EnterRoutine odd' ;;
    plain)
        like "$options: one line says that it is not recorded" "$(cat err)" \
            '^wpp-gcc: a program without (the C library|start files) cannot record; compiled without the plugin$'
        is "$options: one" "$(wc -l < err)" 1 ;;
    esac
done << 'END_LINES'
-nostartfiles|recorded
-nostartfiles -no-pie|recorded
-nostdlib -lc|recorded
-nostdlib|plain
-nostdlib -static|plain
-nostdlib -static-pie -fPIE|plain
-nostdlib -lgcc|plain
-nostartfiles -nodefaultlibs|plain
-nostartfiles -nolibc|plain
-nostartfiles -static|plain
-ffreestanding -nostdlib -flto|plain
END_LINES
wpp-gcc -O1 -c bare.c -o bare.o
fails_with 1 'an object that records, without libc' wpp-gcc -nostdlib bare.o -o bare
like 'it is named' "$(cat err)" '^wpp-gcc: bare.o records, .* the C library; compile it without wpp-gcc$'
ar rc libbare.a bare.o
fails_with 1 'in an archive, too' wpp-gcc -nostdlib libbare.a -o bare
wpp-gcc -flto -O1 -c bare.c -o late.o
ok 'an object that is compiled late' wpp-gcc -flto -nostdlib late.o -o bare
is 'is compiled without the plugin' "$(./bare; cat err)" \
    "hi
wpp-gcc: a program without the C library cannot record; compiled without the plugin"
gcc -O1 -c bare.c -o plain.o
ok 'an object that does not record' wpp-gcc -nostdlib plain.o -o bare
is 'needs no word' "$(./bare; cat err)" hi
wpp-gcc -O1 -shared -fPIC b.c -o libb.so
sed 's/odd(1)/odd(1) + 0 * b(1)/; 1i int b(int n);' bare.c > with-library.c
gcc -O1 -c with-library.c -o with-library.o
ok 'a library that records, without libc' wpp-gcc -nostdlib with-library.o libb.so -Wl,-rpath,"$T" -o bare
is 'brings its runtime' "$(./bare)" hi
for options in -r '-no-pie -nostdlib -Wl,-r'; do
    ok "$options: links" wpp-gcc $options bare.o -o part.o
    ok "$options: nothing is added" wpp-gcc -nostartfiles part.o -o bare
done
# Its own start files, as a C library of another kind is linked.
start=$(for file in crt1.o crti.o crtbegin.o; do gcc -print-file-name=$file; done)
end=$(for file in crtend.o crtn.o; do gcc -print-file-name=$file; done)
echo 'int main(void) { return 0; }' > empty.c
for how in -static -no-pie; do
    ok "start files by name, $how" \
        wpp-gcc -O1 -nostdlib $how $start empty.c -lgcc -lgcc_eh -lc -lgcc -lgcc_eh $end -o named
    ok 'are recorded' wpp-record -o named.wpp ./named
    like 'with main' "$(wpp-dump named.wpp)" 'EnterRoutine main'
done
for options in -nostdlib -nodefaultlibs -nolibc -nostartfiles '-nostdlib -lc' '-nostdlib -Wl,-z,defs'; do
    rm -f lib.so
    ok "a library with $options" wpp-gcc -O1 -shared -fPIC $options b.c -o lib.so
    is 'is loaded by a program that is not traced' "$(./loads)" loaded
done
echo 'int main() { return 0; }' > empty.cc
if g++ -nostdlib++ -c empty.cc -o empty.o 2> err; then
    ok '-nostdlib++' wpp-g++ -nostdlib++ empty.cc -o empty
    ok 'is recorded' wpp-record -o empty.wpp ./empty
else
    skip 'this GCC has no -nostdlib++'
fi
# The linker warns of libc's routines that need shared libraries, dlopen() among them.
echo 'int main(void) { return 0; }' > quiet.c
for option in -static -static-pie -pie -no-pie; do
    run "$WPP_GCC" $option -Wl,--fatal-warnings quiet.c -o quiet
    is "$option: the linker has nothing to say" "$status $(cat "$T/err")" '0 '
done
# ---- A need that link-time optimisation removes -----------------------------------------------
# libstdc++ is linked for the personality alone, and dropped when nothing can throw any more.
cat > gone.cc <<'END_C'
struct guard { int *p; guard(int *q) : p(q) {} ~guard() { *p = 0; } };
struct door {
    bool open;
    ~door() noexcept(false) { if (open) throw 1; }
    void shut() { if (!open) throw 2; open = false; }
};
struct guest {
    door *at;
    ~guest() { at->shut(); }
};
int main()
{
    door d = {true};
    try { guest g = {&d}; } catch (...) { return 1; }
    return 0;
}
END_C
for mode in trace calls-cut paths edges; do
    ok "$mode: a program that needs no personality any more" \
        wpp-g++ -O2 -flto -fplugin-arg-wpp-mode=$mode gone.cc -o gone
    ok "$mode: runs" ./gone
done
done_testing
