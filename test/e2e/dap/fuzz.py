# SPDX-License-Identifier: MIT
"""fuzz.py RUN.wpp SOURCE: random requests, each of which must be answered once; then conversations that are broken at a
random place, after which the server must end by itself, with at most one line of message and no signal."""
import json
import random
import subprocess
import sys

COMMANDS = ["initialize", "launch", "attach", "configurationDone", "setBreakpoints", "setFunctionBreakpoints",
            "setExceptionBreakpoints", "threads", "stackTrace", "scopes", "variables", "loadedSources", "continue",
            "reverseContinue", "next", "stepIn", "stepOut", "stepBack", "pause", "evaluate", "gotoTargets", "goto",
            "restartFrame", "terminate", "source", "", "\u00e9\U0001f600"]
NAMES = ["program", "at", "thread", "stopOnEntry", "stepBack", "sourceMap", "threadId", "frameId", "startFrame", "levels",
         "variablesReference", "source", "line", "breakpoints", "expression", "context", "targetId", "linesStartAt1"]
PLACES = ["sort#2", "run.c:17", "run.c:17#-1", "#2", "-3", "7", "1s", "0.00001s", "swap", "nix", "#", "run.c:", ":7", "/",
          "sort/0#1", "99999999999999999999", "a" * 5000, ""]
HITS = ["3", "% 2", ">= 2", "< 4", "-1", "> 18446744073709551615", "% 0", "x", "=", "%18446744073709551614"]
# Most values are of the kind that the argument wants.
OTHERS = [None, True, -1, 0, 1, 2, 7, 2**31, 2**63 - 1, -2**63, 1.5, "", "x", [], [[]], [None], {}, {"path": 3}]


def value(name, run, source):
    good = {
        "program": [run], "at": PLACES, "thread": [0], "stepBack": ["into", "over"],
        "sourceMap": [{"/": "/tmp"}, {"": ""}, {"/a/../..": "."}], "threadId": [1], "frameId": [1, 2, 3, 4],
        "startFrame": [0, 1], "levels": [0, 1, 20], "variablesReference": list(range(1, 12)),
        "source": [{"path": source}, {"path": "run.c"}, {"path": "../.././run.c/"}, {"path": "/"}, {"path": ""}],
        "line": [8, 17, 28, 1], "expression": PLACES, "context": ["repl"], "targetId": [5, 9, 13],
        "breakpoints": [[{"line": random.choice([8, 15, 17, 28, 2**32 + 8]), "name": random.choice(PLACES),
                          "hitCondition": random.choice(HITS)} for _ in range(random.randint(0, 4))]],
    }
    if random.random() < 0.15 or name not in good:
        return random.choice(OTHERS)
    return random.choice(good[name])


def encode(message):
    text = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(text), text)


def conversation(run, source, n):
    """Requests; the first ones open the run."""
    def request(seq, command, arguments):
        return {"seq": seq, "type": "request", "command": command, "arguments": arguments}
    yield request(1, "launch", {"program": run})
    for seq in range(2, n + 1):
        arguments = {name: value(name, run, source) for name in NAMES if random.random() < 0.8}
        yield request(seq, random.choice(COMMANDS), random.choice(OTHERS) if random.random() < 0.02 else arguments)


def serve(data):
    done = subprocess.run(["wpp-step", "--dap"], input=data, capture_output=True, timeout=100)
    if done.returncode not in (0, 1) or done.stderr.count(b"\n") != done.returncode:
        sys.exit("status %d: %r\nof %r" % (done.returncode, done.stderr, data[-3000:]))
    return done


def messages(data):
    while data:
        header, _, data = data.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1])
        yield json.loads(data[:length])
        data = data[length:]


def answers(run, source, n):
    done = serve(b"".join(map(encode, conversation(run, source, n))))
    seqs = [m["request_seq"] for m in messages(done.stdout) if m["type"] == "response"]
    if done.returncode != 0 or seqs != list(range(1, n + 1)):
        sys.exit("not every request was answered: %r" % done.stderr)
    return sum(m.get("success", False) for m in messages(done.stdout))


def broken(run, source):
    parts = [encode(m) for m in conversation(run, source, random.randint(1, 6))]
    data = bytearray(b"".join(parts))
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(data)) if random.random() < 0.5 else random.randrange(min(len(data), 30))
        kind = random.randrange(4)
        if kind == 0:
            data[at] = random.randrange(256)
        elif kind == 1:
            del data[at:at + random.randint(1, 9)]
        elif kind == 2:
            data[at:at] = bytes(random.choice(b"\0\r\n{}[]\":,019\xff") for _ in range(random.randint(1, 5)))
        else:
            del data[at:]
        if not data:
            break
    return serve(bytes(data)).returncode


def main():
    run, source, n, streams = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    random.seed(4711)
    good = answers(run, source, n)
    refused = sum(broken(run, source) for _ in range(streams))
    # Neither part is worth anything if all of it fails, or none.
    if not n / 4 < good < n or not streams / 3 < refused <= streams:
        sys.exit("%d of %d requests succeeded, %d of %d streams were refused" % (good, n, refused, streams))


main()
