// SPDX-License-Identifier: MIT
// overview.js - what ran, how long, how repetitive, and what is to be known before one believes it.
import { amount, bytes, count, el, link, nameOf, plural, share, table, time, waiting } from './dom.js';
import { at } from './main.js';

const fact = (title, value, note) => el('div.fact', {}, el('dt', {}, title), el('dd', {}, value, note ? el('small', {}, note) : null));

function ended(about) {
    if (about.killed)
        return `killed by signal ${about.killed}`;
    return about.exited ? `exit status ${about.exited - 1}` : 'not known';
}

function notes(run) {
    const all = [...run.notes, ...run.about.damage.map((text) => `The file is damaged: ${text}.`)];

    if (run.about.unread)
        all.push(`${plural(run.about.unread, 'event')} could not be read.`);
    return all.length ? el('div.notes', { role: 'note' }, el('h2', {}, 'To be known'), el('ul', {}, all.map((text) => el('li', {}, text)))) : null;
}

function repetition(about) {
    const times = about.symbols ? about.events / about.symbols : 0;

    return [
        el('h2', {}, 'Repetition'),
        el('p', {}, `${plural(about.events, 'event')} are written as a grammar of ${plural(about.rules, 'rule')} and `
            + `${plural(about.symbols, 'symbol')}: each symbol stands for ${times.toPrecision(3)} events on average. `
            + `The longest rule derives ${plural(about.longestRule, 'event')}, ${share(about.longestRule, about.events)} of the run. `
            + `There are ${plural(about.paths, 'different path')}.`),
    ];
}

function threads(run) {
    const { about } = run;

    return table('Threads', [['thread', 'number'], ['name'], ['events', 'number'], ['events a symbol', 'number'], ['from', 'number'], ['to', 'number']],
        about.threads.map((t, i) => [
            link(i, at(run, 'timeline', { thread: i })), t.name || '\u2013', count(t.events),
            t.symbols ? (t.events / t.symbols).toFixed(1) : '\u2013', t.begin < 0 ? '?' : time(t.begin), t.end < 0 ? '?' : time(t.end),
        ]), { className: 'wide' });
}

export async function overview({ run, section, isCurrent }) {
    const { about } = run;
    const later = el('div', { 'aria-live': 'polite' }, waiting('Adding up what routines cost'));

    section.append(
        el('p.command', {}, el('code', {}, about.command || about.program)),
        el('dl.facts', {},
            fact('started', about.started ? new Date(about.started * 1000).toLocaleString('en-GB') : 'not known', about.host && ` on ${about.host}`),
            fact('took', about.nanoseconds ? time(about.nanoseconds) : 'not known'),
            fact('ended', ended(about)),
            fact('events', amount(about.events), ` ${count(about.events)} paths were executed`),
            fact('instructions', amount(about.instructions), ' by GCC\u2019s estimate'),
            fact('routines', count(about.routines.length), about.instrumented ? ` of ${count(about.instrumented)} that were compiled to record` : null),
            fact('threads', count(about.threads.length)),
            fact('file', bytes(about.fileBytes), about.traceBytes ? ` of a trace of ${bytes(about.traceBytes)}` : null)),
        notes(run) ?? '', ...repetition(about), threads(run), later);
    // Without waiting: it takes longer than the rest.
    run.ask('report', 10).then((answer) => {
        if (!isCurrent())
            return;
        later.replaceChildren(
            table('Where the instructions went', [['inclusive', 'number'], ['self', 'number'], ['calls', 'number'], ['routine'], ['']],
                answer.routines.map((r) => [
                    share(r.inclusive, answer.instructions), share(r.self, answer.instructions), amount(r.calls), nameOf(run, r.name),
                    link('source', at(run, 'source', { file: r.file, line: r.line })),
                ]), { className: 'wide', id: 'top' }),
            el('p', {}, link('All routines and loops', at(run, 'report'))));
    }, (error) => later.replaceChildren(el('p.error', {}, error.message)));
}
