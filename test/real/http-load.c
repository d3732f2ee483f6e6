/* SPDX-License-Identifier: MIT */
/* http-load PORT CONNECTIONS SECONDS PATH SIZE: asks a server on this machine for PATH over
 * so many connections at once, for so long, and checks every answer: status 200, SIZE bytes
 * of body, and nothing else.  Prints the number of answers; fails at the first wrong one. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 256, HEAD = 4096 };

struct connection {
    char head[HEAD + 1];
    size_t got;                 /* of the head, or with it of the body */
    size_t whole;               /* of head and body, 0: the head is not whole */
};

static struct connection connections[MOST];
static struct pollfd polls[MOST];
static char request[HEAD];
static size_t size;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "http-load: %s: %s\n", what, errno ? strerror(errno) : "not as it should be");
    exit(1);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void ask(int i)
{
    connections[i].got = connections[i].whole = 0;
    if (write(polls[i].fd, request, strlen(request)) != (ssize_t)strlen(request))
        die("a request");
}

static void begin(int i, int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

    polls[i].fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    polls[i].events = POLLIN;
    if (polls[i].fd < 0 || connect(polls[i].fd, (struct sockaddr *)&at, sizeof at) != 0)
        die("a connection");
}

/* The head is whole: how much follows. */
static void read_head(struct connection *c)
{
    const char *end, *length;

    c->head[c->got < HEAD ? c->got : HEAD] = '\0';
    end = strstr(c->head, "\r\n\r\n");
    if (!end && c->got < HEAD)
        return;
    errno = 0;
    if (!end || strncmp(c->head, "HTTP/1.1 200 ", 13) != 0)
        die("an answer's head");
    length = strstr(c->head, "\r\nContent-Length: ");
    if (!length || strtoul(length + 18, NULL, 10) != size)
        die("an answer's length");
    c->whole = (size_t)(end + 4 - c->head) + size;
}

/* Whether the answer is whole now. */
static int take(int i)
{
    static char body[1 << 16];
    struct connection *c = &connections[i];
    ssize_t n = c->whole ? read(polls[i].fd, body, sizeof body)
                         : read(polls[i].fd, c->head + c->got, HEAD - c->got);

    if (n <= 0)
        die("an answer");
    c->got += (size_t)n;
    if (!c->whole)
        read_head(c);
    errno = 0;
    if (c->whole && c->got > c->whole)
        die("what follows an answer");
    return c->whole && c->got == c->whole;
}

int main(int argc, char **argv)
{
    int n = argc == 6 ? atoi(argv[2]) : 0;
    unsigned long answers = 0;
    double end;

    if (n < 1 || n > MOST) {
        fputs("usage: http-load PORT CONNECTIONS SECONDS PATH SIZE\n", stderr);
        return 2;
    }
    size = strtoul(argv[5], NULL, 10);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", argv[4]);
    for (int i = 0; i < n; i++) {
        begin(i, atoi(argv[1]));
        ask(i);
    }
    end = seconds() + atof(argv[3]);
    while (seconds() < end) {
        if (poll(polls, (nfds_t)n, 10000) <= 0)
            die("ten seconds without an answer");
        for (int i = 0; i < n; i++) {
            if (!polls[i].revents || !take(i))
                continue;
            answers++;
            ask(i);
        }
    }
    printf("%lu\n", answers);
    return 0;
}
