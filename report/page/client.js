// SPDX-License-Identifier: MIT
// client.js - questions to the module, as promises.  Nothing that takes long keeps a quick question waiting:
//
//      quick     opens the runs; answers what takes milliseconds
//      calls     a copy of it that has the call tree; answers what needs the tree
//      once      a copy for one question that searches the whole run, which is gone afterwards
//
// A copy shares nothing, so the memory is doubled.  If there is not enough, `quick` does all.
import { block, text } from './data.js';

const OF_CALLS = new Set(['calls', 'stack', 'tree', 'report']), ONCE = new Set(['hot', 'compare']);
// Answers that are kept: each is asked for again whenever its view is opened.
const KEPT = new Set(['tree', 'report', 'hot', 'compare', 'files']);

// Items of the call tree that are looked at before another question may come between: some 0.1 s.
const STEP = 1e6;

let url, module, quick, next = 1, waiting = 0;
const kept = new Map();
let copied;
const calls = new Promise((resolve) => { copied = resolve; });

function count(change) {
    waiting += change;
    document.documentElement.dataset.busy = waiting;
}

// A worker with its instance of the module.
class Machine {
    constructor() {
        this.waiting = new Map();
        this.worker = new Worker(url);
        this.worker.onmessage = ({ data }) => {
            const { resolve, reject } = this.take(data.id);

            if (data.error === undefined)
                resolve(data.answer);
            else
                reject(new Error(data.error));
        };
        this.worker.onerror = (event) => {
            for (const id of [...this.waiting.keys()])
                this.take(id).reject(new Error(event.message || 'the page cannot run its program'));
        };
    }
    take(id) {
        const promise = this.waiting.get(id);

        this.waiting.delete(id);
        count(-1);
        return promise;
    }
    send(message, transfer) {
        return new Promise((resolve, reject) => {
            message.id = next++;
            this.waiting.set(message.id, { resolve, reject });
            count(1);
            this.worker.postMessage(message, transfer ?? []);
        });
    }
    ask(question, words) {
        return this.send({ ask: question, words });
    }
    end() {
        this.worker.terminate();
    }
}

// Starts the first worker with the module.
export async function start() {
    url = URL.createObjectURL(new Blob([block('worker')], { type: 'text/javascript' }));
    module = await WebAssembly.compile(block('module'));
    quick = new Machine();
    await quick.send({ open: module });
}

// Loads the figures of run number `slot` of the page; null: there is none.
export async function load(slot) {
    const file = block(`wpp-${slot}`);

    if (!file)
        return null;
    const sources = block(`sources-${slot}`), notes = JSON.parse(text(block(`notes-${slot}`)));
    await quick.send({ load: slot, name: notes.name, file, sources }, [file.buffer, sources.buffer]);
    return { slot, ...notes };
}

export const complete = (slot) => quick.send({ complete: slot });

// Another worker that knows what `quick` knows; or `quick` itself.
async function copy() {
    const image = await quick.send({ copy: true }).catch(() => null);
    if (!image)
        return quick;
    const machine = new Machine();
    const open = await machine.send({ open: module, image }, [image]).then(() => true, () => false);
    if (open)
        return machine;
    machine.end();
    return quick;
}

// Trees of calls are answered without it, but not as soon.
async function makeContexts(machine, slot) {
    while (!(await machine.ask('makeContexts', [slot, STEP])).made)
        ;
}

// When all runs are open: makes what most answers need, a piece at a time, so that questions come between.  Then
// `foreseen`, questions that are kept.
export function prepare(slots, foreseen) {
    copied(copy());
    for (const slot of slots) {
        calls.then(async (machine) => {
            for (const piece of ['prepareStacks', 'prepareCosts', 'prepareParts'])
                await machine.ask(piece, [slot]);
            await makeContexts(machine, slot).catch(() => {});
            for (const [question, ...words] of foreseen)
                await ask(question, slot, ...words);
        }).catch(() => {});
    }
    (async () => {
        for (const slot of slots)
            for (const piece of ['prepareRules', 'prepareMostly', 'prepareFirsts', 'prepareLines'])
                await quick.ask(piece, [slot]);
    })().catch(() => {});
}

async function askOnce(question, words) {
    const machine = await copy();

    try {
        return await machine.ask(question, words);
    } finally {
        if (machine !== quick)
            machine.end();
    }
}

function send(question, words) {
    if (ONCE.has(question))
        return askOnce(question, words);
    return OF_CALLS.has(question) ? calls.then((machine) => machine.ask(question, words)) : quick.ask(question, words);
}

export function ask(question, ...words) {
    const key = JSON.stringify([question, words]);

    if (!KEPT.has(question))
        return send(question, words);
    if (!kept.has(key)) {
        kept.set(key, send(question, words));
        kept.get(key).catch(() => kept.delete(key));
    }
    return kept.get(key);
}
