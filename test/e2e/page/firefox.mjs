// SPDX-License-Identifier: MIT
// firefox.mjs FIREFOX FOLDER FACTS PAGE: opens a page of wpp-report --html in Firefox, from disk, and steps, seeks and
// looks at the timeline.
//
// Prints `ok NAME` or `not ok NAME: why`, as drive.mjs does, which has the same FACTS.  FOLDER becomes the browser's
// profile; there the last view is left as a picture, timeline.png.  The browser is driven by its own protocol,
// Marionette: messages `LENGTH:JSON` through a port of this machine.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { resolve } from 'node:path';

const [firefox, folder, factsFile, page] = process.argv.slice(2);
const facts = JSON.parse(readFileSync(factsFile, 'utf8'));
const say = (name, good, why) => console.log(good ? `ok ${name}` : `not ok ${name}: ${String(why).replaceAll('\n', ' ').slice(0, 600)}`);
const is = (name, got, want) => say(name, JSON.stringify(got) === JSON.stringify(want), `got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

// ---- The browser -----------------------------------------------------------------------------------------

function begin() {
    mkdirSync(folder, { recursive: true });
    writeFileSync(resolve(folder, 'user.js'), ['marionette.port', 0, 'browser.shell.checkDefaultBrowser', false, 'datareporting.policy.dataSubmissionEnabled', false,
        'app.update.enabled', false, 'network.captive-portal-service.enabled', false, 'network.connectivity-service.enabled', false]
        .reduce((text, x, i, all) => (i % 2 ? `${text}user_pref("${all[i - 1]}", ${x});\n` : text), ''));
    return spawn(firefox, ['--headless', '--no-remote', '--marionette', '--profile', folder, '--window-size', '1280,900'],
        { stdio: 'ignore', env: { ...process.env, HOME: resolve(folder), MOZ_CRASHREPORTER_DISABLE: '1' } });
}

async function connect() {
    const port = resolve(folder, 'MarionetteActivePort');

    for (let i = 0; i < 300 && !existsSync(port); i++)
        await sleep(100);
    await sleep(100);
    const socket = createConnection(Number(readFileSync(port, 'utf8')), '127.0.0.1');
    const waiting = new Map();
    let text = Buffer.alloc(0), next = 1;

    socket.on('data', (more) => {
        text = Buffer.concat([text, more]);
        for (;;) {
            const colon = text.indexOf(':'), end = colon + 1 + Number(text.subarray(0, Math.max(colon, 0)));

            if (colon < 0 || text.length < end)
                return;
            const message = JSON.parse(text.subarray(colon + 1, end));
            text = text.subarray(end);
            if (Array.isArray(message) && message[0] === 1)
                waiting.get(message[1])(message);
        }
    });
    await new Promise((done, fail) => { socket.once('connect', done); socket.once('error', fail); });
    return (name, words = {}) => new Promise((done, fail) => {
        const id = next++, message = JSON.stringify([0, id, name, words]);

        waiting.set(id, ([, , error, answer]) => (error ? fail(new Error(`${name}: ${error.message}`)) : done(answer)));
        socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
}

// ---- The page --------------------------------------------------------------------------------------------

async function use(command) {
    await command('WebDriver:NewSession', { capabilities: {} });
    await command('WebDriver:SetTimeouts', { script: 60000, pageLoad: 60000 });
    await command('WebDriver:Navigate', { url: `file://${resolve(page)}` });
    const run = async (script, ...args) => (await command('WebDriver:ExecuteScript', { script, args })).value;
    // Until an expression is true, or for a minute; gives its value.
    const wait = async (expression) => {
        let value;

        for (let i = 0; i < 600 && !(value = await run(`return ${expression};`)); i++)
            await sleep(100);
        if (!value)
            throw new Error(`never: ${expression}`);
        return value;
    };
    const visit = (hash) => run('location.hash = arguments[0];', hash);
    const atEvent = (event) => wait(`document.querySelector('#event strong')?.textContent === 'Event ${new Intl.NumberFormat('en').format(event)}'`);
    const what = () => run("const p = document.querySelector('#event p'); return `${p.querySelector('code').textContent} ${/ path ([\\d,]+)/.exec(p.textContent)[1].replaceAll(',', '')}`;");
    const from = facts.from, last = facts.paths.length - 1;

    await wait("document.documentElement.dataset.whole === 'yes'");
    is('firefox: the command', await run("return document.querySelector('.command').textContent;"), facts.info.command);
    await visit(`view=steps&thread=0&event=${from}`);
    await atEvent(from);
    const seen = [await what()];
    for (let i = 1; i <= 5; i++) {
        await run("document.getElementById('back').click();");
        await atEvent(from - i);
        seen.unshift(await what());
    }
    is('firefox: steps back', seen, facts.paths.slice(last - 5));
    await run("document.getElementById('forward').click();");
    await atEvent(from - 4);
    is('firefox: and forward', await what(), facts.paths[last - 4]);
    await visit(`view=steps&thread=0&event=${facts.deep.event}`);
    await wait(`document.querySelectorAll('#stack tbody code').length === ${facts.deep.stack.length}`);
    is('firefox: the stack', await run("return [...document.querySelectorAll('#stack tbody code')].map((c) => c.textContent);"), facts.deep.stack);
    await visit('view=steps&thread=0&seek=routine&number=1');
    await wait("document.querySelector('#next')");
    const first = await wait("Number(document.querySelector('#event strong')?.textContent.slice(6).replaceAll(',', ''))");
    await run("document.getElementById('next').click();");
    const next = await wait(`Math.max(0, Number(document.querySelector('#event strong').textContent.slice(6).replaceAll(',', '')) - ${first})`);
    await run("document.getElementById('previous').click();");
    await atEvent(first);
    say('firefox: seeks the next and the previous call', next > 0, next);
    await visit('view=timeline');
    await wait("document.querySelector('#timeline')?.dataset.drawn");
    writeFileSync(resolve(folder, 'timeline.png'), Buffer.from((await command('WebDriver:TakeScreenshot', { full: false })).value, 'base64'));
    const colours = await run("const c = document.getElementById('timeline'), all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; const seen = new Set(); for (let i = 0; i < all.length; i += 28) if (all[i + 3]) seen.add(all[i] << 16 | all[i + 1] << 8 | all[i + 2]); return seen.size;");
    say('firefox: the timeline', colours > 10, `${colours} colours`);
    is('firefox: no failure is shown', await run("return document.querySelectorAll('.error').length;"), 0);
}

const browser = begin();
try {
    const command = await connect();

    await use(command);
    await Promise.race([command('Marionette:Quit', { flags: ['eForceQuit'] }), sleep(5000)]);
} catch (error) {
    say('firefox: the page does what it is asked', false, error.stack);
}
browser.kill('SIGKILL');
process.exit();
