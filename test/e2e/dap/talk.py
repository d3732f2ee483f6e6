# SPDX-License-Identifier: MIT
"""talk.py [--connect=PORT | ARGUMENT...] < CONVERSATION: speaks the Debug Adapter Protocol as an editor does, with a
server that waits at a port of this machine, or with `wpp-step --dap ARGUMENT...`.

Each line of the conversation is a request: its command, and its arguments as JSON.  It is answered by a line:

    ok BODY        the answer, as JSON; nothing else is shown of moves
    no MESSAGE     it was refused
    stopped REASON [in thread T] at FILE:LINE in ROUTINE [(inlined)]; breakpoints N...; DESCRIPTION

Some commands are the client's own: `all` makes all steps into calls to the end of the run, `back` all steps back to
its beginning, and both print the lines; `each COMMAND` moves until nothing stops it, and prints the stack each time;
`stack` prints the frames where it stands, `values FRAME` all that is known of one, `said` the console's new lines.
"""
import json
import socket
import subprocess
import sys

MOVES = {"continue", "reverseContinue", "next", "stepIn", "stepOut", "stepBack", "pause", "goto", "restartFrame",
         "configurationDone", "evaluate"}
QUIET = MOVES - {"evaluate"}


class Editor:
    def __init__(self, source, sink):
        self.seq = 0
        self.source = source
        self.sink = sink
        self.thread = 1
        self.events = []

    def read(self):
        length = None
        while True:
            line = self.source.readline()
            if not line:
                sys.exit("the server has gone")
            if line == b"\r\n":
                break
            name, value = line.decode().split(":")
            if name == "Content-Length":
                length = int(value)
        return json.loads(self.source.read(length))

    def request(self, command, arguments=None):
        """The response; events before it are kept."""
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        text = json.dumps(message).encode()
        self.sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self.sink.flush()
        while True:
            message = self.read()
            if message["type"] == "response":
                assert message["request_seq"] == self.seq and message["command"] == command, message
                return message
            self.events.append(message)

    def event(self, name):
        """The next event of that name; others are kept."""
        i = 0
        while True:
            while i < len(self.events):
                if self.events[i]["event"] == name:
                    return self.events.pop(i)["body"]
                i += 1
            message = self.read()
            assert message["type"] == "event", message
            self.events.append(message)

    def frames(self, **more):
        answer = self.request("stackTrace", {"threadId": self.thread, **more})
        return answer["body"]["stackFrames"]

    def stopped(self):
        stop = self.event("stopped")
        self.thread = stop["threadId"]
        stop["at"] = where(self.frames(levels=1)[0])
        return stop


def where(frame):
    if "source" not in frame:
        return frame["name"]
    return "%s:%d in %s" % (frame["source"]["name"], frame["line"], frame["name"])


def show_stop(stop):
    text = "stopped %s" % stop["reason"]
    if stop["threadId"] != 1:
        text += " in thread %d" % stop["threadId"]
    text += " at " + stop["at"]
    if stop["hitBreakpointIds"]:
        text += "; breakpoints " + " ".join(map(str, stop["hitBreakpointIds"]))
    if "description" in stop:
        text += "; " + stop["description"]
    print(text)


def step_through(editor, command, last):
    """Prints the line of each step until the reason is `last`, or nothing changes."""
    before = None
    while True:
        editor.request(command, {"threadId": editor.thread})
        stop = editor.stopped()
        if stop["reason"] == last or "description" in stop:
            return
        print(stop["at"].split(" ")[0])


def stack(editor):
    for frame in editor.frames():
        print(where(frame))


def each_stop(editor, command):
    while True:
        editor.request(command, {"threadId": editor.thread})
        if "breakpoint" not in editor.stopped()["reason"]:
            return
        print()
        stack(editor)


def converse(editor, lines):
    for line in lines:
        command, _, arguments = line.strip().partition(" ")
        if not command or command.startswith("#"):
            continue
        if command == "all":
            step_through(editor, "stepIn", "end")
        elif command == "back":
            step_through(editor, "stepBack", None)
        elif command == "stack":
            stack(editor)
        elif command == "each":
            each_stop(editor, arguments)
        elif command == "values":
            for scope in editor.request("scopes", {"frameId": int(arguments)})["body"]["scopes"]:
                values = editor.request("variables", {"variablesReference": scope["variablesReference"]})
                for value in values["body"]["variables"]:
                    print("%(name)s: %(value)s" % value)
        elif command == "said":
            # What was said behind the last answer comes before the next one.
            editor.request("threads")
            for event in editor.events:
                if event["event"] == "output":
                    print("%(category)s: %(output)s" % event["body"], end="")
            editor.events = []
        else:
            arguments = json.loads(arguments) if arguments else {}
            if command in MOVES and command not in ("evaluate", "configurationDone"):
                arguments.setdefault("threadId", editor.thread)
            answer = editor.request(command, arguments)
            if not answer["success"]:
                print("no", answer["message"])
                continue
            if command not in QUIET:
                print("ok", json.dumps(answer["body"], sort_keys=True))
            if command in MOVES:
                show_stop(editor.stopped())
        sys.stdout.flush()


def connect():
    """The server's output and input, and the process if it is ours."""
    if sys.argv[1:] and sys.argv[1].startswith("--connect="):
        both = socket.create_connection(("127.0.0.1", int(sys.argv[1].split("=")[1]))).makefile("rwb")
        return both, both, None
    server = subprocess.Popen(["wpp-step", "--dap"] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return server.stdout, server.stdin, server


def main():
    source, sink, server = connect()
    editor = Editor(source, sink)
    converse(editor, sys.stdin)
    answer = editor.request("disconnect", {})
    assert answer["success"]
    rest = source.read()
    if rest or (server and server.wait() != 0):
        sys.exit("the server did not end as it should: %r" % rest)


main()
