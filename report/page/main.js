// SPDX-License-Identifier: MIT
// main.js - opens the page: data to the worker, then one view at a time.
//
// Where one is stands behind the `#` of the address: view=steps&run=0&thread=0&event=812.  So links are
// plain links, and the browser's back goes back.
import { checkCharacterSet } from './data.js';
import { ask, complete, load, prepare, start } from './client.js';
import { el, failure, link, replace, button } from './dom.js';
import { searchBox } from './search.js';
import { overview } from './overview.js';
import { timeline } from './timeline.js';
import { REPORT, report } from './report.js';
import { CALLS, calls } from './calls.js';
import { HOT, hot } from './hot.js';
import { source } from './source.js';
import { steps } from './steps.js';
import { grammar } from './grammar.js';
import { compare } from './compare.js';

const VIEWS = [
    ['overview', 'Overview', overview], ['timeline', 'Timeline', timeline], ['report', 'Report', report],
    ['calls', 'Calls', calls], ['hot', 'Hot paths', hot], ['source', 'Source', source], ['steps', 'Steps', steps],
    ['grammar', 'Grammar', grammar], ['compare', 'Compare', compare],
];

const runs = [];
let leave = () => {};

// ---- The address ---------------------------------------------------------------------------------------

function place() {
    const words = new URLSearchParams(location.hash.slice(1));

    return { ...Object.fromEntries(words), view: words.get('view') ?? 'overview', run: Number(words.get('run') ?? 0) };
}

// The address of another place in a run.
export function at(run, view, words) {
    return new URLSearchParams(Object.entries({ view, run: run.slot, ...words })
        .filter(([, value]) => value !== undefined && value !== null)).toString();
}

// Goes there.  `quietly`: the place before is not one to come back to.
export function go(hash, quietly) {
    noteNow();
    if (quietly) {
        history.replaceState(null, '', `#${hash}`);
        show();
    } else {
        location.hash = hash;
    }
}

// Says in the address where one is by now.  Not at each step: browsers refuse too many.
let stay = null;
function noteNow() {
    if (stay === null)
        return;
    clearTimeout(stay.timer);
    history.replaceState(null, '', `#${stay.hash}`);
    stay = null;
}
export function note(hash) {
    if (stay)
        clearTimeout(stay.timer);
    stay = { hash, timer: setTimeout(noteNow, 250) };
}

// ---- The frame -----------------------------------------------------------------------------------------

const THEMES = ['auto', 'light', 'dark'];

function themeButton() {
    const set = (theme) => {
        if (theme === 'auto')
            delete document.documentElement.dataset.theme;
        else
            document.documentElement.dataset.theme = theme;
        self.textContent = `Colours: ${theme}`;
        document.dispatchEvent(new Event('theme'));
    };
    let now = 0;
    const self = button('Colours: auto', () => set(THEMES[now = (now + 1) % THEMES.length]), { className: 'quiet' });

    return self;
}

function navigation(current) {
    const run = runs[current.run] ?? runs[0];
    const views = VIEWS.filter(([name]) => name !== 'compare' || runs.length > 1);

    return el('nav', { 'aria-label': 'Views' }, views.map(([name, title]) =>
        link(title, at(run, name), { 'aria-current': name === current.view ? 'page' : null, 'data-view': name })));
}

function runChoice(current) {
    if (runs.length < 2)
        return null;
    return el('div.runs', { role: 'group', 'aria-label': 'Run' }, runs.map((run, i) =>
        button(`${'AB'[i]}: ${run.name}`, () => go(at(run, current.view === 'compare' ? 'overview' : current.view)),
            { 'aria-pressed': String(i === current.run && current.view !== 'compare'), className: 'quiet' })));
}

const frame = {};

function build() {
    frame.nav = el('div');
    frame.runs = el('div');
    frame.main = el('main', { tabIndex: -1, id: 'view' });
    frame.search = el('div.search');
    replace(document.getElementById('page'),
        el('a.skip', { href: '#', onclick(event) { event.preventDefault(); frame.main.focus(); } }, 'Skip to the view'),
        el('header', {}, el('p.title', {}, document.title), frame.search, frame.runs, themeButton()),
        frame.nav, frame.main,
        el('footer', {}, `wpp ${VERSION}. This file holds the whole recorded run; it loads nothing else.`));
}

let shown = 0;

async function show() {
    const current = place(), mine = ++shown;
    const view = VIEWS.find(([name]) => name === current.view) ?? VIEWS[0];
    const run = runs[current.run] ?? runs[0];
    const section = el('section', { 'aria-labelledby': 'heading' }, el('h1', { id: 'heading' }, view[1]));
    const refocus = document.activeElement?.id;

    if (stay)
        clearTimeout(stay.timer);
    stay = null;
    leave();
    leave = () => {};
    replace(frame.nav, navigation({ ...current, view: view[0] }));
    replace(frame.runs, runChoice({ ...current, view: view[0] }));
    frame.search.replaceChildren(searchBox(run));
    replace(frame.main, section);
    frame.main.dataset.ready = '';
    try {
        const left = await view[2]({ run, runs, words: current, section, isCurrent: () => mine === shown });

        if (mine === shown && left)
            leave = left;
    } catch (error) {
        if (mine === shown)
            section.append(failure(error));
    }
    if (mine !== shown)
        return;
    frame.main.dataset.ready = view[0];
    if (refocus)
        document.getElementById(refocus)?.focus();
}

// ---- Opening -------------------------------------------------------------------------------------------

async function open() {
    checkCharacterSet();
    await start();
    for (let slot = 0; slot < 2; slot++) {
        const run = await load(slot);

        if (!run)
            break;
        run.ask = (question, ...words) => ask(question, slot, ...words);
        run.about = await run.ask('overview');
        runs.push(run);
    }
    document.title = runs.map((run) => run.about.program.split('/').pop() || run.name).join(' and ') + ' \u2013 whole program path';
    build();
    window.addEventListener('hashchange', show);
    // A link leaves the place; a button may be one of a thousand steps.
    document.addEventListener('click', (event) => { if (event.target.closest('a')) noteNow(); }, true);
    // The grammars are opened while the overview is looked at; questions wait for that.
    const whole = runs.map(async (run) => {
        await complete(run.slot);
        run.about = await run.ask('overview');
    });
    const first = show();
    document.documentElement.dataset.open = 'yes';
    await Promise.all(whole);
    await first;
    document.documentElement.dataset.whole = 'yes';
    prepare(runs.map((run) => run.slot), [REPORT, CALLS, HOT]);
    if (place().view === 'overview')
        await show();
}

document.addEventListener('DOMContentLoaded', () => {
    open().catch((error) => replace(document.getElementById('page'), failure(error)));
});
