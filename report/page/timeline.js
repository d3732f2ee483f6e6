// SPDX-License-Identifier: MIT
// timeline.js - a thread from the whole run down to single events: its activations, the rules that derive
// it, and where it executed paths for the first time.
//
//      new paths    |  |||       |                  marks
//      repetition   ____/\\_______                   an area: symbols for each event
//      calls        main                            bars, a row for each level of calls
//                   compress      uncompress
//      rules        rule 12   rule 12   rule 7      bars; equal rules have equal colours: repetition shows
import { scaleLinear } from 'd3-scale';
import { button, count, el, failure, link, nameOf, plural, replace, share, shortName, table, time } from './dom.js';
import { at, go, note } from './main.js';

const ROW = 18, AXIS = 24, MARKS = 22, AREA = 26, GAP = 20, LEFT = 8;
const FIELDS = 7;     // of a bar: begin, end, what, first, length, sampled, routine

const dark = () => {
    const theme = document.documentElement.dataset.theme;

    return theme ? theme === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches;
};

// A routine has its hue, a rule a shade of the hue of the routine that it mostly runs.
function colour(bar, kind, night) {
    const hue = (bar.routine + 1) * 137.508 % 360, shade = kind === 'rules' ? (Math.abs(bar.what) * 0.618034) % 1 : 0.5;
    const tone = night ? [38, 24 + 18 * shade] : [62, 68 + 20 * shade];

    return bar.routine < 0 ? 'gray' : `hsl(${hue.toFixed(0)} ${tone[0]}% ${tone[1].toFixed(0)}%)`;
}

const bars = (flat) => Array.from({ length: flat.length / FIELDS }, (_, i) => {
    const [begin, end, what, first, length, sampled, routine] = flat.slice(FIELDS * i, FIELDS * i + FIELDS);

    return { begin, end, what, first, length, sampled: sampled === 1, routine };
});

// Acts at once.  Calls that come meanwhile become one more action: a turning wheel does not leave a queue of them.
function latest(act) {
    let busy = false, again = false;

    return async () => {
        again = true;
        if (busy)
            return;
        busy = true;
        try {
            while (again) {
                again = false;
                await act();
            }
        } finally {
            busy = false;
        }
    };
}

// What the page knows of a run's rules by their names.
const ruleName = (what) => (what < 0 ? `path ${count(-1 - what)}` : `rule ${count(what)}`);

export async function timeline({ run, words, section, isCurrent }) {
    const { threads, routines } = run.about;
    const thread = Math.min(Number(words.thread ?? 0), threads.length - 1), about = threads[thread];
    const byTime = words.by === 'time' && about.end > about.begin;
    const whole = byTime ? [about.begin, about.end] : [0, about.events];
    const callName = (what) => shortName(run, routines[what][0]);
    let view = [Number(words.from ?? whole[0]), Number(words.to ?? whole[1])];
    let chart = null, called = null, chosen = null, cursor = words.event === undefined ? null : Number(words.event);

    if (!about.events) {
        section.append(el('p', {}, 'This thread has no events.'));
        return undefined;
    }

    // ---- The picture ---------------------------------------------------------------------------------
    const canvas = el('canvas', { tabIndex: 0, id: 'timeline', role: 'application', 'aria-label': 'Timeline', 'aria-describedby': 'timeline-help' });
    const tip = el('p.tip', { 'aria-hidden': 'true' });
    const said = el('p', { role: 'status', id: 'timeline-said' });
    const inside = el('p.inside', { id: 'inside' }), detail = el('div.detail', { 'aria-live': 'polite', id: 'detail' }), words_ = el('details.words');
    const place = byTime ? time : (n) => count(n);
    let rows = [];            // what is drawn: { top, level, kind, bars }
    let across = 200;         // width of the drawing, measured once: each measurement lays the page out
    const width = () => Math.max(200, Math.min(4000, Math.floor(canvas.parentNode.clientWidth - 2 * LEFT)));
    const toX = (column) => LEFT + column * (across / chart.columns);

    function layout() {
        let top = AXIS + MARKS + AREA;
        const put = (levels, kind) => {
            rows.push({ top, heading: kind });
            top += GAP;
            levels.forEach((flat, level) => { rows.push({ top, level, kind, bars: flat }); top += ROW; });
        };

        rows = [];
        put(called?.levels ?? [], 'calls');
        if (!called?.levels.length)
            top += ROW;
        put(chart.levels, 'rules');
        return top + 8;
    }
    function drawBar(pen, row, bar, colours) {
        const x = toX(bar.begin), w = Math.max(1, toX(bar.end) - x);

        pen.fillStyle = colour(bar, row.kind, colours.night);
        pen.fillRect(x, row.top, w - (w > 3 ? 1 : 0), ROW - 1);
        if (chosen && chosen.kind === row.kind && chosen.bar.what === bar.what) {
            pen.strokeStyle = colours.accent;
            pen.lineWidth = chosen.bar.first === bar.first ? 2 : 1;
            pen.strokeRect(x + 0.5, row.top + 0.5, Math.max(1, w - 2), ROW - 2);
        }
        if (w > 34) {
            pen.save();
            pen.beginPath();
            pen.rect(x, row.top, w - 3, ROW);
            pen.clip();
            pen.fillStyle = colours.text;
            pen.fillText(row.kind === 'calls' ? callName(bar.what) : ruleName(bar.what), x + 3, row.top + 13);
            pen.restore();
        }
    }
    function drawAxis(pen, colours, height) {
        const scale = scaleLinear().domain(chart.view).range([LEFT, LEFT + across]);

        pen.strokeStyle = colours.line;
        pen.fillStyle = colours.soft;
        pen.lineWidth = 1;
        for (const tick of scale.ticks(Math.max(2, Math.floor(across / 120)))) {
            const x = Math.round(scale(tick)) + 0.5;

            pen.beginPath();
            pen.moveTo(x, AXIS - 5);
            pen.lineTo(x, height);
            pen.stroke();
            const label = byTime ? time(tick) : count(tick);

            if (x + 3 + pen.measureText(label).width <= across + 2 * LEFT)
                pen.fillText(label, x + 3, 14);
        }
    }
    function drawMarks(pen, colours) {
        const most = Math.max(1, ...chart.news.map(([, n]) => n));

        pen.fillStyle = colours.accent;
        for (const [column, n] of chart.news) {
            const h = 3 + (MARKS - 7) * Math.sqrt(n / most);

            pen.fillRect(toX(column), AXIS + MARKS - 4 - h, Math.max(1, toX(1) - toX(0)), h);
        }
    }
    // Symbols for each event, at most 1; its root, so that little is seen, too.
    function drawRepetition(pen, colours) {
        const bottom = AXIS + MARKS + AREA - 4, pairs = chart.symbols;

        pen.fillStyle = colours.soft;
        pen.globalAlpha = 0.45;
        for (let column = 0; column < chart.columns; column++) {
            const events = pairs[2 * column], h = events ? (AREA - 6) * Math.sqrt(Math.min(1, pairs[2 * column + 1] / events)) : 0;

            pen.fillRect(toX(column), bottom - h, toX(1) - toX(0) + 0.3, h + 1);
        }
        pen.globalAlpha = 1;
    }
    function draw() {
        if (!chart)
            return;
        across = width();
        const height = layout(), ratio = window.devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
        const colours = Object.fromEntries(['text', 'soft', 'line', 'accent'].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
        const pen = canvas.getContext('2d');

        colours.night = dark();
        canvas.width = (across + 2 * LEFT) * ratio;
        canvas.height = height * ratio;
        canvas.style.height = `${height}px`;
        pen.scale(ratio, ratio);
        pen.font = '12px system-ui, sans-serif';
        drawAxis(pen, colours, height);
        drawMarks(pen, colours);
        drawRepetition(pen, colours);
        for (const row of rows) {
            pen.fillStyle = colours.soft;
            if (row.heading)
                pen.fillText(row.heading === 'rules' ? 'rules' : called ? 'calls' : 'calls: reading the stacks\u2026', LEFT, row.top + 14);
            else
                for (const bar of row.bars)
                    drawBar(pen, row, bar, colours);
        }
        const [from, to] = chart.view;
        if (cursor !== null && !byTime && cursor >= from && cursor <= to) {
            const x = LEFT + (cursor - from) / (to - from) * across;

            pen.fillStyle = colours.accent;
            pen.fillRect(x, AXIS - 6, 2, height);
        }
    }

    // ---- Asking --------------------------------------------------------------------------------------
    function describe() {
        const [from, to] = chart.view;

        said.textContent = `${byTime ? 'Time' : 'Events'} ${place(from)} to ${place(to)}, ${share(to - from, whole[1] - whole[0])} of the thread, `
            + `events ${count(chart.first)} to ${count(chart.last)}.`;
        replace(inside, 'Within ', called ? called.inside.map(([r]) => [nameOf(run, routines[r][0]), ' \u203a ']) : null,
            chart.inside.map(([r, first, length]) => [button(ruleName(r), () => choose({ kind: 'rules', bar: { what: r, first, length } }), { className: 'quiet' }), ' ']),
            !called?.inside.length && !chart.inside.length ? 'the whole thread' : null);
    }
    // The widest bars as a table: for who cannot see the picture, and for paper.
    function fillWords() {
        const list = (kind, levels) => levels.flatMap((flat, level) => flat.map((bar) => ({ ...bar, kind, level })))
            .filter((b) => !b.sampled).sort((a, b) => b.length - a.length).slice(0, 20);
        const cells = (b) => [b.kind === 'calls' ? callName(b.what) : ruleName(b.what), b.level, count(b.first), count(b.length),
            button('zoom', () => zoomTo(b.first, b.length), { className: 'quiet' })];
        const columns = [['what'], ['level', 'number'], ['first event', 'number'], ['events', 'number'], ['']];

        replace(words_, el('summary', {}, 'What is widest here, as a table'),
            table('Activations', columns, list('calls', called?.levels ?? []).map(cells)), table('Rules', columns, list('rules', chart.levels).map(cells)));
    }
    async function look() {
        const columns = width(), question = [thread, byTime ? 1 : 0, view[0], view[1], columns];

        note(at(run, 'timeline', { thread, by: byTime ? 'time' : null, from: view[0], to: view[1], event: cursor }));
        const answer = await run.ask('timeline', ...question);
        if (!isCurrent())
            return;
        chart = { question, view: question.slice(2, 4), columns, first: answer.first, last: answer.last, inside: answer.insideRules, levels: answer.rules.map(bars), symbols: answer.symbols,
            news: Array.from({ length: answer.new.length / 2 }, (_, i) => [answer.new[2 * i], answer.new[2 * i + 1]]) };
        called = called?.of === String(question) ? called : null;
        describe();
        draw();
        lookAtCalls().catch((error) => replace(detail, failure(error)));
    }
    const lookAtCalls = latest(async () => {
        const { question } = chart, calls = await run.ask('calls', ...question);

        if (question !== chart.question || !isCurrent())
            return;
        called = { of: String(question), levels: calls.calls.map(bars), inside: calls.insideCalls };
        describe();
        fillWords();
        draw();
        canvas.dataset.drawn = String(question);
    });
    const lookAgain = latest(look);

    // ---- Moving --------------------------------------------------------------------------------------
    function move(from, to) {
        const least = 1;
        const size = Math.min(Math.max(to - from, least), whole[1] - whole[0]);
        const begin = Math.min(Math.max(from, whole[0]), whole[1] - size);

        view = [begin, begin + size];
        lookAgain();
    }
    const zoom = (factor, around = 0.5) => {
        const size = view[1] - view[0], middle = view[0] + size * around;

        move(middle - size * factor * around, middle + size * factor * (1 - around));
    };
    const pan = (part) => move(view[0] + part * (view[1] - view[0]), view[1] + part * (view[1] - view[0]));
    const timeAt = (column) => chart.view[0] + column / chart.columns * (chart.view[1] - chart.view[0]);
    // To a part given in events.  By time there are only events' times: the bar says where it is drawn.
    function zoomTo(first, length, bar) {
        if (!byTime)
            move(first - length * 0.02, first + length * 1.02);
        else if (bar)
            move(timeAt(bar.begin), timeAt(bar.end));
    }

    async function choose(what) {
        chosen = what;
        draw();
        const { kind, bar } = what, common = [el('p', {}, `Events ${count(bar.first)} to ${count(bar.first + bar.length - 1)}: ${plural(bar.length, 'event')}, ${share(bar.length, about.events)} of the thread.`)];
        const tools = el('p.tools', {}, button('zoom to it', () => zoomTo(bar.first, bar.length, bar), { id: 'zoom-chosen' }), ' ',
            link('step through it', at(run, 'steps', { thread, event: bar.first })), ' ',
            kind === 'calls' ? [link('source', at(run, 'source', { file: routines[bar.what][1], line: routines[bar.what][2] })), ' ', link('callers', at(run, 'calls', { kind: 2, routine: bar.what }))]
                : bar.what >= 0 ? link('grammar', at(run, 'grammar', { rule: bar.what })) : null);

        replace(detail, el('h2', {}, kind === 'calls' ? nameOf(run, routines[bar.what][0]) : ruleName(bar.what)),
            bar.sampled ? el('p', {}, 'Narrower than what is drawn: zoom in to see what is beside it.') : null, common, tools);
        if (kind === 'rules' && bar.what >= 0) {
            const rule = { ...await run.ask('rule', bar.what), ...await run.ask('ruleUse', bar.what) }, all = rule.routines.reduce((sum, [, n]) => sum + n, 0);

            if (chosen === what)
                tools.before(el('p', {}, `It stands ${plural(rule.frequency, 'time')} in the run, ${share(rule.frequency * rule.length, run.about.events)} of all events, and runs `,
                    rule.routines.slice(0, 4).map(([r, n], i) => [i ? ', ' : '', nameOf(run, routines[r][0]), ` ${share(n, all)}`]), '.'));
        }
    }
    function barAt(x, y) {
        const row = rows.find((r) => !r.heading && y >= r.top && y < r.top + ROW);
        const column = (x - LEFT) / (across / (chart?.columns ?? 1));
        const bar = row?.bars.find((b) => column >= b.begin && column < b.end);

        return bar ? { kind: row.kind, bar } : null;
    }
    const mouse = (e) => {
        const box = canvas.getBoundingClientRect();

        return [e.clientX - box.left, e.clientY - box.top];
    };
    let drag = null;
    canvas.addEventListener('pointerdown', (e) => { drag = { x: e.clientX, view: [...view], moved: false }; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener('pointerup', (e) => {
        const hit = drag && !drag.moved ? barAt(...mouse(e)) : null;

        drag = null;
        if (hit)
            choose(hit);
    });
    canvas.addEventListener('pointermove', (e) => {
        if (drag) {
            const by = (drag.x - e.clientX) / across * (drag.view[1] - drag.view[0]);

            drag.moved ||= Math.abs(drag.x - e.clientX) > 3;
            if (drag.moved)
                move(drag.view[0] + by, drag.view[1] + by);
            return;
        }
        const hit = barAt(...mouse(e));
        tip.textContent = hit ? `${hit.kind === 'calls' ? callName(hit.bar.what) : ruleName(hit.bar.what)}, ${plural(hit.bar.length, 'event')} from ${count(hit.bar.first)} on` : '';
    });
    canvas.addEventListener('dblclick', (e) => {
        const hit = barAt(...mouse(e));

        if (hit)
            zoomTo(hit.bar.first, hit.bar.length, hit.bar);
    });
    canvas.addEventListener('wheel', (e) => {
        if (!e.ctrlKey && !e.shiftKey && Math.abs(e.deltaX) < Math.abs(e.deltaY)) {
            e.preventDefault();
            zoom(Math.exp(Math.sign(e.deltaY) * 0.25), Math.min(1, Math.max(0, (mouse(e)[0] - LEFT) / across)));
        } else if (e.deltaX) {
            e.preventDefault();
            pan(e.deltaX / across);
        }
    }, { passive: false });
    canvas.addEventListener('keydown', (e) => {
        const act = { ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
            Home: () => move(...whole), Enter: () => go(at(run, 'steps', { thread, event: Math.floor((chart.first + chart.last) / 2) })),
            PageUp: () => pan(-1), PageDown: () => pan(1) }[e.key];

        if (!act || e.ctrlKey || e.metaKey || e.altKey)
            return;
        e.preventDefault();
        act();
    });

    section.append(
        el('p.tools', {}, el('label', {}, 'thread ', el('select', { id: 'thread', onchange(e) { go(at(run, 'timeline', { thread: e.target.value })); } },
            threads.map((t, i) => el('option', { value: i, selected: i === thread }, `${i} ${t.name}`)))), ' ',
        el('label', {}, 'by ', el('select', { id: 'timeline-by', onchange(e) { go(at(run, 'timeline', { thread, by: e.target.value })); } },
            el('option', { value: 'events', selected: !byTime }, 'events'), about.end > about.begin ? el('option', { value: 'time', selected: byTime }, 'time') : null)), ' ',
        button('+', () => zoom(0.5), { id: 'zoom-in', 'aria-label': 'zoom in' }), button('\u2212', () => zoom(2), { id: 'zoom-out', 'aria-label': 'zoom out' }),
        button('\u25c0', () => pan(-0.5), { id: 'pan-left', 'aria-label': 'to the left' }), button('\u25b6', () => pan(0.5), { id: 'pan-right', 'aria-label': 'to the right' }),
        button('whole', () => move(...whole), { id: 'whole' }), ' ',
        el('label', {}, 'go to event ', el('input', { type: 'number', id: 'goto', min: 0, max: about.events - 1, onchange(e) {
            cursor = Number(e.target.value);
            if (byTime)
                go(at(run, 'timeline', { thread, from: Math.max(0, cursor - 20), to: Math.min(about.events, cursor + 20), event: cursor }));
            else
                move(cursor - 20, cursor + 20);
        } }))),
        said, inside, el('div.chart', {}, canvas), tip,
        el('p.legend', { id: 'timeline-help' }, 'Marks: where paths were executed for the first time. Area: symbols of the grammar for each event; where it is low, the run repeats itself. '
            + 'A rule has a shade of the colour of the routine that it mostly runs; equal bars are equal parts. Bars narrower than what is drawn stand for their neighbours, too. '
            + 'Drag or arrow keys move, the wheel, + and \u2212 zoom, a double click goes to a bar, Home shows all, Enter steps from the middle.'),
        detail, words_);
    const resized = new ResizeObserver(() => { if (chart && width() !== chart.columns) lookAgain(); });
    resized.observe(canvas.parentNode);
    const themed = () => draw();
    document.addEventListener('theme', themed);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', themed);
    await lookAgain();
    return () => { resized.disconnect(); document.removeEventListener('theme', themed); };
}
