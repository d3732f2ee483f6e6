// SPDX-License-Identifier: MIT
// search.js - one field for everything: routines by a part of their name, `file.c:12`, `event 812`, `rule 7`.
import { base, count, el, link, replace, shortName } from './dom.js';
import { at, go } from './main.js';

const MOST = 50;

// The places that the text may mean: [title, address].
export function meant(run, text) {
    const { routines, threads, rules } = run.about;
    const event = /^(?:event\s+|#)(\d[\d,]*)$/i.exec(text), rule = /^rule\s+(\d[\d,]*)$/i.exec(text);
    const line = /^(.+):(\d+)$/.exec(text), found = [];
    const number = (match) => Number(match[1].replaceAll(',', ''));

    if (event && number(event) < Math.max(...threads.map((t) => t.events)))
        found.push([`event ${count(number(event))}`, at(run, 'steps', { event: number(event) })]);
    if (rule && number(rule) < rules + threads.length)
        found.push([`rule ${count(number(rule))}`, at(run, 'grammar', { rule: number(rule) })]);
    if (line)
        found.push([`${line[1]} line ${line[2]}`, at(run, 'source', { file: line[1], line: line[2] })]);
    const small = text.toLowerCase();
    for (let i = 0; i < routines.length && found.length < MOST; i++)
        if (routines[i][0].toLowerCase().includes(small))
            found.push([`${shortName(run, routines[i][0])}  ${base(routines[i][1])}:${routines[i][2]}`,
                at(run, 'source', { file: routines[i][1], line: routines[i][2], routine: i })]);
    return found;
}

export function searchBox(run) {
    const results = el('ul.results', { id: 'results', hidden: true });
    const said = el('p.hidden', { role: 'status' });
    const field = el('input', {
        type: 'search', id: 'search', placeholder: 'routine, file:line, event 812, rule 7', 'aria-label': 'Search',
        'aria-controls': 'results', autocomplete: 'off',
        oninput() {
            const found = field.value.trim() ? meant(run, field.value.trim()) : [];

            replace(results, found.map(([title, hash]) => el('li', {}, link(title, hash))));
            results.hidden = !field.value.trim();
            if (!results.hidden && !found.length)
                replace(results, el('li', {}, 'nothing found'));
            said.textContent = results.hidden ? '' : `${found.length}${found.length === MOST ? ' or more' : ''} found`;
        },
        onkeydown(event) {
            const first = results.querySelector('a');

            if (event.key === 'Enter' && first)
                go(first.getAttribute('href').slice(1));
            else if (event.key === 'ArrowDown' && first)
                first.focus();
            else if (event.key === 'Escape')
                results.hidden = true;
            else
                return;
            event.preventDefault();
        },
    });

    results.addEventListener('keydown', (event) => {
        const item = event.target.closest('li');
        const to = event.key === 'ArrowDown' ? item?.nextSibling : event.key === 'ArrowUp' ? item?.previousSibling ?? field : null;

        if (event.key === 'Escape')
            field.focus(), results.hidden = true;
        if (to)
            (to.querySelector?.('a') ?? field).focus(), event.preventDefault();
    });
    return el('div', { role: 'search' }, field, results, said);
}
