// SPDX-License-Identifier: MIT
// steps.js - one event after the other, forwards and backwards, with the stack.
import { amount, base, button, count, el, failure, link, nameOf, replace, shortName, time, waiting } from './dom.js';
import { at, go, note } from './main.js';
import { excerpts, fileNumber, files } from './source.js';

const AROUND = 6, LONGEST = 160;      // lines of source

const lineText = ([file, line]) => `${base(file)}:${line}`;

// The source of the file in which the path ends, around the lines that it ran.
async function pathSource(run, event) {
    const all = await files(run), last = event.lines.at(-1);
    const number = last ? fileNumber(all, last[0]) : -1;

    if (number < 0)
        return el('p', {}, 'No lines are known.');
    const ran = new Set(event.lines.filter(([file]) => file === last[0]).map(([, line]) => line));

    return [el('h3', {}, link(all[number].file, at(run, 'source', { number, line: [...ran][0] }))), await excerpts(run, all, number, ran, AROUND, LONGEST)];
}

// Runs of lines joined: 3-6 9 4.
function trail(run, lines) {
    const runs = [];

    for (const [file, line, inlined] of lines) {
        const last = runs.at(-1);

        if (last && last.file === file && last.inlined === inlined && line === last.end + 1)
            last.end = line;
        else
            runs.push({ file, begin: line, end: line, inlined });
    }
    return runs.map((r, i) => [i && runs[i - 1].file === r.file ? ' ' : ` ${base(r.file)}:`, r.begin === r.end ? r.begin : `${r.begin}\u2013${r.end}`,
        r.inlined ? el('small', {}, ` (${shortName(run, r.inlined)})`) : null]);
}

function stackTable(run, stack, move) {
    return el('table.wide', { id: 'stack' }, el('caption', {}, `Stack, ${count(stack.depth)} deep, innermost first`),
        el('thead', {}, el('tr', {}, ['routine', 'at', 'since event', 'until', ''].map((h, i) => el(i === 2 || i === 3 ? 'th.number' : 'th', { scope: 'col' }, h)))),
        el('tbody', {}, stack.stack.map((f) => el('tr', {}, el('td', {}, nameOf(run, run.about.routines[f.routine][0])),
            el('td', {}, f.at ? link(lineText(f.at), at(run, 'source', { file: f.at[0], line: f.at[1] })) : ''),
            el('td.number', {}, f.unseen ? 'before' : count(f.first)), el('td.number', {}, count(f.end)),
            el('td', {}, f.unseen ? '' : button('its begin', () => move(f.first), { className: 'quiet' })))),
        stack.depth > stack.stack.length ? el('tr', {}, el('td', { colSpan: 5 }, `and ${count(stack.depth - stack.stack.length)} more`)) : null));
}

// What is looked for: its address's words, and what the module is asked.
const KINDS = { routine: 0, line: 1, path: 2 };
const seek = (run, words) => run.ask('seek', words.file ?? '', KINDS[words.seek], Number(words.number ?? 0), Number(words.line ?? 0));

// Executions are counted a piece of the grammar at a time, so that other questions come between.
const PIECE = 1500000;
async function countAll(run, isCurrent) {
    let answer;

    do
        answer = await run.ask('seekOn', PIECE);
    while (!answer.ready && isCurrent());
    return answer.counts;
}

function sought(run, words) {
    if (words.seek === 'line')
        return `${base(words.file)}:${words.line}`;
    return words.seek === 'routine' ? `calls of ${shortName(run, run.about.routines[words.number]?.[0] ?? '')}` : `path ${count(Number(words.number))}`;
}

export async function steps({ run, words, section, isCurrent }) {
    const thread = Number(words.thread ?? 0), last = (run.about.threads[thread]?.events ?? 0) - 1;
    const kept = { seek: words.seek, number: words.number, file: words.file, line: words.line };
    const head = el('div', { 'aria-live': 'polite', id: 'event', 'aria-atomic': 'true' }), body = el('div.columns');
    const stackPlace = el('div', {}, waiting('Following the calls of the run'));
    let event = null, busy = false, aim = 0, counts = null;
    let stack = null, stackWanted = null, stackAsked = null;      // the last two: numbers of events

    async function askStack() {
        try {
            do {
                const asked = stackWanted;

                stack = { ...await run.ask('stack', thread, asked), event: asked };
            } while (stack.event !== stackWanted);
            if (isCurrent())
                replace(stackPlace, stackTable(run, stack, move));
        } catch (error) {
            replace(stackPlace, failure(error));
        } finally {
            stackAsked = null;
        }
    }
    // The stack of the last event that was shown; one question at a time is under way.
    function showStack(number) {
        stackWanted = number;
        stackAsked ??= askStack();
        return stackAsked;
    }

    async function show(number) {
        const answer = await run.ask('event', thread, number);

        event = answer;
        field.value = answer.event;
        note(at(run, 'steps', { thread, event: answer.event, ...kept }));
        const name = answer.routine === null ? answer.name : run.about.routines[answer.routine][0];
        replace(head, el('p.event', {}, el('strong', {}, `Event ${count(answer.event)}`), ` of ${count(last + 1)} `, nameOf(run, name),
            answer.path === undefined ? '' : ` path ${count(answer.path)}`, trail(run, answer.lines)),
        el('p', {}, [answer.enters ? 'It enters the routine.' : '', answer.leaves ? 'It leaves it.' : '', `${amount(answer.insns)} instructions.`,
            answer.time === undefined ? '' : `About ${time(answer.time)} after the beginning.`].join(' ')));
        const rules = el('p.rules', {}, 'In rules ', answer.rules.length ? answer.rules.map(([rule, first, length]) => [link(count(rule), at(run, 'grammar', { rule }), { title: `${count(length)} events from ${count(first)} on` }), ' ']) : 'none: the start rule alone',
            link('in the timeline', at(run, 'timeline', { thread, from: Math.max(0, answer.event - 50), to: Math.min(last + 1, answer.event + 50), event: answer.event })));
        const text = await pathSource(run, answer);

        if (isCurrent() && event === answer)
            replace(body, el('div', {}, text), el('div', {}, stackPlace, rules));
        showStack(answer.event);
    }
    // One event is shown at a time; of moves that come meanwhile the last one counts.
    async function move(to) {
        if (!(to >= 0 && to <= last))
            return;
        aim = to;
        if (busy)
            return;
        busy = true;
        try {
            while (event?.event !== aim)
                await show(aim);
        } finally {
            busy = false;
        }
    }
    const here = () => (busy ? aim : event.event);
    // To where the innermost activation says.
    async function moveByStack(where) {
        if (stack?.event !== event.event)
            await showStack(event.event);
        if (stack?.event === event.event && stack.stack[0])
            await move(where(stack.stack[0]));
    }
    async function toNext(forwards) {
        const answer = await run.ask('find', thread, forwards ? event.event + 1 : event.event, forwards ? 1 : 0);

        found.textContent = answer.event === null ? `There is no ${forwards ? 'later' : 'earlier'} one.` : `${count(answer.number + 1)}${counts ? ` of ${count(counts[thread])}` : ''}`;
        if (answer.event !== null)
            await move(answer.event);
    }
    const found = el('span', { role: 'status' });
    const field = el('input', { type: 'number', id: 'at', min: 0, max: last, 'aria-label': 'Event', onchange: () => move(Number(field.value)) });
    const tools = el('p.tools', { role: 'toolbar', 'aria-label': 'Steps' },
        run.about.threads.length > 1 ? el('label', {}, 'thread ', el('select', { id: 'thread', onchange(e) { go(at(run, 'steps', { thread: e.target.value, event: 0, ...kept })); } },
            run.about.threads.map((t, i) => el('option', { value: i, selected: i === thread }, `${i} ${t.name}`)))) : null, ' ',
        button('first', () => move(0), { id: 'first' }), button('\u25c0 back', () => move(here() - 1), { id: 'back', title: 'left arrow' }), field,
        button('forward \u25b6', () => move(here() + 1), { id: 'forward', title: 'right arrow' }), button('last', () => move(last), { id: 'last' }), ' ',
        button('to the call', () => moveByStack((top) => top.first - 1), { id: 'call', title: 'c: the last event before this activation' }),
        button('out', () => moveByStack((top) => top.end), { id: 'out', title: 'o: the first event behind this activation' }));
    const finder = el('p.tools', {}, el('label', {}, 'look for ', el('select', { id: 'seek', async onchange(e) {
        const [what, ...rest] = e.target.value.split(' ');
        const line = event.lines.at(-1);

        if (what === 'routine' && event.routine !== null)
            go(at(run, 'steps', { thread, event: event.event, seek: 'routine', number: event.routine }), true);
        else if (what === 'path')
            go(at(run, 'steps', { thread, event: event.event, seek: 'path', number: event.terminal }), true);
        else if (what === 'line' && line)
            go(at(run, 'steps', { thread, event: event.event, seek: 'line', file: line[0], line: line[1] }), true);
        return rest;
    } }, el('option', { value: '' }, words.seek ? sought(run, words) : 'choose\u2026'), el('option', { value: 'routine' }, 'calls of this routine'),
    el('option', { value: 'path' }, 'this path'), el('option', { value: 'line' }, 'this path\u2019s last line'))), ' ');

    section.append(tools, finder, head, body);
    if (last < 0) {
        replace(section, section.firstChild, el('p', {}, 'This thread has no events.'));
        return undefined;
    }
    let start = Math.min(Math.max(0, Number(words.event ?? 0)), last);
    if (words.seek) {
        const { counts: known, firsts } = await seek(run, words);
        finder.append(button('previous', () => toNext(false), { id: 'previous' }), button('next', () => toNext(true), { id: 'next' }), ' ', found);
        const from = words.event === undefined && firsts[thread] !== null ? '1 of ' : '';
        const say = () => { found.textContent = `${from}${count(counts[thread])} in this thread`; };
        counts = known ?? null;
        if (from)
            start = firsts[thread];
        if (counts)
            say();
        countAll(run, isCurrent).then((all) => {
            const early = counts === null && found.textContent === '';

            counts = all ?? counts;
            if (early && counts)
                say();
        });
    }
    await move(start);
    const keys = (e) => {
        const key = { ArrowLeft: 'back', ArrowRight: 'forward', c: 'call', o: 'out', n: 'next', p: 'previous' }[e.key];

        if (!key || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName))
            return;
        document.getElementById(key)?.click();
        e.preventDefault();
    };
    document.addEventListener('keydown', keys);
    return () => document.removeEventListener('keydown', keys);
}
