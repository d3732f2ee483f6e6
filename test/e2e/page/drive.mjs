// SPDX-License-Identifier: MIT
// drive.mjs PACKAGES CHROMIUM FACTS PAGES...: opens pages of wpp-report --html and uses them as a person does.
//
// FACTS is a JSON file of what the tools say of the same runs.  Prints `ok NAME` or `not ok NAME: why` for each
// check; test/e2e/page.sh counts them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [packages, executablePath, factsFile, ...pages] = process.argv.slice(2);
const { chromium } = createRequire(resolve(packages, 'package.json'))('playwright-core');
const facts = JSON.parse(readFileSync(factsFile, 'utf8'));
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const TIME = 60000;

function say(name, good, why) {
    console.log(good ? `ok ${name}` : `not ok ${name}: ${String(why).replaceAll('\n', ' ').slice(0, 600)}`);
}
const is = (name, got, want) => say(name, JSON.stringify(got) === JSON.stringify(want), `got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
const number = (text) => Number(text.replaceAll(',', ''));

// Opens a page; complaints collects what the console says and what is asked of the network.
async function open(file, options) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    const complaints = [];

    page.setDefaultTimeout(TIME);
    page.on('console', (m) => complaints.push(`console: ${m.text()}`));
    page.on('pageerror', (e) => complaints.push(`error: ${e.message}`));
    page.on('dialog', (d) => { complaints.push(`dialog: ${d.message()}`); d.dismiss(); });
    page.on('request', (r) => { if (!/^(file|blob):/.test(r.url()) || (r.url().startsWith('file:') && !r.isNavigationRequest())) complaints.push(`request: ${r.url()}`); });
    await page.goto(`file://${file}`);
    await page.waitForSelector('html[data-whole]');
    return { page, complaints };
}
const ready = (page, view) => page.waitForSelector(`main[data-ready="${view}"]`);
async function view(page, name) {
    await page.click(`nav a[data-view="${name}"]`);
    await ready(page, name);
}
// To an address, as a link would.
async function visit(page, hash) {
    await page.evaluate((to) => { location.hash = to; }, hash);
    await page.waitForFunction((to) => document.querySelector('main').dataset.ready === to, new URLSearchParams(hash).get('view'));
}
const idle = (page) => page.waitForFunction(() => document.documentElement.dataset.busy === '0');
const text = (page, selector) => page.locator(selector).first().innerText();
const atEvent = (page, event) => page.waitForFunction((e) => document.querySelector('#event strong')?.textContent === `Event ${new Intl.NumberFormat('en').format(e)}`, event);

// ---- One run ------------------------------------------------------------------------------------------

async function overview(page) {
    is('overview: the command', await text(page, '.command'), facts.info.command);
    is('overview: events', number((await text(page, '.facts')).match(/([\d,]+) paths were executed/)[1]), facts.info.events);
    await page.waitForSelector('#top');
    is('overview: the dearest routine', await text(page, '#top tbody code'), facts.report.routines[0].name);
}

async function report(page) {
    await view(page, 'report');
    const rows = await page.$$eval('#routines tbody tr', (all) => all.map((r) => [r.children[3].querySelector('code').textContent, r.children[2].textContent]));
    is('report: routines', rows.map(([name]) => name).sort(), facts.report.routines.map((r) => r.name).sort());
    is('report: calls', number(rows.find(([name]) => name === 'fib')[1]), facts.report.routines.find((r) => r.name === 'fib').calls);
    await page.click('#routines thead th:nth-child(3) button');
    const calls = await page.$$eval('#routines tbody tr', (all) => all.map((r) => Number(r.children[2].textContent.replaceAll(',', ''))));
    is('report: sorted by calls', calls.filter((n) => n < 10000), calls.filter((n) => n < 10000).sort((a, b) => b - a));
    await page.fill('input[aria-label="Filter routines"]', 'FIB');
    is('report: filtered', await page.locator('#routines tbody tr').count(), 1);
    say('report: loops', await page.locator('#loops tbody tr').count() > 0, 'none');
}

async function calls(page) {
    await view(page, 'calls');
    say('calls: a tree', /main/.test(await text(page, '.tree summary')), await text(page, '.tree'));
    await page.selectOption('main select', { label: 'leaf' });
    await page.waitForSelector('a[aria-current="true"] >> text=below leaf');
    await page.click('text=callers of leaf');
    await page.waitForSelector('a[aria-current="true"] >> text=callers of leaf');
    await ready(page, 'calls');
    await page.click('text=open all');
    say('calls: callers', (await text(page, '.tree')).includes('work'), await text(page, '.tree'));
}

async function hot(page) {
    await view(page, 'hot');
    say('hot paths: some', await page.locator('details.hot').count() > 0, 'none');
    await page.waitForSelector('details.hot[open] .marked');
    say('hot paths: the source beside', (await text(page, 'details.hot[open] .marked .text')).trim().length > 0, 'empty');
}

async function source(page) {
    await view(page, 'source');
    await page.click('#files a');
    await page.waitForSelector('table.source');
    const lines = await page.$$eval('table.source tbody tr', (rows) => rows.map((r) => [r.querySelector('.line').textContent, r.children[0].textContent, r.querySelector('.text').textContent]));
    is('source: its text', lines[facts.line - 1][2].trim(), facts.text);
    is('source: executions', number(lines[facts.line - 1][1]), facts.executions);
    is('source: a line that was not executed', lines[facts.missed - 1][1], '0');
    await page.selectOption('#by', 'coverage');
    await page.waitForSelector('table.source[data-by="coverage"]');
    say('source: coverage in colours', await page.evaluate(() => getComputedStyle(document.querySelector('.missed')).backgroundColor !== getComputedStyle(document.querySelector('.ran')).backgroundColor), 'alike');
    await page.click(`#L${facts.line} button`);
    await ready(page, 'steps');
    say('source: to an execution', (await text(page, '#event')).includes('leaf'), await text(page, '#event'));
}

async function steps(page) {
    await visit(page, `view=steps&thread=0&event=${facts.from}`);
    await atEvent(page, facts.from);
    const begin = Date.now();
    // What is not shown need not be painted, which is most of the work.
    const back = await page.evaluate(async (from) => {
        const what = () => { const p = document.querySelector('#event p'); return `${p.querySelector('code').textContent} ${/ path ([\d,]+)/.exec(p.textContent)?.[1].replaceAll(',', '')}`; };
        const shown = () => Number(document.querySelector('#event strong').textContent.slice(6).replaceAll(',', ''));
        const seen = [what()], main = document.querySelector('main');
        let changed;
        const watch = new MutationObserver(() => changed?.());

        watch.observe(document.querySelector('#event'), { childList: true });
        while (seen.length <= 1000) {
            main.style.display = seen.length > 100 ? 'none' : '';
            const step = new Promise((done) => { changed = done; });
            document.getElementById('back').click();
            while (shown() !== from - seen.length)
                await step;
            seen.push(what());
        }
        main.style.display = '';
        watch.disconnect();
        return seen;
    }, facts.from);
    console.log(`# ms: 1,000 steps ${Date.now() - begin}`);
    is('steps: back 1,000 times', back.reverse(), facts.paths);
    await page.keyboard.press('ArrowRight');
    await atEvent(page, facts.from - 999);
    say('steps: forward by the keyboard', true);
    await visit(page, `view=steps&thread=0&event=${facts.deep.event}`);
    await atEvent(page, facts.deep.event);
    await page.waitForFunction((n) => document.querySelectorAll('#stack tbody code').length === n, facts.deep.stack.length);
    is('steps: the stack', await page.$$eval('#stack tbody code', (all) => all.map((c) => c.textContent)), facts.deep.stack);
    const since = await page.$$eval('#stack tbody tr', (all) => [all[0].children[2].textContent, all[0].children[3].textContent].map((t) => Number(t.replaceAll(',', ''))));
    await page.click('#call');
    await atEvent(page, since[0] - 1);
    await page.click('#forward');
    await atEvent(page, since[0]);
    await page.click('#out');
    await atEvent(page, since[1]);
    say('steps: to the call and out', true);
    await visit(page, 'view=steps&thread=0&seek=routine&number=1');
    await page.waitForSelector('#next');
    const first = number((await text(page, '#event strong')).slice(6));
    await page.click('#next');
    await page.waitForFunction((f) => Number(document.querySelector('#event strong').textContent.slice(6).replaceAll(',', '')) > f, first);
    await page.click('#previous');
    await atEvent(page, first);
    say('steps: the next and the previous call', true);
}

async function timeline(page) {
    await view(page, 'timeline');
    await page.waitForSelector('#timeline[data-drawn]');
    const coloured = () => page.evaluate(() => {
        const c = document.getElementById('timeline'), copy = Object.assign(document.createElement('canvas'), { width: c.width, height: c.height });
        const pen = copy.getContext('2d', { willReadFrequently: true }), seen = new Set();

        pen.drawImage(c, 0, 0);
        const pixels = pen.getImageData(0, 0, c.width, c.height).data;
        for (let i = 0; i < pixels.length; i += 4 * 7)
            if (pixels[i + 3])
                seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
        return seen.size;
    });
    say('timeline: a picture', await coloured() > 10, await coloured());
    const middle = Math.floor(facts.info.events / 2);
    await page.fill('#goto', String(middle));
    await page.press('#goto', 'Tab');
    await page.waitForFunction((e) => { const m = /events ([\d,]+) to ([\d,]+)\.$/.exec(document.getElementById('timeline-said').textContent)?.slice(1).map((t) => Number(t.replaceAll(',', ''))); return m && m[0] <= e && e <= m[1] && m[1] - m[0] <= 41; }, middle);
    for (let i = 0; i < 12; i++) {
        await page.focus('#timeline');
        await page.keyboard.press('+');
        await page.waitForTimeout(90);
        await idle(page);
    }
    const range = /events ([\d,]+) to ([\d,]+)\.$/.exec(await text(page, '#timeline-said')).slice(1).map(number);
    say('timeline: zoomed to one event', range[1] - range[0] <= 1 && Math.abs(range[0] - middle) <= 1, range);
    await page.keyboard.press('Enter');
    await ready(page, 'steps');
    is('timeline: and from there to its step', number((await text(page, '#event strong')).slice(6)), range[0]);
    await page.goBack();
    await ready(page, 'timeline');
    await page.click('#whole');
    await page.waitForFunction(() => document.getElementById('timeline-said').textContent.includes('100.0\u00a0%'));
    await idle(page);
    await page.waitForTimeout(120);
    await page.click('#timeline', { position: { x: 300, y: 24 + 22 + 26 + 20 + 9 } });
    await page.waitForSelector('#zoom-chosen');
    say('timeline: a bar tells what it is', /main|work|fib/.test(await text(page, '#detail')), await text(page, '#detail'));
    await page.selectOption('#timeline-by', 'time');
    await page.waitForFunction(() => /^Time/.test(document.getElementById('timeline-said').textContent));
    say('timeline: by time', true);
    if (facts.threads > 1) {
        await page.selectOption('#thread', '1');
        await page.waitForFunction(() => location.hash.includes('thread=1'));
        await page.waitForSelector('#timeline[data-drawn^="1,"]');
        say('timeline: another thread', await coloured() > 3, await coloured());
    }
}

async function grammar(page) {
    await view(page, 'grammar');
    say('grammar: no picture at first', await page.locator('.dag svg').count() === 0, 'there is one');
    await page.click('#draw');
    await page.waitForSelector('.dag svg .node');
    say('grammar: a picture on demand', await page.locator('.dag svg .node').count() > 1, await page.locator('.dag svg .node').count());
    const rule = (await page.locator('.dag svg .node:not(.root) text').first().textContent()).slice(5);
    await page.locator('.dag svg .node:not(.root)').first().click();
    await page.waitForFunction((r) => document.querySelector('main h2')?.textContent === `Rule ${r}`, rule);
    say('grammar: into a rule', true);
}

async function search(page) {
    await page.fill('#search', 'lea');
    is('search: a routine', (await text(page, '.results a')).split(' ')[0], 'leaf');
    await page.press('#search', 'Enter');
    await ready(page, 'source');
    await page.waitForSelector('tr.target');
    is('search: to its source', number(await text(page, 'tr.target .line')), facts.leafLine);
    await page.fill('#search', 'event 812');
    await page.press('#search', 'Enter');
    await ready(page, 'steps');
    await atEvent(page, 812);
    await page.fill('#search', 'rule 0');
    await page.press('#search', 'Enter');
    await ready(page, 'grammar');
    is('search: event and rule', await text(page, 'main h2'), 'Rule 0');
    await page.fill('#search', 'no such thing');
    is('search: nothing', await text(page, '.results'), 'nothing found');
    await page.press('#search', 'Escape');
}

async function looks(page) {
    await view(page, 'overview');
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await ground();
    say('dark where the system is', dark !== light, dark);
    await page.click('text=Colours: auto');
    is('light where the reader wants it', await ground(), light);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    is('paper is white and has no buttons', [await ground(), await page.isVisible('nav')], ['rgb(255, 255, 255)', false]);
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    const nameless = await page.evaluate(() => [...document.querySelectorAll('input, select, button, a, canvas')].filter((e) =>
        !e.hidden && !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim())).length);
    is('all controls have names', nameless, 0);
}

async function oneRun(file) {
    const { page, complaints } = await open(file);
    const answers = [];

    await page.keyboard.press('Tab');
    is('the keyboard begins at the skip link', await page.evaluate(() => document.activeElement.className), 'skip');
    await overview(page);
    for (const part of [report, calls, hot, source, steps, timeline, grammar, search, looks]) {
        await part(page);
        await idle(page);
        if (await page.locator('.error').count())
            complaints.push(await text(page, '.error'));
    }
    for (const [question, ...words] of [['timeline'], ['steps'], ['source'], ['report']]) {
        const begin = Date.now();

        await view(page, question, ...words);
        answers.push(`${question} ${Date.now() - begin}`);
    }
    console.log(`# ms: ${answers.join(', ')}`);
    is('no console message, no request', complaints, []);
    await page.close();
}

// ---- Other pages ------------------------------------------------------------------------------------------

async function twoRuns(file) {
    const { page, complaints } = await open(file);

    await view(page, 'compare');
    await page.selectOption('#compare-by', 'path');
    await page.waitForFunction(() => location.hash.includes('by=path'));
    await page.waitForSelector('.parting');
    const parting = facts.diff.threads[0].partings[0];
    const said = await text(page, '.parting[open]');
    is('two runs: the first difference', [...said.matchAll(/^([AB]): event ([\d,]+)/gm)].map(([, side, n]) => [side, number(n)]), [['A', parting.a.event], ['B', parting.b.event]]);
    is('two runs: the stacks', await page.locator('.parting[open] .stack').first().locator('code').allInnerTexts(), parting.a.stack.map((f) => f.name).reverse());
    say('two runs: what differs most', await page.locator('#diff-routines tbody tr').count() > 0, 'nothing');
    await page.locator('.parting[open] a >> text=step there').nth(1).click();
    await ready(page, 'steps');
    await atEvent(page, parting.b.event);
    is('two runs: a step of B', await text(page, '.runs [aria-pressed="true"]'), `B: ${facts.names[1]}`);
    await page.click('.runs button >> nth=0');
    await page.waitForSelector('.runs [aria-pressed="true"] >> text=A:');
    is('two runs: no console message, no request', complaints, []);
    await page.close();
}

async function hostile(file) {
    const { page, complaints } = await open(file);

    say('hostile: its command is shown as it is', (await text(page, '.command')).includes(facts.evil), await text(page, '.command'));
    for (const name of ['report', 'calls', 'hot', 'source', 'steps', 'timeline', 'grammar', 'overview']) {
        await view(page, name);
        await idle(page);
    }
    await visit(page, 'view=source&file=' + encodeURIComponent(facts.evilFile) + '&line=3');
    say('hostile: a source with its text', (await text(page, '#L3 .text')).includes('"</script><script>window.hacked=1</script>" & <img'), await text(page, 'main'));
    await page.fill('#search', '<');
    const elements = await page.evaluate(() => [window.hacked, document.querySelectorAll('img, iframe, object, main script').length]);
    is('hostile: nothing ran, nothing became an element', elements, [null, 0].map((x) => (x === null ? undefined : x)));
    is('hostile: no console message, no request', complaints, []);
    const refused = await page.evaluate(() => new Promise((resolve_) => {
        document.addEventListener('securitypolicyviolation', (e) => resolve_(e.effectiveDirective));
        document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hacked = 1' }));
        setTimeout(() => resolve_('nothing'), 3000);
    }));
    is('hostile: the policy refuses another script', [refused, await page.evaluate(() => window.hacked)], ['script-src-elem', undefined]);
    await page.close();
}

async function incomplete(file) {
    const { page, complaints } = await open(file);

    say('incomplete: it is said', /incomplete \(stopped by --limit\)/.test(await text(page, '.notes')), await text(page, '.notes'));
    is('incomplete: no console message', complaints, []);
    await page.close();
}

const kinds = { one: oneRun, two: twoRuns, hostile, incomplete };
try {
    for (const page of pages) {
        const [kind, file] = page.split('=');

        await kinds[kind](file);
    }
} catch (error) {
    say('the page does what it is asked', false, error.stack);
}
await browser.close();
