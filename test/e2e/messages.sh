#!/bin/bash
# SPDX-License-Identifier: MIT
# Messages that help the user to go on: the right word for a misspelt one, a folder, the written
# file.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
printf '#include <pthread.h>\nstatic void *run(void *p) { return p; }\nint main(void)\n{\n    pthread_t t;\n
    pthread_create(&t, 0, run, 0);\n    return pthread_join(t, 0);\n}\n' > prog.c
"$WPP_GCC" -g -pthread prog.c -o prog || exit 1

# said WANT COMMAND...: the one line on standard error.
said() {
    local want=$1

    shift
    run "$@"
    is "$*" "$(cat err)" "$want"
}
said 'wpp-record: 4 events in prog.wpp' wpp-record ./prog
said '' wpp-record -q -o other.wpp ./prog
said 'wpp-dump: there is no option `--lnies`; did you mean `--lines`? (wpp-dump --help explains)' wpp-dump --lnies prog.wpp
said 'wpp-hot: there is no option `--min-csot`; did you mean `--min-cost`? (wpp-hot --help explains)' wpp-hot --min-csot=3 prog.wpp
said 'wpp-info: there is no option `--qwertz` (wpp-info --help explains)' wpp-info --qwertz prog.wpp
said 'wpp: `recrod` is no command; did you mean `record`? (wpp --help explains)' wpp recrod ./prog
said 'wpp: `zzz` is no command (wpp --help explains)' wpp zzz
said 'wpp-gcc: cannot run `nogcc`: No such file or directory' env WPP_CC=nogcc wpp-gcc prog.c

mkdir folder empty && cp prog.wpp folder
for tool in wpp-info wpp-dump wpp-check wpp-hot wpp-report wpp-dot; do
    said "$tool: folder is a folder with 1 recording: name one, as folder/prog.wpp" $tool folder
done
said 'wpp-info: empty is a folder without a recording (*.wpp)' wpp-info empty

# Dumps of two runs that did the same are the same.
is 'two dumps' "$(diff <(wpp-dump prog.wpp) <(wpp-dump other.wpp))" ''
is 'threads by their index' "$(wpp-dump prog.wpp | grep EnterThread | cut -d ' ' -f 1-2 | tr '\n' ' ')" 'EnterThread 0 EnterThread 1 '
done_testing
