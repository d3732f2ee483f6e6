// SPDX-License-Identifier: MIT
// calls.js - the tree of calls, from the threads' beginnings or a routine on, or of its callers.
import { amount, bar, button, el, link, nameOf, share, shortName, waiting } from './dom.js';
import { at, go } from './main.js';

const OPEN_FROM = 0.1;        // nodes of that share are open at first

// Nodes come each before its children, with their depth.
function tree(run, nodes, total, routines) {
    const root = el('div.tree');
    const parents = [root];

    nodes.forEach((node, i) => {
        const inner = nodes[i + 1]?.depth > node.depth;
        const name = node.name ?? 'untraced code';
        const line = [bar(node.inclusive, total), el('span.share', {}, share(node.inclusive, total)), ' ', nameOf(run, name), ' ',
            el('small', {}, `${amount(node.calls)} ${node.calls === 1 ? 'call' : 'calls'}${node.self > 0 ? `, self ${share(node.self, total)}` : ''}`
                + `${node.hidden ? `, ${node.hidden} small ones not shown` : ''}`)];
        const routine = routines.get(node.name);
        const more = routine === undefined ? null : el('span.more', {}, ' ', link('source', at(run, 'source', { file: run.about.routines[routine][1], line: run.about.routines[routine][2] })));
        const item = inner ? el('details', { open: node.inclusive >= OPEN_FROM * total }, el('summary', {}, line, more))
            : el('p.leaf', {}, line, more);

        parents[node.depth].append(item);
        parents[node.depth + 1] = item;
    });
    return root;
}

// What the view asks: a kind, a routine, the least share; of the whole tree first.
const LEAST = 0.001;
export const CALLS = ['tree', 0, 0, LEAST];

export async function calls({ run, words, section, isCurrent }) {
    const kind = Number(words.kind ?? 0), routine = Number(words.routine ?? 0);
    const name = shortName(run, run.about.routines[routine]?.[0] ?? '');
    const wait = waiting('Following the calls of the run');
    section.append(el('p.tools', {},
        link('from the beginning', at(run, 'calls'), { 'aria-current': kind === 0 ? 'true' : null }), ' ',
        kind > 0 ? [link(`below ${name}`, at(run, 'calls', { kind: 1, routine }), { 'aria-current': kind === 1 ? 'true' : null }), ' ',
            link(`callers of ${name}`, at(run, 'calls', { kind: 2, routine }), { 'aria-current': kind === 2 ? 'true' : null }), ' '] : null,
        el('label', {}, 'routine ', el('select', { onchange(event) { go(at(run, 'calls', { kind: kind || 1, routine: event.target.value })); } },
            el('option', { value: '' }, 'choose\u2026'),
            run.about.routines.map((r, i) => [r[0], i]).sort((a, b) => a[0].localeCompare(b[0], 'en')).slice(0, 2000).map(([text, i]) => el('option', { value: i, selected: kind > 0 && i === routine }, shortName(run, text))))), ' ',
        button('open all', () => section.querySelectorAll('details').forEach((d) => { d.open = true; })), ' ',
        button('close all', () => section.querySelectorAll('details').forEach((d) => { d.open = false; }))), wait);
    const answer = await run.ask('tree', kind, kind ? routine : 0, LEAST);
    if (!isCurrent())
        return;
    const nodes = answer.contexts ?? answer.callers;
    const total = nodes.filter((n) => n.depth === 0).reduce((sum, n) => sum + n.inclusive, 0);
    const routines = new Map(run.about.routines.map((r, i) => [r[0], i]));
    wait.replaceWith(el('p', {}, kind === 2 ? 'Each node cost the share of the routine above all that was reached through it.'
        : 'Shares are inclusive: with all that was called. Chains below 0.1 % are not shown.'));
    section.append(nodes.length ? tree(run, nodes, total, routines) : el('p', {}, 'There are no calls.'));
}
