// SPDX-License-Identifier: MIT
// check.cjs FORMAT FILE [NODE_MODULES]: what is wrong with an exported file, a line each; and last the sum of
// what it weighs.  With npm's packages, speedscope's files are compared with its schema.
'use strict';
const fs = require('fs');
const path = require('path');
const [format, file, modules] = process.argv.slice(2);
const json = JSON.parse(fs.readFileSync(file, 'utf8'));
const wrong = (...what) => console.log(...what);
const sum = (a) => a.reduce((x, y) => x + y, 0);

// Opens and closes in order: they are balanced, times never go back.  The time within the outermost ones.
function balanced(events) {
    const open = [];
    let last = 0, total = 0, begin = 0;
    for (const e of events) {
        if (e.at < last) wrong('time goes back at', e.at);
        last = e.at;
        if (e.type === 'O') {
            if (open.length === 0) begin = e.at;
            open.push(e.frame);
        } else {
            if (open.pop() !== e.frame) wrong('another call ends at', e.at);
            if (open.length === 0) total += e.at - begin;
        }
    }
    if (open.length) wrong(open.length, 'calls do not end');
    return total;
}

function schema() {
    const Ajv = require(path.join(modules, 'ajv'));
    const ajv = new Ajv({ strict: false });
    const text = path.join(modules, 'speedscope/dist/release/file-format-schema.json');
    const validate = ajv.compile(JSON.parse(fs.readFileSync(text, 'utf8')));
    if (!validate(json)) wrong(JSON.stringify(validate.errors));
}

function speedscope() {
    const n = json.shared.frames.length;
    let total = 0;
    if (modules) schema();
    for (const p of json.profiles) {
        if (p.type === 'sampled') {
            if (p.samples.length !== p.weights.length) wrong('samples', p.samples.length, 'weights', p.weights.length);
            for (const s of p.samples) for (const f of s) if (!(f >= 0 && f < n)) wrong('no frame', f);
            if (p.endValue !== sum(p.weights)) wrong('ends at', p.endValue);
            total += sum(p.weights);
        } else {
            for (const e of p.events) if (!(e.frame >= 0 && e.frame < n)) wrong('no frame', e.frame);
            total += balanced(p.events);
        }
    }
    return total;
}

// Complete events of one thread nest.  The time within the outermost ones, in nanoseconds.
function chrome() {
    const threads = new Map();
    let total = 0;
    for (const e of json.traceEvents) {
        if (typeof e.pid !== 'number' || typeof e.tid !== 'number') wrong('no thread', JSON.stringify(e));
        if (typeof (e.args ?? {}) !== 'object') wrong('args', JSON.stringify(e));
        if (e.ph !== 'X') continue;
        if (!threads.has(e.tid)) threads.set(e.tid, []);
        threads.get(e.tid).push([Math.round(e.ts * 1000), Math.round(e.dur * 1000)]);
    }
    for (const events of threads.values()) {
        const open = [];
        let last = 0;
        for (const [ts, dur] of events) {
            if (ts < last) wrong('time goes back at', ts);
            last = ts;
            while (open.length && open[open.length - 1] <= ts) open.pop();
            if (open.length && ts + dur > open[open.length - 1]) wrong('ends behind its caller:', ts);
            if (open.length === 0) total += dur;
            open.push(ts + dur);
        }
    }
    return total;
}

// Tables are columns of one length, and what they point to is there.
function firefox() {
    const { stackTable, frameTable, funcTable, sources, stringArray } = json.shared;
    const { samples } = json.threads[0];
    const below = (what, column, n) => column.forEach((v) => {
        if (v !== null && !(v >= 0 && v < n)) wrong(what, v, 'of', n);
    });
    for (const [name, table] of Object.entries({ ...json.shared, samples, markers: json.threads[0].markers }))
        for (const [key, column] of Object.entries(table))
            if (name !== 'stringArray' && Array.isArray(column) && column.length !== table.length)
                wrong(name, key, column.length, 'of', table.length);
    below('stack', samples.stack, stackTable.length);
    below('frame', stackTable.frame, frameTable.length);
    stackTable.prefix.forEach((p, i) => { if (p !== null && !(p >= 0 && p < i)) wrong('prefix', p, 'of', i); });
    below('func', frameTable.func, funcTable.length);
    below('name', funcTable.name, stringArray.length);
    below('source', funcTable.source, sources.length);
    below('file', sources.filename, stringArray.length);
    samples.time.forEach((t, i) => { if (i && t < samples.time[i - 1]) wrong('time', t); });
    if (!json.meta.categories.some((c) => c.color === 'grey')) wrong('no grey category');
    return sum(samples.weight);
}

console.log({ speedscope, chrome, firefox }[format]());
