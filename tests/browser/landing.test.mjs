// The start page of visitors, on which a push closes a knot.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { judge } from "./axe.mjs";

const VIEWS = [{ width: 360, height: 740 }, { width: 1280, height: 800 }];
const MOST_BYTES = 40_000;

stage();

const motion = (value) => [{ name: "prefers-reduced-motion", value }];
/** How far the pushed line is from where it belongs, in pixels, and how much of the gain is seen. */
const state = (page) =>
  page.evaluate(() => {
    const [line, gain] = [document.querySelector(".pushing g"), document.querySelector(".hero-board .gain")];
    const matrix = new DOMMatrix(getComputedStyle(line).transform);
    return { away: Math.hypot(matrix.e, matrix.f), gain: Number(getComputedStyle(gain).opacity), lasts: line.getAnimations()[0]?.effect.getComputedTiming().endTime ?? 0 };
  });
const at = (page, ms) => page.evaluate((ms) => document.getAnimations().forEach((one) => { one.pause(); one.currentTime = ms; }), ms);

for (const view of VIEWS)
  test(`a push closes a knot, and nothing shifts, at ${view.width} pixels`, async () => {
    const visitor = await Person.arrive(chromium, server, { view });
    const { page } = visitor;
    await page.evaluateOnNewDocument(() => {
      window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((one) => one.value))).observe({ type: "layout-shift", buffered: true });
    });
    await visitor.open("/");
    await at(page, 0);
    const begun = await state(page);
    assert.ok(begun.away > 5 && begun.gain === 0, JSON.stringify(begun));
    assert.ok(begun.lasts > 0 && begun.lasts <= 5000, "it ends by itself within five seconds");
    await at(page, begun.lasts / 2);
    const amid = await state(page);
    assert.ok(amid.away < begun.away, JSON.stringify(amid));
    await at(page, begun.lasts);
    assert.deepEqual({ ...(await state(page)), lasts: 0 }, { away: 0, gain: 1, lasts: 0 });
    assert.match(await page.$eval(".hero-board title", (one) => one.textContent), /closes a knot.*\+\d/);
    // The line moves by one cell of its own.
    const cells = await page.$eval(".pushing", (one) => Math.round(Math.max(one.width.baseVal.value, one.height.baseVal.value) / Math.min(one.width.baseVal.value, one.height.baseVal.value)));
    assert.ok(await page.$eval(".pushing", (one, cells) => one.classList.contains(`cells-${cells}`), cells));
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    assert.deepEqual(await judge(visitor), []);
    assert.deepEqual(visitor.odd, []);
  });

test("under reduced motion nothing moves, and the end is shown", async () => {
  const visitor = await Person.arrive(chromium, server);
  await visitor.page.emulateMediaFeatures(motion("reduce"));
  await visitor.open("/");
  assert.deepEqual(await state(visitor.page), { away: 0, gain: 1, lasts: 0 });
  assert.equal(await visitor.page.evaluate(() => document.getAnimations().length), 0);
});

test("the start page needs under 40 kB with everything on it, and leads to the puzzles", async () => {
  const visitor = await Person.arrive(chromium, server);
  await visitor.page.setCacheEnabled(false);
  visitor.bytes = 0;
  await visitor.open("/");
  await visitor.page.waitForNetworkIdle();
  console.log(`the start page of a visitor: ${visitor.bytes} bytes`);
  assert.ok(visitor.bytes > 5000 && visitor.bytes < MOST_BYTES, `${visitor.bytes}`);
  await Promise.all([visitor.page.waitForNavigation(), visitor.page.click(".hero a[href='/puzzles']")]);
  assert.ok(visitor.page.url().endsWith("/puzzles"));
});
