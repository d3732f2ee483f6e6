// SPDX-License-Identifier: MIT
// module.js - the WebAssembly module of report/wasm/ as JavaScript: runs are loaded, questions asked.
//
// All that an instance knows is in its memory.  So a copy of the memory in another instance is another module
// with the same runs open, as after fork().

// What wasi-libc asks of a system that has no files, clocks or randomness to give.
function system(memory) {
    const bytes = () => new DataView(memory().buffer);
    const badFile = 8, noSupport = 58;
    return {
        fd_write(fd, vectors, n, written) {
            let sum = 0;

            for (let i = 0; i < n; i++)
                sum += bytes().getUint32(vectors + 8 * i + 4, true);
            bytes().setUint32(written, sum, true);
            return 0;
        },
        fd_close: () => badFile,
        fd_read: () => badFile,
        fd_seek: () => badFile,
        fd_fdstat_get: () => badFile,
        fd_fdstat_set_flags: () => badFile,
        fd_filestat_get: () => badFile,
        fd_prestat_get: () => badFile,
        fd_prestat_dir_name: () => badFile,
        path_open: () => noSupport,
        proc_exit(status) { throw new Error(`the module ended with ${status}`); },
        environ_sizes_get(n, size) {
            bytes().setUint32(n, 0, true);
            bytes().setUint32(size, 0, true);
            return 0;
        },
        environ_get: () => 0,
        clock_time_get(id, precision, time) {
            bytes().setBigUint64(time, 0n, true);
            return 0;
        },
    };
}

const PAGE = 65536;

// Instantiates a WebAssembly.Module; with `image`, what copy() of another instance gave.
export async function openModule(module, image) {
    let exports;
    const wasi = system(() => exports.memory);
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        imports[from] ??= {};
        imports[from][name] = wasi[name] ?? (() => 52);
    }
    exports = (await WebAssembly.instantiate(module, imports)).exports;
    exports._initialize();
    if (image) {
        const lacking = Math.ceil((image.byteLength - exports.memory.buffer.byteLength) / PAGE);

        if (lacking > 0)
            exports.memory.grow(lacking);
        new Uint8Array(exports.memory.buffer).set(new Uint8Array(image));
    }

    function put(bytes) {
        const at = exports.page_memory(bytes.length);

        if (!at)
            throw new Error('out of memory');
        new Uint8Array(exports.memory.buffer).set(bytes, at >>> 0);
        return at;
    }
    const putText = (text) => put(new TextEncoder().encode(text + '\0'));

    // A copy: the memory may move with the next call.
    function text() {
        const at = exports.page_text() >>> 0;

        return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, exports.page_text_size() >>> 0));
    }

    return {
        // Loads the figures of a WPP into a slot; throws with the reason.
        load(slot, name, file, sources) {
            const path = putText(name), wpp = put(file), rest = put(sources);

            if (!exports.page_load(slot, wpp, file.length, path, rest, sources.length))
                throw new Error(text());
        },
        // Opens all of it; after load() there are only the figures of the overview.
        complete(slot) {
            if (!exports.page_complete(slot))
                throw new Error(text());
        },
        // All memory, as an ArrayBuffer.
        copy: () => exports.memory.buffer.slice(0),
        // The answer of an export, parsed.  Strings are handed over in the module's memory.
        ask(question, ...words) {
            if (!exports[question](...words.map((w) => (typeof w === 'string' ? putText(w) : w))))
                throw new Error(text());
            const answer = JSON.parse(text());
            if (answer.error)
                throw new Error(answer.error);
            return answer;
        },
    };
}
