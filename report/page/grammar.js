// SPDX-License-Identifier: MIT
// grammar.js - one rule, and on demand a picture of the rules below it.
import dagre from '@dagrejs/dagre';
import { amount, button, count, el, failure, link, nameOf, plural, replace, share, shortName, svg, waiting } from './dom.js';
import { at, go } from './main.js';

const MOST = 60;              // nodes

const routineName = (run, number) => (number === null || number === undefined ? 'no routine' : shortName(run, run.about.routines[number][0]));
const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

function symbol(run, s, times) {
    const text = s < 0 ? `path ${count(-1 - s)}` : `rule ${count(s)}`;
    const where = s < 0 ? at(run, 'steps', { seek: 'path', number: -1 - s }) : at(run, 'grammar', { rule: s });

    return [link(text, where), times > 1 ? ` \u00d7 ${count(times)}` : '', ' \u00b7 '];
}

// Pairs in a flat list.
const pairs = (list) => Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]]);

async function draw(run, rule, box) {
    const answer = await run.ask('graph', rule, 4, MOST);
    const graph = new dagre.graphlib.Graph();
    const width = 190, height = 52;

    graph.setGraph({ rankdir: 'TB', nodesep: 14, ranksep: 34, marginx: 8, marginy: 8 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const node of answer.nodes)
        graph.setNode(String(node.rule), { width, height, node });
    for (const [from, to, times] of answer.edges)
        graph.setEdge(String(from), String(to), { times });
    dagre.layout(graph);
    const size = graph.graph();
    const picture = svg('svg', { viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height, role: 'group', 'aria-label': `Rules below rule ${rule}` },
        svg('defs', {}, svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0 0L8 4L0 8z' }))),
        graph.edges().map((e) => {
            const { points, times } = graph.edge(e), middle = points[Math.floor(points.length / 2)];

            return svg('g', { class: 'edge' }, svg('path', { d: `M${points.map((p) => `${p.x} ${p.y}`).join('L')}`, 'marker-end': 'url(#arrow)' }),
                times > 1 ? svg('text', { x: middle.x + 3, y: middle.y }, `\u00d7${amount(times)}`) : null);
        }),
        graph.nodes().map((name) => {
            const { x, y, node } = graph.node(name);
            const label = `rule ${count(node.rule)}, ${plural(node.length, 'event')}, ${plural(node.frequency, 'time')}, begins in ${routineName(run, node.first)}`
                + `${node.paths ? `, ${plural(node.paths, 'path')} of its own` : ''}${node.hidden ? `, ${node.hidden} rules not drawn` : ''}`;

            return svg('a', { href: `#${at(run, 'grammar', { rule: node.rule, draw: 1 })}`, class: node.rule === rule ? 'node root' : 'node', 'aria-label': label, transform: `translate(${x - width / 2} ${y - height / 2})` },
                svg('title', {}, label), svg('rect', { width, height, rx: 5 }),
                svg('text', { x: 8, y: 18 }, `rule ${count(node.rule)}`), svg('text', { x: 8, y: 33, class: 'small' }, shorten(routineName(run, node.first), 28)),
                svg('text', { x: 8, y: 46, class: 'small' }, `${amount(node.length)} events \u00d7 ${amount(node.frequency)}${node.hidden ? `, +${amount(node.hidden)}` : ''}`));
        }));

    const scroll = el('div.scroll', { tabIndex: 0, role: 'region', 'aria-label': 'Picture of the grammar' }, picture);

    replace(box, el('p', {}, `${plural(answer.nodes.length, 'rule')}${answer.nodes.length === MOST ? ', those nearest to it that derive most' : ''}. `
        + 'A rule is named by the routine in which it begins.'), scroll);
    scroll.scrollLeft = graph.node(String(rule)).x - scroll.clientWidth / 2;
}

// What a rule runs, and what uses it.
function useOf(run, answer) {
    const all = answer.routines.reduce((sum, [, insns]) => sum + insns, 0);

    return [
        el('p', {}, 'It runs ', answer.routines.length ? answer.routines.map(([r, insns], i) => [i ? ', ' : '', nameOf(run, run.about.routines[r][0]), ` ${share(insns, all)}`]) : 'no routine', '.'),
        el('p', {}, answer.allUsers ? ['Used by ', pairs(answer.users).map(([r, times]) => symbol(run, r, times)), answer.allUsers > answer.users.length / 2 ? `\u2026 ${count(answer.allUsers)} rules` : ''] : 'No rule uses it.'),
    ];
}

export async function grammar({ run, words, section, isCurrent }) {
    const { rules, threads, events } = run.about;
    const rule = Math.min(Number(words.rule ?? rules), rules + threads.length - 1);
    const answer = await run.ask('rule', rule);
    if (!isCurrent())
        return;
    const box = el('div.dag', { 'aria-live': 'polite' });
    const name = answer.thread === null ? `Rule ${count(rule)}` : `Start rule of thread ${answer.thread}`;
    const body = pairs(answer.body), use = el('div', {}, waiting('Adding up what it runs'));

    section.append(
        el('p.tools', {}, el('label', {}, 'rule ', el('input', { type: 'number', id: 'rule', min: 0, max: rules + threads.length - 1, value: rule, onchange(e) { go(at(run, 'grammar', { rule: e.target.value })); } })), ' ',
            threads.map((t, i) => [link(`start rule ${i}`, at(run, 'grammar', { rule: rules + i })), ' ']),
            rules ? link('longest rules come last', at(run, 'grammar', { rule: rules - 1 })) : null),
        el('h2', {}, name),
        el('p', {}, `It derives ${plural(answer.length, 'event')}, and stands ${plural(answer.frequency, 'time')} in the run: `
            + `${share(answer.length * answer.frequency, events)} of all events.`),
        el('p.body', {}, `${plural(answer.symbols, 'symbol')}: `, body.map(([s, times]) => symbol(run, s, times)), body.reduce((n, [, t]) => n + t, 0) < answer.symbols ? '\u2026' : ''),
        use, el('p.tools', {}, button('Draw the rules below it', () => draw(run, rule, box), { id: 'draw' })), box);
    run.ask('ruleUse', rule).then((more) => replace(use, useOf(run, more)), (error) => replace(use, failure(error)));
    if (words.draw)
        await draw(run, rule, box);
}
