// SPDX-License-Identifier: MIT
// What runs before main and after it: constructors and destructors with and
// without priority, atexit handlers, each an outermost activation.
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void say(const char *what) { printf("%s ", what); }
__attribute__((constructor(200))) static void second(void) { say("second"); }
__attribute__((constructor(150))) static void first(void) { say("first"); }
__attribute__((constructor)) static void third(void) { say("third"); }
__attribute__((destructor)) static void early(void) { say("early"); }
__attribute__((destructor(150))) static void late(void) { puts("late"); }
static void handler(void) { say("handler"); }

int main(void)
{
    atexit(handler);
    say("main");
    return 0;
}
//= first second third main handler early late
//> first
//>   say
//> second
//>   say
//> third
//>   say
//> main
//>   say
//> handler
//>   say
//> early
//>   say
//> late
//: -O2 -O3 -Os
//> first
//> say
//> second
//> say
//> third
//> say
//> main
//>   say
//> handler
//> say
//> early
//> say
//> late
