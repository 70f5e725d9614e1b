// Games seen last, without a network: they are shown, it is said when they were seen, and nothing of a session outlives it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { challenge, chromium, server, stage, WITHOUT_TLS } from "./stage.mjs";
import { offline, Person } from "./browser.mjs";
import { judge } from "./axe.mjs";
import { until } from "./waiting.mjs";

// Browsers have workers on secure pages alone.
const skip = WITHOUT_TLS;

stage(["ann", "bob"]);

const stored = ({ page }) =>
  page.evaluate(async () => (await (await caches.open("boards seen")).keys()).map(({ url }) => new URL(url).pathname + new URL(url).search));

/** How much is stored in all. */
const entries = ({ page }) =>
  page.evaluate(async () => {
    const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    return (await Promise.all(opened.map((one) => one.keys()))).flat().length;
  });

/** Opens a board and waits until it is stored. */
async function see(person, path) {
  await person.open(path);
  await until(`${path} stored`, async () => (await stored(person)).includes(path));
}

test("boards seen last are read without a network, and say when they were seen", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const [one, two, unseen] = [await challenge(), await challenge(), await challenge()];
  for (const path of [one, two]) await see(ann, path);
  // A preview is not stored, and what is chosen is not.
  await ann.open(`${two}?choose=f2`);
  await ann.page.waitForSelector(".send");
  assert.deepEqual(await stored(ann), [one, two]);
  await offline(ann, async () => {
    await ann.open(one);
    assert.match(await ann.text(".offline"), /^Not up to date: seen at .*\d:\d\d/);
    assert.ok(await ann.has("#board svg.picture"), "with its picture");
    assert.match(await ann.text("h1"), /Osbox/);
    const columns = await ann.page.$eval(".play", (play) => getComputedStyle(play).display);
    assert.notEqual(columns, "block", "with its style");
    assert.deepEqual(await judge(ann), []);
    assert.equal(await ann.open(unseen), 503);
    assert.match(await ann.text(), /No connection.*Games seen last.*Osbox/s);
    assert.deepEqual(await judge(ann), []);
    await ann.open("/");
    assert.match(await ann.text(), /No connection/);
    await Promise.all([ann.page.waitForNavigation(), ann.page.click(`a[href="${two}"]`)]);
    assert.ok(await ann.has(".offline"));
  });
  await ann.open(one);
  assert.ok(!(await ann.has(".offline")), "with a network it is as it stands");
});

test("no more than twenty boards are stored, the latest", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const paths = [];
  for (let count = 0; count < 22; count++) paths.push(await challenge());
  for (const path of paths) await see(ann, path);
  await until("the oldest gone", async () => (await stored(ann)).length === 20);
  assert.deepEqual(await stored(ann), paths.slice(2));
  await see(ann, paths[2]);
  await ann.open(paths[0]);
  await until("another one", async () => (await stored(ann)).includes(paths[0]));
  assert.ok((await stored(ann)).includes(paths[2]), "it was seen again meanwhile");
});

test("nothing is left of a session that ended, nor for somebody else", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const path = await challenge();
  await see(ann, path);
  await Promise.all([ann.page.waitForNavigation(), ann.page.click("form[action='/logout'] button")]);
  await until("nothing", async () => (await entries(ann)) === 0);

  await ann.open("/login");
  await ann.fill({ userid: "ann", password: "ann-secret" });
  await ann.press("Log in");
  await see(ann, path);
  // The session is gone without a word to this browser.
  await ann.page.deleteCookie(...(await ann.page.cookies()));
  await ann.open("/");
  await until("nothing again", async () => (await stored(ann)).length === 0);
  await see(ann, path);
  await ann.open("/login");
  await ann.fill({ userid: "bob", password: "bob-secret" });
  await ann.press("Log in");
  await until("nothing for another one", async () => (await stored(ann)).length === 0);
});

test("what was asked for before the log-out is not stored after it", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const path = await challenge();
  await see(ann, path);
  const isWorker = (one) => one.type() === "service_worker" && one.url().startsWith(server.site) && one.browserContext() === ann.context;
  const worker = await (await chromium.waitForTarget(isWorker)).createCDPSession();
  let held;
  worker.on("Fetch.requestPaused", ({ requestId }) => (held = requestId));
  await worker.send("Fetch.enable", { patterns: [{ urlPattern: `*${path}`, requestStage: "Response" }] });
  // The worker asks for the board with the session, which ends before it has the answer.
  await ann.page.evaluate((seen) => navigator.serviceWorker.controller.postMessage({ seen }), path);
  await until("the answer", () => held);
  await Promise.all([ann.page.waitForNavigation(), ann.page.click("form[action='/logout'] button")]);
  await until("nothing", async () => (await entries(ann)) === 0);
  await worker.send("Fetch.continueRequest", { requestId: held });
  await worker.send("Fetch.disable");
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal(await entries(ann), 0);
  await worker.detach();
});
