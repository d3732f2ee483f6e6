// SPDX-License-Identifier: MIT
// worker.js - the module in a thread of its own, so that the page stays quick while it computes.
//
//      { id, open: code }                       instantiates the module
//      { id, load: slot, name, file, sources }  loads a run
//      { id, complete: slot }                   opens the rest of it
//      { id, ask: question, words }             asks; the answer goes back as { id, answer } or { id, error }
import { openModule } from './module.js';

let module;

async function act(message) {
    if (message.open)
        module = await openModule(message.open);
    else if (message.load !== undefined)
        module.load(message.load, message.name, message.file, message.sources);
    else if (message.complete !== undefined)
        module.complete(message.complete);
    else
        return module.ask(message.ask, ...message.words);
    return null;
}

self.onmessage = async ({ data }) => {
    try {
        self.postMessage({ id: data.id, answer: await act(data) });
    } catch (error) {
        self.postMessage({ id: data.id, error: String(error.message ?? error) });
    }
};
