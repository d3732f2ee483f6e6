// SPDX-License-Identifier: MIT
// dom.js - elements.  All text goes in as text nodes: nothing is ever parsed as HTML.

// el('td.number', { title: 'x' }, child...): children are nodes, texts, numbers, lists of them, or null.
export function el(what, properties, ...children) {
    const [tag, ...classes] = what.split('.');
    const element = document.createElement(tag || 'div');

    if (classes.length)
        element.className = classes.join(' ');
    set(element, properties);
    add(element, children);
    return element;
}

const SVG = 'http://www.w3.org/2000/svg';
export function svg(tag, attributes, ...children) {
    const element = document.createElementNS(SVG, tag);

    for (const [name, value] of Object.entries(attributes ?? {}))
        element.setAttribute(name, value);
    add(element, children);
    return element;
}

function set(element, properties) {
    for (const [name, value] of Object.entries(properties ?? {})) {
        if (value === undefined || value === null || value === false)
            continue;
        if (name.startsWith('on'))
            element.addEventListener(name.slice(2), value);
        else if (name === 'style')
            for (const [key, text] of Object.entries(value))
                element.style.setProperty(key, text);
        else if (name in element && !name.startsWith('aria') && name !== 'role')
            element[name] = value;
        else
            element.setAttribute(name, value === true ? '' : value);
    }
}

export function add(element, ...children) {
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined && child !== false)
            element.append(child instanceof Node ? child : String(child));
    return element;
}

export function replace(element, ...children) {
    element.replaceChildren();
    return add(element, ...children);
}

// ---- Numbers -------------------------------------------------------------------------------------

const grouped = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

export const count = (n) => grouped.format(Math.round(n));
export const amount = (n) => (Math.abs(n) < 10000 ? count(n) : compact.format(n));
export const plural = (n, one, many = `${one}s`) => `${amount(n)} ${Math.round(n) === 1 ? one : many}`;

export function share(part, whole) {
    const percent = whole > 0 ? 100 * part / whole : 0;

    return `${percent === 0 || percent >= 0.05 ? percent.toFixed(1) : '<0.1'}\u00a0%`;
}

export function time(nanoseconds) {
    for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3]])
        if (Math.abs(nanoseconds) >= size)
            return `${(nanoseconds / size).toPrecision(4)} ${unit}`;
    return `${Math.round(nanoseconds)} ns`;
}

export function bytes(n) {
    for (const [unit, size] of [['GB', 1e9], ['MB', 1e6], ['kB', 1e3]])
        if (n >= size)
            return `${(n / size).toPrecision(3)} ${unit}`;
    return `${n} bytes`;
}

// The last part of a path.
export const base = (path) => path.slice(path.lastIndexOf('/') + 1);

// ---- Small things that views share ----------------------------------------------------------------

// A name that may be shown shorter, with the whole of it where one points.
export const shortName = (run, name) => (Object.hasOwn(run.about.short, name) ? run.about.short[name] : name);
export const nameOf = (run, name) => el('code', { title: shortName(run, name) === name ? null : name }, shortName(run, name));

export const button = (text, onclick, properties) => el('button', { type: 'button', onclick, ...properties }, text);
export const link = (text, hash, properties) => el('a', { href: `#${hash}`, ...properties }, text);

export function bar(part, whole) {
    return el('span.bar', { 'aria-hidden': 'true' },
        el('span', { style: { width: `${whole > 0 ? Math.min(100, 100 * part / whole) : 0}%` } }));
}

// A table: columns are [heading, class], rows are lists of cells; a cell may be [sort value, child].
export function table(caption, columns, rows, properties) {
    return el('div.across', {}, el('table', properties,
        el('caption', {}, caption),
        el('thead', {}, el('tr', {}, columns.map(([heading, kind]) => el(kind ? `th.${kind}` : 'th', { scope: 'col' }, heading)))),
        el('tbody', {}, rows.map((row) => el('tr', {}, row.map((cell, i) => el(columns[i][1] ? `td.${columns[i][1]}` : 'td', {}, cell)))))));
}

// What is waited for, with the seconds; it goes on until it is replaced.
export function waiting(what) {
    const begin = performance.now(), note = el('p.wait', { role: 'status' }, `${what}\u2026`), seconds = el('span', { 'aria-hidden': 'true' });
    const tick = setInterval(() => {
        if (!note.isConnected && performance.now() - begin > 2000)
            clearInterval(tick);
        seconds.textContent = ` ${Math.round((performance.now() - begin) / 1000)} s`;
    }, 1000);

    note.append(seconds);
    return note;
}

export function failure(error) {
    return el('p.error', { role: 'alert' }, `This cannot be shown: ${error.message}.`);
}
