// SPDX-License-Identifier: MIT
// compare.js - two runs: where they part, and what one executed more often.
import { amount, base, count, el, link, nameOf, plural, shortName, table, waiting } from './dom.js';
import { ask } from './client.js';
import { at, go } from './main.js';

const BY = ['path', 'line', 'routine'];
const key = (run, k) => (k.word ? k.word : `${shortName(run, k.name)} ${base(k.file)}:${k.line}${k.path === undefined ? '' : ` path ${count(k.path)}`}`);

function stackList(run, side, common) {
    return el('ol.stack', {}, [...side.stack].reverse().map((f, i) => el('li', { className: side.stack.length - i <= common ? 'common' : '' },
        nameOf(run, f.name), ' ', link(`${base(f.file)}:${f.line}`, at(run, 'source', { file: f.file, line: f.line })))));
}

function sideOf(run, thread, letter, side, common) {
    return el('div', {}, el('h4', {}, `${letter}: event ${count(side.event)}`),
        side.event < run.about.threads[thread].events ? link('step there', at(run, 'steps', { thread, event: side.event })) : 'the thread ends here',
        el('p', {}, 'goes on with'), el('ol', {}, side.after.map((k) => el('li', {}, key(run, k)))),
        el('p', {}, 'stack, innermost first'), stackList(run, side, common));
}

function partingView(runs, t, x, i) {
    return el('details', { open: i === 0, className: 'parting' },
        el('summary', {}, i === 0 ? 'First difference: ' : `Difference ${i + 1}: `, x.at ? [nameOf(runs[0], x.at.name), ` ${base(x.at.file)}:${x.at.line}`] : 'at the beginning',
            el('small', {}, ` after ${count(x.common)} equal`)),
        x.before.length ? el('p', {}, 'Both executed last ', x.before.map((k, n) => [n ? ', ' : '', key(runs[0], k)]), '.') : '',
        el('div.columns', {}, sideOf(runs[0], t.a.thread, 'A', x.a, x.common_frames), sideOf(runs[1], t.b.thread, 'B', x.b, x.common_frames)),
        el('p', {}, x.meeting ? `They meet again after ${plural(x.meeting.key.a - x.a.key, 'step')} of A and ${plural(x.meeting.key.b - x.b.key, 'step')} of B; then ${count(x.meeting.common)} are equal.`
            : 'They do not meet again, as far as was looked.'));
}

function threadView(runs, t) {
    const title = `Thread ${t.a ? `${t.a.thread} ${t.a.name}` : 'that only B has'}${t.b ? '' : ', which only A has'}`;

    return [el('h2', {}, title), t.equal ? el('p', {}, `Equal: ${count(t.a.keys)} steps.`) : null,
        t.partings.map((x, i) => partingView(runs, t, x, i)), t.more ? el('p', {}, 'There are more differences.') : null];
}

function countTable(runs, caption, rows, id) {
    return rows?.length ? table(caption, [['A instructions', 'number'], ['B instructions', 'number'], ['A executions', 'number'], ['B executions', 'number'], ['routine'], ['where']],
        rows.map((r) => [amount(r.instructions.a), amount(r.instructions.b), amount(r.executions.a), amount(r.executions.b), nameOf(runs[r.executions.a > 0 ? 0 : 1], r.name),
            [link(`${base(r.file)}:${r.line}`, at(runs[r.executions.a > 0 ? 0 : 1], 'source', { file: r.file, line: r.line })), r.path === undefined ? '' : ` path ${count(r.path)}`]]), { className: 'wide', id }) : '';
}

export async function compare({ runs, words, section, isCurrent }) {
    const by = BY.includes(words.by) ? words.by : 'line';
    const wait = waiting('Comparing the runs');

    section.append(el('p.tools', {}, el('label', {}, 'compare ', el('select', { id: 'compare-by', onchange(e) { go(at(runs[0], 'compare', { by: e.target.value })); } },
        BY.map((b) => el('option', { value: b, selected: b === by }, `${b}s`)))), ' A is ', el('code', {}, runs[0].name), ', B is ', el('code', {}, runs[1].name)), wait);
    const answer = await ask('compare', BY.indexOf(by));
    if (!isCurrent())
        return;
    wait.replaceWith(el('p', {}, answer.equal ? `The runs executed the same ${by}s in the same order.` : `The runs differ.`));
    section.append(...answer.threads.flatMap((t) => threadView(runs, t)).flat().filter(Boolean),
        countTable(runs, 'Routines that differ most', answer.routines, 'diff-routines'), countTable(runs, 'Lines that differ most', answer.lines, 'diff-lines'));
}
