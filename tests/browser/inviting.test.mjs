// A link that invites: made by one, opened by another, taken once.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { judge } from "./axe.mjs";

stage(["ann", "bob"]);

for (const scripts of [true, false]) {
  test(`a link is made, opened, logged in for and accepted ${scripts ? "with" : "without"} scripts`, async () => {
    const ann = await Person.of(chromium, server, "ann", { scripts });
    await ann.open("/challenge?game=osbox");
    await ann.fill({ option_size: "3" });
    await ann.press("Make a link");
    const path = await ann.page.$eval("#links input[readonly]", (one) => new URL(one.value).pathname);
    assert.match(await ann.text("#links"), /Osbox, 3x3/);
    const bob = await Person.arrive(chromium, server, { scripts });
    await bob.open(path);
    assert.match(await bob.text("h1"), /ann invites you to Osbox/);
    if (scripts) assert.deepEqual(await judge(bob), []);
    await Promise.all([bob.page.waitForNavigation(), bob.page.click('main a[href^="/login"]')]);
    await bob.fill({ userid: "bob", password: "bob-secret" });
    await bob.press("Log in");
    assert.ok(bob.page.url().endsWith(path), bob.page.url());
    if (scripts) assert.deepEqual(await judge(bob), []);
    await bob.press("Accept and begin");
    assert.match(bob.page.url(), /\/boards\/osbox\/\d+$/);
    await ann.open(path);
    assert.match(await ann.text(), /invitation is over/i);
    assert.deepEqual([...ann.odd, ...bob.odd], []);
  });
}

test("a link is withdrawn", async () => {
  const ann = await Person.of(chromium, server, "ann");
  await ann.open("/challenge?game=obsidio");
  await ann.press("Make a link");
  const path = await ann.page.$eval("#links input[readonly]", (one) => new URL(one.value).pathname);
  assert.deepEqual(await judge(ann), []);
  await ann.press("Withdraw");
  assert.ok(!(await ann.has("#links")));
  assert.equal(await ann.open(path), 404);
});
