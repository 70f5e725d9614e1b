// The API's page for people: folded, with a filter.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";

const VIEWS = [{ width: 360, height: 740 }, { width: 1280, height: 800 }];

stage();

for (const view of VIEWS)
  test(`the page is filtered, and a link opens what it leads to, at ${view.width} pixels`, async () => {
    const reader = await Person.arrive(chromium, server, { view });
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

test("without scripts all of it can be read", async () => {
  const reader = await Person.arrive(chromium, server, { scripts: false });
  await reader.open("/api/docs");
  assert.equal(await reader.page.$eval(".filter", (one) => one.offsetHeight), 0);
  await reader.page.click("details.entry > summary");
  assert.ok(await reader.page.$eval("details.entry > div", (one) => one.offsetHeight > 50));
  await reader.leave();
});
