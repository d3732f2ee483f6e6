// SPDX-License-Identifier: MIT
// What an event finds in %r11 is a guess: here a cursor of before, one of a chunk of another
// thread's, nothing, and places that cannot be read.
//+ -pthread
//= 4950 12
//> thread
//> main
//>   turn
//>     leaf
//>     leaf
//>     leaf
//>     leaf
//>   turn
//>     leaf
//>     leaf
//>     leaf
//>     leaf
//>   leaf
//>   leaf
//>   leaf
//> thread
//> other
//>   leaf
#include <pthread.h>
#include <stdio.h>

static unsigned long old, foreign;
static long sum, calls;

#define SET(value)  asm volatile("mov %0, %%r11" : : "r"((unsigned long)(value)) : "r11")
#define GET(into)   asm volatile("mov %%r11, %0" : "=r"(into))

__attribute__((noinline, noclone)) void leaf(long n)
{
    calls++;
    sum += n;
}

__attribute__((noinline, noclone)) void turn(long n)
{
    leaf(n);
    GET(old);
    leaf(n);
    SET(old);
    leaf(n);
    SET(0);
    leaf(n);
    SET(8);
}

static void *other(void *unused)
{
    leaf(4950 - 8);
    GET(foreign);
    return unused;
}

int main(void)
{
    pthread_t thread;

    turn(1);
    SET(old);
    turn(1);
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    SET(foreign);
    leaf(0);
    SET(&sum);
    leaf(0);
    SET(-1UL);
    leaf(0);
    printf("%ld %ld\n", sum, calls);
    return 0;
}
