// SPDX-License-Identifier: MIT
// speedscope.mjs PLAYWRIGHT CHROMIUM SPEEDSCOPE FILE...: lets speedscope import each file, and prints what its sandwich
// view says: `FILE TOTAL SELF NAME`, as it writes figures; or `FILE failed: ...`.
//
// PLAYWRIGHT is a folder with playwright-core installed, SPEEDSCOPE the folder of npm's package.
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';

const [playwright, executablePath, speedscope, ...files] = process.argv.slice(2);
const { chromium } = createRequire(resolve(playwright, 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--allow-file-access-from-files', '--use-gl=swiftshader'] });

async function show(file) {
    const page = await browser.newPage();
    const complaints = [];

    page.setDefaultTimeout(30000);
    page.on('console', (m) => { if (m.type() === 'error') complaints.push(m.text()); });
    page.on('dialog', (d) => { complaints.push(d.message()); d.dismiss(); });
    await page.goto(`file://${resolve(speedscope, 'dist/release/index.html')}`);
    await page.setInputFiles('input[type=file]', file);
    await page.waitForFunction(() => document.body.innerText.includes('Sandwich'));
    // Its first picture must be there, or it complains of itself.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.keyboard.press('3');
    await page.waitForFunction(() => document.body.innerText.includes('Symbol Name') && document.querySelectorAll('table tr').length > 1);
    const rows = await page.$$eval('table tr', (all) => all.slice(1).map((r) => [...r.cells].map((c) => c.innerText.trim().replace(/\s*\(.*%\)$/, ''))));
    for (const row of rows)
        console.log(basename(file), ...row);
    for (const text of complaints)
        console.log(basename(file), 'failed:', text);
    await page.close();
}

for (const file of files)
    await show(file).catch((error) => console.log(basename(file), 'failed:', error.message.split('\n')[0]));
await browser.close();
