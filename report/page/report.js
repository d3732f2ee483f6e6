// SPDX-License-Identifier: MIT
// report.js - tables of routines and loops, sorted and filtered.
import { amount, bar, base, count, el, link, nameOf, replace, share, waiting } from './dom.js';
import { at } from './main.js';

const MOST = 1000;            // rows of a table

const place = (run, r, line) => (r.file ? link(`${base(r.file)}:${line ?? '?'}`, at(run, 'source', { file: r.file, line })) : '');

const barred = (part, whole) => [bar(part, whole), el('span.share', {}, share(part, whole))];

// A table whose headings sort.  columns: [heading, value of a row, cell of a row, is it a number].
function sortable(caption, id, columns, rows, first, links) {
    const body = el('tbody');
    let by = first, down = true, shown = '';

    const draw = () => {
        const [, value, , numeric] = columns[by];
        const order = [...rows].sort((a, b) => (numeric ? value(b) - value(a) : String(value(a)).localeCompare(String(value(b)), 'en')));

        if (!down)
            order.reverse();
        replace(body, order.filter((r) => r.name.toLowerCase().includes(shown)).map((r) =>
            el('tr', {}, columns.map(([, , cell, number]) => el(number ? 'td.number' : cell === links ? 'td.links' : 'td', {}, cell(r))))));
        heads.forEach((head, i) => head.setAttribute('aria-sort', i !== by ? 'none' : down === Boolean(columns[i][3]) ? 'descending' : 'ascending'));
    };
    const heads = columns.map(([heading, , , numeric], i) => el(numeric ? 'th.number' : 'th', { scope: 'col' },
        el('button.sort', { type: 'button', onclick() { down = by === i ? !down : true; by = i; draw(); } }, heading)));
    const filter = el('input', { type: 'search', placeholder: 'filter by name', 'aria-label': `Filter ${caption.toLowerCase()}`,
        oninput() { shown = filter.value.toLowerCase(); draw(); } });

    draw();
    return [el('h2', {}, caption), el('p.tools', {}, filter, rows.length === MOST ? ` the ${count(MOST)} dearest` : ` ${count(rows.length)} rows`),
        el('div.across', {}, el('table.wide', { id }, el('caption.hidden', {}, caption), el('thead', {}, el('tr', {}, heads)), body))];
}

// What the view asks.
export const REPORT = ['report', MOST];

export async function report({ run, section, isCurrent }) {
    const wait = waiting('Adding up what routines cost');
    section.append(wait);
    const answer = await run.ask(...REPORT), all = answer.instructions;
    if (!isCurrent())
        return;
    const number = new Map(run.about.routines.map((r, i) => [`${r[0]}\n${r[1]}`, i]));
    const links = (r) => {
        const i = number.get(`${r.name}\n${r.file}`);

        return i === undefined ? '' : [link('callers', at(run, 'calls', { kind: 2, routine: i })), ' ', link('callees', at(run, 'calls', { kind: 1, routine: i })),
            ' ', link('first call', at(run, 'steps', { seek: 'routine', number: i }))];
    };

    wait.replaceWith(el('p', {}, `${amount(all)} instructions by GCC\u2019s estimate. Inclusive is with what was called; `
        + 'a routine that calls itself counts once.'));
    section.append(
        ...sortable('Routines', 'routines', [
            ['inclusive', (r) => r.inclusive, (r) => barred(r.inclusive, all), true],
            ['self', (r) => r.self, (r) => share(r.self, all), true],
            ['calls', (r) => r.calls, (r) => amount(r.calls), true],
            ['routine', (r) => r.name, (r) => [nameOf(run, r.name), r.kind === 'inlined' ? el('small', {}, ' inlined') : null], false],
            ['where', (r) => r.file, (r) => place(run, r, r.line), false],
            ['', () => 0, links, false],
        ], answer.routines, 0, links),
        ...sortable('Loops', 'loops', [
            ['inclusive', (r) => r.inclusive, (r) => barred(r.inclusive, all), true],
            ['self', (r) => r.self, (r) => share(r.self, all), true],
            ['entered', (r) => r.entered, (r) => amount(r.entered), true],
            ['iterations', (r) => r.iterations, (r) => amount(r.iterations), true],
            ['a time', (r) => r.iterations / Math.max(1, r.entered), (r) => (r.iterations / Math.max(1, r.entered)).toFixed(1), true],
            ['in', (r) => r.name, (r) => nameOf(run, r.name), false],
            ['lines', (r) => r.file, (r) => [place(run, r, r.first_line), r.last_line && r.last_line !== r.first_line ? `\u2013${r.last_line}` : ''], false],
        ], answer.loops, 0));
}
