// SPDX-License-Identifier: MIT
// client.js - questions to the worker, as promises.
import { block, text } from './data.js';

let worker, next = 1;
const waiting = new Map();

function send(message, transfer) {
    return new Promise((resolve, reject) => {
        message.id = next++;
        waiting.set(message.id, { resolve, reject });
        document.documentElement.dataset.busy = waiting.size;
        worker.postMessage(message, transfer ?? []);
    });
}

function receive({ data }) {
    const { resolve, reject } = waiting.get(data.id);

    waiting.delete(data.id);
    document.documentElement.dataset.busy = waiting.size;
    if (data.error === undefined)
        resolve(data.answer);
    else
        reject(new Error(data.error));
}

// Starts the worker with the module.
export async function start() {
    const url = URL.createObjectURL(new Blob([block('worker')], { type: 'text/javascript' }));
    const code = block('module').buffer;

    worker = new Worker(url);
    worker.onmessage = receive;
    worker.onerror = (event) => {
        for (const { reject } of waiting.values())
            reject(new Error(event.message || 'the page cannot run its program'));
    };
    await send({ open: code }, [code]);
    URL.revokeObjectURL(url);
}

// Loads the figures of run number `slot` of the page; null: there is none.
export async function load(slot) {
    const file = block(`wpp-${slot}`);

    if (!file)
        return null;
    const sources = block(`sources-${slot}`), notes = JSON.parse(text(block(`notes-${slot}`)));
    await send({ load: slot, name: notes.name, file, sources }, [file.buffer, sources.buffer]);
    return { slot, ...notes };
}

export const complete = (slot) => send({ complete: slot });
export const ask = (question, ...words) => send({ ask: question, words });
