// SPDX-License-Identifier: MIT
// worker.js - the module in a thread of its own, so that the page stays quick while it computes.
//
//      { id, open: module, image }              instantiates the module; `image`: as a copy of another worker's
//      { id, load: slot, name, file, sources }  loads a run
//      { id, complete: slot }                   opens the rest of it
//      { id, copy: true }                       gives the image
//      { id, ask: question, words }             asks
//
// The answer goes back as { id, answer } or { id, error }.
import { openModule } from './module.js';

let module;

async function act(message) {
    if (message.open)
        module = await openModule(message.open, message.image);
    else if (message.load !== undefined)
        module.load(message.load, message.name, message.file, message.sources);
    else if (message.complete !== undefined)
        module.complete(message.complete);
    else if (message.copy)
        return module.copy();
    else
        return module.ask(message.ask, ...message.words);
    return null;
}

self.onmessage = async ({ data }) => {
    try {
        const answer = await act(data);

        self.postMessage({ id: data.id, answer }, answer instanceof ArrayBuffer ? [answer] : []);
    } catch (error) {
        self.postMessage({ id: data.id, error: String(error.message ?? error) });
    }
};
