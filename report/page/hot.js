// SPDX-License-Identifier: MIT
// hot.js - hot subpaths: strings of paths that cost most, with the source that they run beside them.
import { amount, base, button, count, el, link, nameOf, plural, share, shortName, waiting } from './dom.js';
import { at } from './main.js';
import { excerpts, files } from './source.js';

const SHOWN = 12;             // steps at first

// The lines of all steps, file by file, as sets.
function linesOf(steps) {
    const lines = new Map();

    for (const step of steps)
        for (const { file, ranges } of step.lines ?? [])
            for (const [first, last] of ranges)
                for (let line = first; line <= last; line++)
                    (lines.get(file) ?? lines.set(file, new Set()).get(file)).add(line);
    return lines;
}

// Source of the step's files around its lines, marked where they ran.
async function besides(run, steps) {
    const lines = linesOf(steps), all = await files(run), parts = [];

    for (const [name, ran] of [...lines].slice(0, 6)) {
        const number = all.findIndex((f) => f.file === name);

        if (number >= 0)
            parts.push(el('h4', {}, link(name, at(run, 'source', { file: name, line: [...ran][0] }))),
                await excerpts(run, all, number, ran, 2, 120));
    }
    return parts.length ? parts : [el('p', {}, 'No lines are known.')];
}

function stepList(run, steps) {
    const list = el('ol.steps');
    const put = (some) => list.append(...some.map((step) => el('li', { style: { 'margin-left': `${1.2 * (step.depth ?? 0)}em` } },
        nameOf(run, step.name), ' ', el('small', {}, step.path === undefined ? '' : `path ${count(step.path)}`,
            (step.lines ?? []).map(({ file, ranges }) => ` ${base(file)}:${ranges.slice(0, 8).map(([a, b]) => (a === b ? a : `${a}\u2013${b}`)).join(' ')}${ranges.length > 8 ? ' \u2026' : ''}`)))));

    put(steps.slice(0, SHOWN));
    if (steps.length <= SHOWN)
        return list;
    const more = button(`${steps.length - SHOWN} more`, () => { put(steps.slice(SHOWN)); more.remove(); });
    return el('div', {}, list, more);
}

// The file and lines of the first path.
function whereOf(steps) {
    const [lines] = steps[0].lines ?? [];

    return lines?.ranges.length ? `${base(lines.file)}:${lines.ranges[0][0]},` : '';
}

// What the view asks: how many subpaths, of how many paths at most.
export const HOT = ['hot', 20, 100];

export async function hot({ run, section, isCurrent }) {
    const wait = waiting('Searching the run');
    section.append(wait);
    const answer = await run.ask(...HOT);
    if (!isCurrent())
        return;
    const subpaths = answer.subpaths.filter((s) => s.group === s.rank), total = answer.total_cost ?? run.about.instructions;

    wait.replaceWith(el('p', {}, 'Strings of paths that the run executed one after the other and that cost most together. '
        + 'A loop stands for all places where it can begin.'));
    subpaths.forEach((s, i) => {
        const beside = el('div.beside', { 'aria-live': 'polite' }, el('p.wait', {}, '\u2026'));
        let filled = false;
        const steps = s.paths;
        const details = el('details.hot', {
            async ontoggle() {
                if (!details.open || filled)
                    return;
                filled = true;
                beside.replaceChildren(...await besides(run, steps));
            },
        }, el('summary', {}, el('span.share', {}, share(s.own_cost, total)), ' ',
            el('code', {}, [...new Set(steps.map((x) => shortName(run, x.name)))].slice(0, 4).join(', ')), ' ',
            el('small', {}, `${whereOf(steps)} ${plural(s.length, 'path')}, ${plural(s.frequency, 'time')}${s.turn ? `, a loop of ${plural(s.turn, 'path')}${s.loop ? `, ${amount(s.loop.mean)} iterations in a row` : ''}` : ''}`)),
        el('div.columns', {}, el('div', {}, stepList(run, steps),
            el('p', {}, link('where it is', at(run, 'steps', { seek: 'path', number: steps[0].terminal })))), beside));

        section.append(details);
        details.open = i === 0;
    });
    if (!subpaths.length)
        section.append(el('p', {}, 'No subpath is hot: the run is short, or nothing in it repeats.'));
}
