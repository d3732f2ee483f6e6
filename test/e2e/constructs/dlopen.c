// SPDX-License-Identifier: MIT
// A traced library that is loaded, called, unloaded, and loaded again: each time
// with constructor and destructor, each time with tokens of its own.
//+ -ldl
//- -static
#include <dlfcn.h>
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

int back(int n)
{
    return n + 1;
}

NOINLINE static int use(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);
    int (*call)(int (*)(int), int);

    if (!library) {
        fputs(dlerror(), stdout);
        return 0;
    }
    call = (int (*)(int (*)(int), int))dlsym(library, "call");
    int n = call(back, 3);
    dlclose(library);
    return n;
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        printf("%d\n", use("./dlopen.lib.so"));
    return 0;
}
//= begin end 8
//= begin end 8
//> main
//>   use
//>     begin
//>     call
//>       back
//>     end
//>   use
//>     begin
//>     call
//>       back
//>     end
