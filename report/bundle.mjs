// SPDX-License-Identifier: MIT
// bundle.mjs PAGE VERSION - joins script, style and WebAssembly to PAGE/page.html, the program of the page.
//
// wpp-report adds the data and the end (wpp/cli/html-page.h has the encoding).  Everything in the file but
// the encoded blocks is ASCII.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [page, version] = process.argv.slice(2);
const modules = resolve(page, 'npm/node_modules');
const esbuild = createRequire(import.meta.url)(resolve(modules, 'esbuild'));

function bundle(entry, format) {
    const result = esbuild.buildSync({
        entryPoints: [`report/page/${entry}`], bundle: true, write: false, minify: true, charset: 'ascii', format,
        target: ['chrome100', 'firefox115'], nodePaths: [modules], legalComments: 'none', logLevel: 'warning',
        define: { VERSION: JSON.stringify(version) },
    });
    return result.outputFiles[0].text.trimEnd();
}

// What would end or change the element's text.
function escapeBytes(bytes) {
    const out = [];

    for (const b of bytes)
        if (b === 0 || b === 13 || b === 0x3c || b === 0x3d)
            out.push(0x3d, b + 64);
        else
            out.push(b);
    return Buffer.from(out);
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const script = bundle('main.js', 'iife').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const worker = bundle('worker.js', 'iife');
const style = bundle('page.css', undefined);
const policy = `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; style-src ${hash(style)}; ` +
    `worker-src blob:; base-uri 'none'; form-action 'none'`;
for (const text of [script, worker, style])
    if (!/^[\x01-\x7f]*$/.test(text))
        throw new Error('not ASCII');

const block = (id, bytes) => Buffer.concat([
    Buffer.from(`<script type="text/plain" id="${id}">`), escapeBytes(bytes), Buffer.from('</script>\n')]);
const head = readFileSync('report/page/page.html', 'ascii')
    .replace('POLICY', policy).replace('STYLE', () => style).replace('SCRIPT', () => script);
writeFileSync(resolve(page, 'page.html'), Buffer.concat([
    Buffer.from(head), block('worker', Buffer.from(worker)), block('module', readFileSync(resolve(page, 'page.wasm')))]));
