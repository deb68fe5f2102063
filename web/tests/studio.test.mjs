// The studio in a real browser: Debian's chromium, driven by playwright-core.
//   MERCER=…/mercer CHROMIUM=/usr/bin/chromium npm test
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { chromium } from 'playwright-core';

const mercer = process.env.MERCER;
const shots = process.env.SCREENSHOTS ?? 'screenshots';
let server, address, browser, page, folder;
let complaints = [];

before(async () => {
  mkdirSync(shots, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  server = spawn(mercer, ['studio', '--no-open', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const piece of server.stdout) {
    text += piece;
    if (text.includes('}')) break;
  }
  address = JSON.parse(text).address;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
});

after(async () => {
  await browser?.close();
  server?.kill('SIGINT');
  rmSync(folder, { recursive: true, force: true });
});

async function open(where = address, options = {}) {
  await page?.context().close();
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...options });
  page = await context.newPage();
  page.setDefaultTimeout(60_000) /* for what hangs */;
  complaints = [];
  page.on('pageerror', (e) => complaints.push(String(e)));
  page.on('console', (m) => {
    // The browser reports refused questions by itself; they are part of the tests.
    if (m.type() === 'error' && !m.text().includes('status of 400')) complaints.push(m.text());
  });
  await page.goto(where);
  await page.waitForSelector('html[data-ready=true]');
}

beforeEach(() => open());

const status = (pattern) =>
  page.waitForFunction(([p]) => new RegExp(p).test(document.getElementById('status').textContent), [pattern.source]);
const text = (id) => page.locator('#' + id).textContent();
const kernel = (k) => page.locator('#kernel').fill(k);
const judged = (k) => page.waitForSelector(`#verdict[data-kernel="${k}"]`);
const learner = (l) => page.locator('#learner').selectOption(l);
const tab = (t) => page.locator('#tab-' + t).click();
// The state that the address holds.
async function state() {
  await page.locator('#share').click();
  const hash = new URL(page.url()).hash.slice(1).replace(/-/g, '+').replace(/_/g, '/');
  return JSON.parse(Buffer.from(hash, 'base64').toString());
}
const ink = (id) =>
  page.evaluate((name) => {
    const c = document.getElementById(name);
    const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    const seen = new Set();
    for (let k = 0; k < data.length; k += 4) seen.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
    return seen.size;
  }, id);
const quiet = () => assert.deepEqual(complaints, []);

test('opens with points, a boundary, its margins and a verdict', async () => {
  await status(/support vectors.*0 of 80 points on the wrong side/);
  await page.waitForSelector('#verdict.yes');
  assert.match(await text('verdict'), /a kernel on R²/);
  assert.ok((await ink('plane')) > 500, 'a field of many colours');
  await page.locator('#proof summary').click();
  assert.match(await text('proof-body'), /is a kernel/);
  await page.waitForFunction(() => document.getElementById('lift-note').textContent.includes('components'));
  assert.ok((await ink('lift')) > 10);
  await page.screenshot({ path: join(shots, 'studio.png') });
  quiet();
});

test('a kernel that is none, one that cannot be read, and back', async () => {
  await kernel('tanh(x.z)');
  await page.waitForSelector('#verdict.no');
  assert.match(await page.locator('#proof-body').textContent(), /< 0 for.*a1 = /s);
  await kernel('2*rfb(1)');
  await page.waitForSelector('#kernel-error:not([hidden])');
  assert.equal(await page.locator('#kernel-error mark').textContent(), 'rfb');
  assert.match(await text('kernel-error'), /unknown name 'rfb'; did you mean rbf\?/);
  await page.screenshot({ path: join(shots, 'error.png') });
  await kernel('2*rbf(1)');
  await page.waitForSelector('#kernel-error', { state: 'hidden' });
  await page.waitForSelector('#verdict.yes');
  await status(/support vectors/);
  await kernel('log(x.z)');
  await status(/log needs a positive number/);
  quiet();
});

test('points are painted, moved, erased and come back', async () => {
  await page.locator('#clear').click();
  await status(/Paint points of both classes/);
  const box = await page.locator('#plane').boundingBox();
  const at = (x, y) => ({ position: { x: box.width * x, y: box.height * y } });
  await page.locator('#plane').click(at(0.25, 0.25));
  await status(/other class/);
  await page.locator('input[name=brush][value="1"]').check();
  await page.locator('#plane').click(at(0.75, 0.75));
  await status(/2 support vectors/);
  assert.deepEqual((await state()).points.map((v) => Math.round(v * 10) / 10), [-1.5, 1.5, -1, 1.5, -1.5, 1]);
  // With the keyboard, too.
  await page.locator('#plane').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('1');
  await status(/of 3 points/);
  await page.keyboard.press('Delete');
  await status(/of 2 points/);
  await page.locator('#undo').click();
  await status(/of 3 points/);
  quiet();
});

test('the perceptron steps as mercer train does', async () => {
  await page.locator('#n').fill('40');
  await page.locator('#make').click();
  await status(/of 40 points/);
  await kernel('rbf(2)');
  await judged('rbf(2)');
  await learner('perceptron');
  await status(/0 mistakes so far; never more than/);
  await page.locator('#step').click();
  await status(/pass 1, example 1: a mistake, α grows. 1 mistakes so far/);
  await page.locator('#alphas summary').click();
  assert.equal(await text('alphas-body'), 'α1 = 1');
  await tab('history');
  await page.locator('#run').click();
  await status(/A pass without a mistake: done/);
  await page.screenshot({ path: join(shots, 'perceptron.png') });
  // The same points from the command line.
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#export').click()]);
  const points = join(folder, 'points.csv');
  await download.saveAs(points);
  const model = join(folder, 'p.mercer');
  const trace = join(folder, 'trace.jsonl');
  execFileSync(mercer, ['train', points, '--learner', 'perceptron', '-k', 'rbf(2)', '--scale', 'none',
    '--trace', trace, '-o', model]);
  const mistakes = readFileSync(trace, 'utf8').trim().split('\n').map((l) => JSON.parse(l).mistakes);
  const said = await text('status');
  assert.equal(Number(/(\d+) mistakes so far/.exec(said)[1]), mistakes.reduce((a, b) => a + b, 0));
  const bound = Number(/\(R\/γ\)² = ([\d.e+]*\d)/.exec(said)[1]);
  assert.ok(mistakes.reduce((a, b) => a + b, 0) <= bound);
  await page.locator('#rewind').click();
  await status(/0 mistakes so far/);
  quiet();
});

test('gradient descent is watched, and time goes back', async () => {
  await learner('gd');
  await tab('history');
  await status(/loss .* after 2000 passes/);
  assert.match(await text('history-note'), /loss by pass/);
  assert.ok((await ink('history')) > 3);
  await page.locator('#time').fill('0');
  assert.ok(Number(await text('time-value')) < 2000);
  quiet();
});

test('sliders: C and γ', async () => {
  await status(/support vectors/);
  const before = await text('status');
  await page.locator('#C').fill('-2');
  await page.waitForFunction((b) => {
    const now = document.getElementById('status').textContent;
    return now !== b && now.includes('support vectors');
  }, before);
  assert.equal(await text('C-value'), '0.01');
  await page.locator('#gamma').fill('1');
  assert.equal(await page.locator('#kernel').inputValue(), 'rbf(10)');
  await kernel('linear');
  await page.waitForSelector('#gamma:disabled');
  quiet();
});

test('the lift turns, and the Gram matrix tells its values', async () => {
  await page.locator('#lesson').selectOption({ label: 'Making the non-linear linear' });
  await page.waitForFunction(() => document.getElementById('lift-note').textContent.includes('plane separates'));
  const box = await page.locator('#lift').boundingBox();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 120, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await page.locator('#lift').getAttribute('data-turn'), null);
  await page.screenshot({ path: join(shots, 'lift.png') });
  await tab('gram');
  await page.waitForFunction(() => document.getElementById('gram-note').textContent.includes('100 rows'));
  await page.locator('#gram').hover({ position: { x: 10, y: 10 } });
  assert.match(await text('gram-note'), /K\[\d+, \d+\] = /);
  await page.screenshot({ path: join(shots, 'gram.png') });
  quiet();
});

test('every lesson can be clicked through', async () => {
  const titles = await page.locator('#lesson option').allTextContents();
  assert.ok(titles.length > 6);
  for (const title of titles.slice(1)) {
    await page.evaluate(() => (document.getElementById('status').textContent = ''));
    await page.locator('#lesson').selectOption({ label: title });
    await status(/mistakes so far|on the wrong side|loss/);
    assert.ok((await text('lesson-text')).length > 40);
  }
  quiet();
});

test('a file is loaded, and what is wrong with another one is said', async () => {
  const file = join(folder, 'f.csv');
  writeFileSync(file, 'a,b,kind\n0,0,no\n1,1,yes\n2,1,yes\n');
  await page.locator('#load').setInputFiles(file);
  await status(/of 3 points/);
  writeFileSync(file, 'a,b,c,kind\n0,0,1,no\n1,1,1,yes\n');
  await page.locator('#load').setInputFiles(file);
  await status(/there are 3 columns beside the label/);
  quiet();
});

test('an address brings everything back', async () => {
  await kernel('poly(3)');
  await judged('poly(3)');
  await learner('ridge');
  await tab('gram');
  await status(/wrong side/);
  const before = await state();
  await open(page.url());
  await status(/wrong side/);
  assert.deepEqual(await state(), before);
  assert.equal(await page.locator('#learner').inputValue(), 'ridge');
  quiet();
});

test('two thousand points', async () => {
  await page.locator('#n').fill('2000');
  await page.locator('#make').click();
  await status(/of 2000 points/);
  await page.locator('#n').fill('2001');
  await page.locator('#make').click();
  await status(/n is not a number from 2 to 2000/);
  quiet();
});

test('on a phone, and in the dark', async () => {
  await open(address, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
  await status(/support vectors/);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} pixels wide`);
  await page.screenshot({ path: join(shots, 'phone.png') });
  quiet();
});
