// The start page of visitors, on which a game plays itself; and the filter of the API's page.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { Server } from "./server.mjs";
import { launch, Person } from "./browser.mjs";

const VIEWS = [{ width: 360, height: 740 }, { width: 1280, height: 800 }];
const MOST_BYTES = 40_000;

let server, chromium;
before(async () => {
  [server, chromium] = await Promise.all([Server.start(), launch()]);
});
after(async () => {
  await chromium?.close();
  await server?.stop();
});

const motion = (value) => [{ name: "prefers-reduced-motion", value }];

/** Where the steps' animations are, in milliseconds from their beginning. */
const times = (page) => page.$$eval(".step", (all) => all.map((one) => one.getAnimations()[0]?.currentTime ?? null));
/** The steps that can be seen; the last one hides those below it. */
const seen = (page) => page.$$eval(".step", (all) => all.filter((one) => getComputedStyle(one).opacity === "1").length);

for (const view of VIEWS)
  test(`a game plays itself, can be paused and shifts nothing, at ${view.width} pixels`, async () => {
    const visitor = await Person.arrive(chromium, server, { view });
    const { page } = visitor;
    await page.evaluateOnNewDocument(() => {
      window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((one) => one.value))).observe({ type: "layout-shift", buffered: true });
    });
    await visitor.open("/");
    assert.equal((await times(page)).length, 8);
    // Through a whole round: the position of the figure, then one step after the other.
    const at = (ms) => page.$$eval(".step", (all, ms) => all.forEach((one) => (one.getAnimations()[0].currentTime = ms)), ms);
    for (const [ms, steps] of [[1000, 0], [3100, 1], [5900, 1], [14000, 1], [15500, 0], [18100, 1]]) {
      await at(ms);
      assert.equal(await seen(page), steps, `${ms} ms`);
    }
    await page.click(".pause");
    const before = await times(page);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(await times(page), before, "paused");
    await page.click(".pause");
    await page.waitForFunction((before) => document.querySelector(".step").getAnimations()[0].currentTime > before, {}, before[0]);
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    assert.deepEqual(visitor.odd, []);
    await visitor.leave();
  });

test("under reduced motion nothing moves, and no step is fetched", async () => {
  const visitor = await Person.arrive(chromium, server);
  const steps = [];
  visitor.page.on("request", (request) => /back=/.test(request.url()) && steps.push(request.url()));
  await visitor.page.emulateMediaFeatures(motion("reduce"));
  await visitor.open("/");
  await visitor.page.waitForNetworkIdle();
  assert.deepEqual(await times(visitor.page), Array(8).fill(null));
  assert.equal(await visitor.page.$eval(".pause", (one) => one.offsetHeight), 0);
  assert.deepEqual(steps, []);
  await visitor.leave();
});

test("the start page needs under 40 kB with everything on it", async () => {
  const visitor = await Person.arrive(chromium, server);
  await visitor.page.setCacheEnabled(false);
  visitor.bytes = 0;
  await visitor.open("/");
  await visitor.page.waitForNetworkIdle();
  console.log(`the start page of a visitor: ${visitor.bytes} bytes`);
  assert.ok(visitor.bytes > 5000 && visitor.bytes < MOST_BYTES, `${visitor.bytes}`);
  await visitor.leave();
});

test("the API's page is filtered, and a link opens what it leads to", async () => {
  const reader = await Person.arrive(chromium, server, { view: VIEWS[0] });
  const { page } = reader;
  await reader.open("/api/docs");
  const shown = () => page.$$eval("details.entry", (all) => all.filter((one) => one.checkVisibility()).map((one) => one.querySelector("h3").textContent));
  const all = (await shown()).length;
  assert.ok(all > 60, `${all}`);
  await page.type("#wanted", "users AGAINST");
  await page.waitForFunction(() => /^\d+ of \d+ fit$/.test(document.querySelector(".filter [role=status]").textContent));
  const found = await shown();
  assert.ok(found.includes("GET /api/v1/users/{userid}/against/{other}"), found.join());
  assert.ok(found.length < all / 2, found.join());
  // A link to what does not fit takes the filter away.
  await page.evaluate(() => (location.hash = "show_board"));
  await page.waitForFunction(() => document.querySelector("#show_board").closest("details").open);
  assert.equal((await shown()).length, all);
  assert.deepEqual(reader.odd, []);
  await reader.leave();
});

test("without scripts all of the API's page can be read", async () => {
  const reader = await Person.arrive(chromium, server, { scripts: false });
  await reader.open("/api/docs");
  assert.equal(await reader.page.$eval(".filter", (one) => one.offsetHeight), 0);
  await reader.page.click("details.entry > summary");
  assert.ok(await reader.page.$eval("details.entry > div", (one) => one.offsetHeight > 50));
  await reader.leave();
});
