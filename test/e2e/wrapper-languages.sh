#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 25
# wpp-gcc and wpp-g++ by the language of a file: they make precompiled headers and header units
# in every spelling that gcc knows, and other front ends than C's get no option that they do not
# know.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
export WPP_OUT=none

mkdir files
cat > files/a.hh <<'END_C'
#ifndef A
#define A
inline int f(int x) { return x > 2 ? x : 1; }
#endif
END_C
for name in a.h a.inl a.tcc a.hp a.h++ a.HPP a.hpp a.hxx a.H; do
    cp files/a.hh files/$name
done
printf '#include "a.hh"\nint main() { return f(1) - 1; }\n' > files/main.cc

# made CC ARG...: the status, and which files there are afterwards
made() {
    rm -rf work && cp -r files work
    (cd work && timeout 100 "$@" < main.cc > ../said 2>&1
     echo "status $?"; find . -type f | sort | sed 's/gcm.cache.*\//gcm.cache:/')
}
while read -r options; do
    is "$options: as g++" "$(made wpp-g++ $options)" "$(made g++ $options)"
done << 'END_LINES'
-x c++-header a.inl
-xc++-header a.inl
-xc++-header a.inl -o out.gch
--language=c++-header a.inl
--language c++-header a.inl
-x c++-header a.inl -x none a.hh
-x c++-header a.inl a.hh -c
-x c++-header a.inl -x none main.cc
-x c++-header -
a.h
a.hh
a.H
a.tcc
a.hp
a.h++
a.hpp
a.HPP
a.hxx
a.hh main.cc
-x c++ a.hh
-x c++ a.hh -c
-x c++ -c a.hh -x none main.cc
-x c++ main.cc
-x c++ -
-x c++ main.cc -x none
-x c++ main.cc -Wl,--exclude-libs,ALL
-xc++ main.cc -nodefaultlibs -lstdc++ -lm -lc -lgcc_s -lgcc
-include a.hh main.cc
-fmodule-header a.hh
-fmodules-ts -fmodule-header=user a.hh
-fmodules-ts -x c++-header a.hh
-fmodules-ts -x c++-user-header ./a.hh
-fmodules-ts -xc++-system-header cstddef
-fmodules-ts -c -x c++ main.cc
-fmodules-ts -fmodule-only -x c++ main.cc
END_LINES
is 'a C header: as gcc' "$(made wpp-gcc -x c-header a.inl)" "$(made gcc -x c-header a.inl)"
made wpp-g++ a.hh main.cc > files.made
for cc in g++ wpp-g++; do
    is "a header made beside a program is read by $cc" \
        "$(cd work && $cc -Winvalid-pch -H -c main.cc -o x.o 2>&1 | head -n 1)" '! a.hh.gch'
done
made wpp-g++ -x c++ main.cc > files.made
ok 'a program by -x c++ is recorded' wpp-record -o main.wpp work/a.out
like 'with its routine' "$(wpp-dump main.wpp)" 'EnterRoutine main'

# ---- Other languages --------------------------------------------------------------------------
cat > control.c <<'END_C'
#include <wpp/control.h>
int main(void) { wpp_stop(); wpp_start(); return 0; }
END_C
cp control.c control.cc
cat > prog.f90 <<'END_F'
program prog
  integer :: i, s
  s = 0
  do i = 1, 10
    if (mod(i, 2) == 0) s = s + i
  end do
  print '(i0)', s
end program
END_F
cp prog.f90 upper.F90
cat > prog.d <<'END_D'
import core.stdc.stdio;
int even(int n) { return n & 1 ? 0 : n; }
extern (C) int main() { int s; for (int i = 0; i <= 10; i++) s += even(i); printf("%d\n", s); return 0; }
END_D
cat > prog.adb <<'END_A'
with Ada.Text_IO;
procedure Prog is
   S : Integer := 0;
begin
   for I in 1 .. 10 loop
      if I mod 2 = 0 then S := S + I; end if;
   end loop;
   Ada.Text_IO.Put_Line (Integer'Image (S) (2 .. 3));
end Prog;
END_A
for file in control.c control.cc; do
    is "$file: the flags find the header" "$(gcc $(wpp-config --cflags) -c $file -o control.o 2>&1)" ''
    is "$file: also to preprocess" "$(wpp-gcc -E $file 2>&1 | grep -c 'void wpp_stop')" 1
done
while read -r compiler file how; do
    command -v $compiler > /dev/null || { skip "$compiler is not installed"; continue; }
    is "$file: nothing is said of the flags" "$($compiler $(wpp-config --cflags) -c $file -o prog.o 2>&1)" ''
    is "$file: nor with wpp-gcc" "$(WPP_CC=$compiler wpp-gcc -O1 -c $file -o prog.o 2>&1)" ''
    is "$file: nor with $how" "$(WPP_CC=$compiler wpp-gcc $how $file 2>&1 > prog.x)" ''
    [ $compiler != gnatgcc ] || continue
    ok "$file: links" env WPP_CC=$compiler wpp-gcc prog.o -o prog
    is "$file: is recorded" "$(wpp-record -o prog.wpp ./prog)" 30
done << 'END_LINES'
gfortran prog.f90 -fsyntax-only
gfortran upper.F90 -E
gdc prog.d -M
gnatgcc prog.adb -S
END_LINES
if command -v gnatmake > /dev/null && [ -x "$(gcc -print-prog-name=gnat1)" ]; then
    ok 'Ada by gnatmake' gnatmake -q --GCC=wpp-gcc --GNATLINK='gnatlink --GCC=wpp-gcc' prog.adb
    is 'is recorded' "$(wpp-record -o prog.wpp ./prog)" 30
else
    skip 'there is no gnatmake for this gcc'
fi
done_testing
