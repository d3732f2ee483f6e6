/* SPDX-License-Identifier: MIT */
/* dap-port.c - an editor that connects to a port. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/step/dap-server.h"

/* A socket that waits at the loopback address; -1: errno says why. */
static int listen_at(uint16_t port, unsigned *got)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port),
                            .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof a;
    int yes = 1, s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), why;

    if (s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0
        && bind(s, (struct sockaddr *)&a, sizeof a) == 0 && listen(s, 1) == 0
        && getsockname(s, (struct sockaddr *)&a, &size) == 0) {
        *got = ntohs(a.sin_port);
        return s;
    }
    why = errno;
    if (s >= 0)
        close(s);
    errno = why;
    return -1;
}

int dap_wait_for_editor(uint16_t port, void (*say)(unsigned port), struct wpp_error *error)
{
    unsigned got;
    int s, connection;

    s = listen_at(port, &got);
    if (s < 0) {
        wpp_fail_errno(error, "port %u", port);
        return -1;
    }
    say(got);
    do
        connection = accept4(s, NULL, NULL, SOCK_CLOEXEC);
    while (connection < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (connection < 0)
        wpp_fail_errno(error, "port %u", got);
    close(s);
    return connection;
}
