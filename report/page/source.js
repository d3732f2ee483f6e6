// SPDX-License-Identifier: MIT
// source.js - source coloured by what its lines cost, or by whether they were executed.
import { amount, count, el, link, replace, share, table } from './dom.js';
import { at, go } from './main.js';

const PAGE = 400;             // lines at once

const lists = new WeakMap();
// The files of a run, asked for once.
export function files(run) {
    if (!lists.has(run))
        lists.set(run, run.ask('files').then((answer) => answer.files));
    return lists.get(run);
}

// Which file is meant: in full, or by the last parts of its path.
export function fileNumber(all, name) {
    const exact = all.findIndex((f) => f.file === name);

    return exact >= 0 ? exact : all.findIndex((f) => f.file.endsWith(`/${name}`) || name.endsWith(`/${f.file}`));
}

// Of lines that ran, in the order in which they first did: the parts of the file around them, [first, last], not
// more than `most` lines, the first ones that ran before others.
function partsAround(ran, around, most) {
    const order = new Map([...ran].map((line, i) => [line, i])), parts = [];

    for (const line of [...ran].sort((a, b) => a - b)) {
        const part = parts.at(-1);

        if (part && line - around <= part.last + 1)
            part.last = line + around, part.when = Math.min(part.when, order.get(line));
        else
            parts.push({ first: Math.max(1, line - around), last: line + around, when: order.get(line) });
    }
    let room = most;
    const shown = parts.sort((a, b) => a.when - b.when).filter((part) => {
        part.last = Math.min(part.last, part.first + Math.max(0, room) - 1);
        room -= part.last - part.first + 1;
        return part.last >= part.first;
    });
    return shown.sort((a, b) => a.first - b.first);
}

// The source around lines that ran (a set, in their order).
export async function excerpts(run, all, number, ran, around, most) {
    const lines = [];

    for (const { first, last } of partsAround(ran, around, most))
        lines.push(...(await run.ask('lines', number, first, last)).lines);
    return sourceLines(run, all[number], lines, { marked: ran });
}

// What is left out between two lines.
function gap(from, to, columns) {
    return to > from ? el('tr.gap', {}, el('td', { colSpan: columns }, el('span.hidden', {}, `lines ${from} to ${to - 1} are not shown`), el('span', { 'aria-hidden': 'true' }, '\u22ee'))) : null;
}

// Lines as a table.  marked: a set of lines that ran; most: what the dearest line cost; by: cost, coverage.
export function sourceLines(run, file, lines, { marked, most, by, pick, target } = {}) {
    return el('table.source', { 'data-by': by ?? 'none' }, el('caption.hidden', {}, file.file),
        el('thead', {}, el('tr', {}, el('th.number', { scope: 'col' }, 'executions'), marked || !most ? null : el('th.number', { scope: 'col' }, 'cost'),
            el('th.number', { scope: 'col' }, 'line'), el('th', { scope: 'col' }, 'text'))),
        el('tbody', {}, lines.map(([line, text, executions, insns], i) => {
            const known = executions !== undefined, ran = executions > 0;
            const row = el('tr', {
                className: [marked?.has(line) && 'marked', known && (ran ? 'ran' : 'missed'), line === target && 'target'].filter(Boolean).join(' '),
                id: target !== undefined ? `L${line}` : null,
            }, el('td.number', {}, known ? amount(executions) : ''),
            marked || !most ? null : el('td.number', {}, known && insns ? share(insns, most.total) : ''),
            el('td.number.line', {}, pick && known ? el('button.sort', { type: 'button', title: 'where it was executed', onclick() { pick(line); } }, line) : line),
            el('td.text', {}, el('code', {}, marked?.has(line) ? el('span.hidden', {}, 'executed: ') : null, text || ' ')));

            if (most && known && insns)
                row.style.setProperty('--heat', Math.sqrt(insns / most.line).toFixed(3));
            return [i ? gap(lines[i - 1][0] + 1, line, marked || !most ? 3 : 4) : null, row];
        })));
}

function fileTable(run, all) {
    const total = all.reduce((sum, f) => sum + f.insns, 0);

    return table('Files of routines that were executed', [['cost', 'number'], ['lines executed', 'number'], ['file'], ['']],
        all.map((f, i) => [f, i]).sort(([a], [b]) => b.insns - a.insns).map(([f, i]) => [
            share(f.insns, total), `${count(f.executed)} of ${count(f.lines)} (${share(f.executed, f.lines)})`,
            link(f.file, at(run, 'source', { number: i })), `${f.text ? '' : 'no text'}${f.changed ? 'changed since it was compiled' : ''}`,
        ]), { className: 'wide', id: 'files' });
}

async function showFile(run, all, number, words, section, isCurrent) {
    const file = all[number], total = all.reduce((sum, f) => sum + f.insns, 0);
    const line = Number(words.line ?? 1), by = words.by ?? 'cost';
    const first = Math.max(1, Number(words.first ?? line - 60)), last = Math.min(file.last, first + PAGE - 1);
    const here = (more) => at(run, 'source', { number, line: words.line, by, ...more });
    const { lines } = await run.ask('lines', number, first, last);
    if (!isCurrent())
        return;
    const most = { total, line: Math.max(1, ...lines.map((l) => l[3] ?? 0)) };
    const pick = (which) => go(at(run, 'steps', { seek: 'line', file: file.file, line: which }));
    const turn = (title, to) => link(title, here({ first: to }), to === null ? { hidden: true } : {});

    section.append(
        el('h2', {}, file.file),
        file.changed ? el('p.error', {}, 'This file has changed since it was compiled: lines may be wrong.') : '',
        file.text ? '' : el('p', {}, 'The text of this file is not in the page.'),
        el('p.tools', {}, link('all files', at(run, 'source')), ' ',
            el('label', {}, 'colour by ', el('select', { id: 'by', onchange(event) { go(here({ first: words.first, by: event.target.value }), true); } },
                el('option', { value: 'cost', selected: by === 'cost' }, 'cost'), el('option', { value: 'coverage', selected: by === 'coverage' }, 'coverage'))), ' ',
            el('label', {}, 'line ', el('input', { type: 'number', min: 1, max: file.last, value: words.line ?? '', id: 'line',
                onchange(event) { go(at(run, 'source', { number, by, line: event.target.value })); } })), ' ',
            `lines ${count(first)} to ${count(last)} of ${count(file.last)} `,
            turn('earlier', first > 1 ? Math.max(1, first - PAGE) : null), ' ', turn('later', last < file.last ? last + 1 : null)),
        sourceLines(run, file, lines, { most, by, pick, target: line }),
        el('p.legend', {}, 'Executions of a line are those of its block that ran most often. A line that shows 0 has code and was not executed; '
            + 'one without a number has no code, or its routine never ran. A line\u2019s number leads to its executions.'));
    section.querySelector('tr.target')?.scrollIntoView({ block: 'center' });
}

export async function source({ run, words, section, isCurrent }) {
    const all = await files(run);
    if (!isCurrent())
        return;
    const number = words.number !== undefined ? Number(words.number) : words.file ? fileNumber(all, words.file) : -1;

    if (all[number])
        await showFile(run, all, number, words, section, isCurrent);
    else
        replace(section, section.firstChild, words.file ? el('p.error', {}, `No executed routine has lines of ${words.file}.`) : null, fileTable(run, all));
}

