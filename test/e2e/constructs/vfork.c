// SPDX-License-Identifier: MIT
// vfork returns twice in one activation: what the child calls has left when the
// parent goes on.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void child(void)
{
    execl("/bin/sh", "sh", "-c", "exit 6", (char *)0);
    _exit(1);
}

NOINLINE static int run(void)
{
    int status;
    pid_t pid = vfork();

    if (pid == 0)
        child();
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    printf("%d\n", run());
    return 0;
}
//= 6
//> main
//>   run
//>     child ^
