// SPDX-License-Identifier: MIT
// page.mjs PACKAGES CHROMIUM PAGE: how long a page of wpp-report --html takes to open and to answer, in milliseconds.
//
// A row for each question: as a person sees it, in the page.  The first ones are asked while the call tree is still made.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [packages, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(resolve(packages, 'package.json'))('playwright-core');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
page.setDefaultTimeout(300000);
const begin = Date.now();
const row = (what, from) => console.log(`${String(Date.now() - from).padStart(8)}  ${what}`);
const attribute = (name) => page.waitForSelector(`html[data-${name}]`, { state: 'attached' });

async function timed(what, act, done) {
    await settle();
    const from = Date.now();

    await act();
    await page.waitForFunction(done);
    row(what, from);
}
// The page notes in its address where one is, up to 250 ms later.
const settle = () => page.waitForTimeout(300);
const visit = (hash) => page.evaluate((to) => { location.hash = to; }, hash);
const shown = (view, more = 'true') => `document.querySelector('main')?.dataset.ready === '${view}' && (${more})`;

await page.goto(`file://${resolve(file)}`, { waitUntil: 'commit' });
await attribute('open');
row('the page is open: its overview is shown', begin);
await attribute('whole');
row('the whole grammar is open', begin);
const events = Number((await page.locator('.facts').innerText()).match(/([\d,]+) paths were executed/)[1].replaceAll(',', ''));
const rules = Number(await page.evaluate(() => /grammar of ([\d,.KMkm]+) rules/.exec(document.body.textContent)?.[1].replace(/,/g, '').replace(/K$/, '000')) ?? 0);
const middle = Math.floor(events / 2);

async function quick(when) {
    await timed(`${when}: a step`, () => visit(`view=steps&event=${middle}`), shown('steps', `document.querySelector('#event strong')`));
    await timed(`${when}: the next step`, () => page.click('#forward'), `document.querySelector('#event strong').textContent === 'Event ${new Intl.NumberFormat('en').format(middle + 1)}'`);
    await timed(`${when}: seek a routine`, () => visit(`view=steps&event=${middle}&seek=routine&number=3`), shown('steps', `document.querySelector('#next')`));
    await timed(`${when}: the next call of it`, () => page.click('#next'), `/ of /.test(document.querySelector('#next').parentNode.textContent)`);
    await timed(`${when}: timeline, rules`, () => visit('view=timeline'), `document.querySelector('#timeline-said')?.textContent`);
    await timed(`${when}: timeline, zoomed`, () => page.click('#zoom-in'), `document.querySelector('#timeline-said').textContent.includes(' 50.0\\u00a0%')`);
    await timed(`${when}: source`, () => visit('view=source'), shown('source'));
    await timed(`${when}: the start rule`, () => visit('view=grammar'), shown('grammar'));
    await timed(`${when}: what it runs`, () => {}, `!document.querySelector('main .wait')`);
    await timed(`${when}: rule 1000`, () => visit('view=grammar&rule=1000'), shown('grammar', `/Rule 1,000/.test(document.querySelector('main h2')?.textContent)`));
    await timed(`${when}: its picture`, () => page.click('#draw'), `document.querySelector('.dag svg')`);
    await timed(`${when}: what it runs`, () => {}, `!document.querySelector('main .wait')`);
}
await quick('at first');
await timed('hot subpaths', () => visit('view=hot'), shown('hot'));
await timed('the report', () => visit('view=report'), shown('report'));
row('the call tree is made', begin);
await page.waitForFunction(() => document.documentElement.dataset.busy === '0');
await quick('later');
await timed('the stack of an event', () => visit(`view=steps&event=${Math.floor(middle / 3)}`), shown('steps', `document.querySelector('#stack')`));
await timed('timeline, calls', () => visit('view=timeline'), `document.querySelector('#timeline')?.dataset.drawn`);
await timed('the tree of calls', () => visit('view=calls'), shown('calls'));
await timed('below a routine', () => visit('view=calls&kind=1&routine=3'), shown('calls', `document.querySelector('main [aria-current="true"]')?.textContent.startsWith('below')`));
await timed('callers', () => visit('view=calls&kind=2&routine=3'), shown('calls', `document.querySelector('main [aria-current="true"]')?.textContent.startsWith('callers')`));
await timed('hot subpaths again', () => visit('view=hot'), shown('hot'));
await browser.close();
