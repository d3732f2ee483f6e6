// SPDX-License-Identifier: MIT
// data.js - the blocks of data in the page, as bytes; see wpp/cli/html-page.h.

// The byte of each character; those that windows-1252 has for 0x80 to 0x9f are elsewhere.  -1: no byte's.
const byteOf = new Int16Array(65536).fill(-1);
for (let byte = 0; byte < 0x100; byte++)
    byteOf[byte < 0x80 || byte >= 0xa0 ? byte : new TextDecoder('windows-1252').decode(new Uint8Array([byte])).charCodeAt(0)] = byte;

export function block(id) {
    const element = document.getElementById(id);

    if (!element)
        return null;
    const text = element.textContent, bytes = new Uint8Array(text.length);
    let n = 0;
    for (let i = 0; i < text.length; i++) {
        let c = byteOf[text.charCodeAt(i)];

        if (c === 0x3d)
            c = text.charCodeAt(++i) - 64;
        if (!(c >= 0 && c <= 0xff))
            throw new Error('This page was changed on its way: it must be read as it was written.');
        bytes[n++] = c;
    }
    element.remove();
    return bytes.slice(0, n);
}

export const text = (bytes) => new TextDecoder().decode(bytes);

// A web server may have said that the page is in another character set than it says itself.
export function checkCharacterSet() {
    if (document.characterSet.toLowerCase() !== 'windows-1252')
        throw new Error(`This page came as ${document.characterSet}, and holds bytes that are none. `
            + 'Save it and open it from disk, or have the server say nothing of its character set.');
}
