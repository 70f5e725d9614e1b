// Moves and words that cannot be sent: without a network, without a server, without a session. Nothing is lost, it is said
// what happened, and nothing is sent that was not asked for.
import { test } from "node:test";
import assert from "node:assert/strict";
import { challenge, chromium, server, stage, WITHOUT_TLS } from "./stage.mjs";
import { offline, Person } from "./browser.mjs";
import { judge } from "./axe.mjs";
import { until } from "./waiting.mjs";

// Browsers have workers on secure pages alone.
const skip = WITHOUT_TLS;

stage(["ann", "bob"]);

const plyOf = async (path) => (await server.get(`/api/v1${path}`)).ply;
const talkOf = async (person) => (await person.page.$$eval(".speech", (all) => all.map((one) => one.textContent)));

/** Opens a board with a move on it, and waits until a worker looks after the page. */
async function begin(person, path) {
  await person.open(path);
  await person.page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
  });
  await person.open(`${path}?choose=f1`);
  await person.page.waitForSelector(".send");
}

async function comment(person, words) {
  if (!(await person.page.$eval(".send details", (one) => one.open))) await person.unfold("Add a comment");
  await person.page.$eval("#with", (field) => (field.value = ""));
  await person.page.type("#with", words);
}

const clickOn = async (person, label) => (await person.find("#table button", label)).click();

test("a move that is sent without a network is kept, and sent once when that is asked for", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const path = await challenge();
  await begin(ann, path);
  await comment(ann, "Mind the knot");
  await offline(ann, async () => {
    await clickOn(ann, "Send f1");
    await ann.page.waitForSelector(".unsent");
    assert.match(await ann.text(".unsent"), /Not sent: no connection\..*Send again/s);
    assert.ok(await ann.has("#board svg.picture"), "the board is there");
    assert.equal(await ann.page.$eval("#with", (field) => field.value), "Mind the knot");
    await ann.page.waitForSelector(".live.lost");
    assert.match(await ann.text(".live.lost"), /^No connection - showing the board of \d\d:\d\d\.$/);
    assert.deepEqual(await judge(ann), []);
    await clickOn(ann, "Send again");
    await until("the second try", async () => !(await ann.has("#table[aria-busy]")));
    assert.match(await ann.text(".unsent"), /Not sent: no connection/);
  });
  await ann.page.waitForFunction(() => !document.querySelector(".live.lost"));
  assert.equal(await plyOf(path), 0, "it is not sent by itself");
  await clickOn(ann, "Send f1");
  await ann.page.waitForFunction(() => document.querySelector(".steps strong")?.textContent === "move 1");
  assert.equal(await plyOf(path), 1);
  assert.ok(!(await ann.has(".unsent")));
  assert.deepEqual(await talkOf(ann), ["Mind the knot"]);
  assert.equal(await ann.page.evaluate(() => localStorage.getItem("unsent")), null);
  assert.deepEqual(ann.odd, []);
});

test("what was not sent outlives the page, and is asked about", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const [path, other] = [await challenge(), await challenge()];
  await begin(ann, path);
  await offline(ann, async () => {
    await clickOn(ann, "Send f1");
    await ann.page.waitForSelector(".unsent");
  });
  await ann.open("/");
  assert.match(await ann.text(), /f1 was not sent\. Look at Osbox/);
  assert.deepEqual(await judge(ann), []);
  await ann.open(other);
  assert.match(await ann.text(), /f1 was not sent\. Look at Osbox/);
  // Meanwhile the move was made by mail: it is not made twice, and not another one either.
  await server.command(`osbox move ${path.split("/").pop()} ann ann-secret f1`);
  await server.command(`osbox move ${path.split("/").pop()} bob bob-secret e7`);
  await ann.open(path);
  assert.match(await ann.text(".unsent"), /f1 was not sent/);
  await clickOn(ann, "Send f1");
  await until("the answer", async () => !(await ann.has(".unsent")));
  assert.equal(await plyOf(path), 2);
  await ann.open("/");
  assert.doesNotMatch(await ann.text(), /was not sent/);
});

test("choosing without a network keeps the board, and goes on when there is one", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const path = await challenge();
  await begin(ann, path);
  await ann.open(path);
  await offline(ann, async () => {
    await ann.page.click('.faces a[data-begun="f"]');
    await ann.page.click('a.spot[data-spot="1"]');
    await ann.page.waitForSelector(".live.lost");
    assert.ok(await ann.has("#board svg.picture") && (await ann.has(".faces a")), "the board is there");
  });
  await ann.page.waitForSelector(".send");
  assert.match(ann.page.url(), /choose=f1/);
  assert.ok(!(await ann.has(".live.lost")));
});

test("an open board says that the server is down, and recovers", { skip }, async () => {
  const [ann, bob] = [await Person.of(chromium, server, "ann"), await Person.of(chromium, server, "bob")];
  const [path, touched] = [await challenge(), await challenge()];
  await ann.open(path);
  await bob.open(touched);
  await until("a stream", () => ann.loads.some((url) => url.includes("/events")));
  await server.halt();
  await ann.page.waitForSelector(".live.lost");
  await bob.page.waitForSelector(".live.lost");
  // It comes back where it was.
  server.place.settings.HTTP__LISTEN = server.address;
  await server.resume();
  for (const person of [ann, bob]) await person.page.waitForFunction(() => !document.querySelector(".live.lost"));
  await server.command(`osbox move ${path.split("/").pop()} ann ann-secret f1`);
  await ann.page.waitForFunction(() => document.querySelector(".steps strong")?.textContent === "move 1");
});

test("a session that ended with a move and a comment ready leads back to both", { skip }, async () => {
  for (const words of ["", "Mind the <knot>"]) {
    const ann = await Person.of(chromium, server, "ann");
    const path = await challenge();
    await begin(ann, path);
    if (words) await comment(ann, words);
    await ann.page.deleteCookie(...(await ann.page.cookies()));
    await ann.press("Send f1");
    assert.match(ann.page.url(), /\/login\?next=/);
    await ann.fill({ userid: "ann", password: "ann-secret" });
    await ann.press("Log in");
    assert.ok(ann.page.url().includes(`${path}?choose=f1`), ann.page.url());
    assert.match(await ann.text(), /You were logged out; f1 was not sent\./);
    assert.equal(await ann.page.$eval("#with", (field) => field.value), words);
    assert.equal(await plyOf(path), 0);
    await ann.press("Send f1");
    assert.equal(await plyOf(path), 1);
    assert.deepEqual(await talkOf(ann), words ? [words] : []);
    await ann.leave();
  }
});

test("words of a talk and of a note survive the end of a session too", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const path = await challenge();
  await begin(ann, path);
  for (const [tab, field, label] of [["Talk", "#chat", "Send"], ["More", "#own-note", "Save the note"]]) {
    await ann.open(path);
    await ann.turnTo(tab);
    if (tab === "More") await ann.unfold("Note to yourself");
    await ann.page.type(field, `Words of ${tab}`);
    await ann.page.deleteCookie(...(await ann.page.cookies()));
    await ann.press(label);
    await ann.fill({ userid: "ann", password: "ann-secret" });
    await ann.press("Log in");
    assert.match(await ann.text(".unsent"), /What you wrote was not sent: you were logged out/);
    assert.equal(await ann.page.$eval(field, (one) => one.value), `Words of ${tab}`);
    await clickOn(ann, "Send it");
    await until("it to be sent", async () => !(await ann.has(".unsent")));
  }
  assert.deepEqual(await talkOf(ann), ["Words of Talk"]);
  assert.equal(await ann.page.$eval("#own-note", (one) => one.value), "Words of More");
});

test("without scripts a session that ended loses no words either", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann", { scripts: false });
  const path = await challenge();
  await ann.open(`${path}?choose=f1`);
  await ann.unfold("Add a comment");
  await ann.page.type("#with", "Mind the knot");
  await ann.page.deleteCookie(...(await ann.page.cookies()));
  await ann.press("Send f1");
  await ann.fill({ userid: "ann", password: "ann-secret" });
  await ann.press("Log in");
  assert.match(await ann.text(), /You were logged out; f1 was not sent\./);
  await ann.press("Send it");
  assert.equal(await plyOf(path), 1);
  assert.deepEqual(await talkOf(ann), ["Mind the knot"]);
});

test("a form of another page is kept without a network too", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  await begin(ann, await challenge());
  await ann.open("/users/bob");
  await ann.unfold("Write to bob");
  await ann.page.type("#words", 'Mind the <knot> & "wait"');
  await offline(ann, async () => {
    await ann.press("Send");
    assert.match(await ann.text(), /Not sent: no connection/);
    assert.equal(await ann.page.$eval("#words", (field) => field.value), 'Mind the <knot> & "wait"');
    assert.deepEqual(await judge(ann), []);
  });
  await ann.press("Send again");
  assert.match(await ann.text(), /Your message was sent/);
});

test("nobody sees what somebody else could not send", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const path = await challenge();
  await begin(ann, path);
  await offline(ann, async () => {
    await clickOn(ann, "Send f1");
    await ann.page.waitForSelector(".unsent");
  });
  // Her session ends, and bob logs in with the same browser.
  await ann.page.deleteCookie(...(await ann.page.cookies()));
  await ann.open("/login");
  await ann.fill({ userid: "bob", password: "bob-secret" });
  await ann.press("Log in");
  await ann.open(path);
  assert.doesNotMatch(await ann.text(), /f1 was not sent/);
  assert.equal(await ann.page.evaluate(() => localStorage.getItem("unsent")), null);
});

test("another tab shows nothing of a session that was ended in the first", { skip }, async () => {
  const ann = await Person.of(chromium, server, "ann");
  const path = await challenge();
  await begin(ann, path);
  await ann.open(path);
  const tab = await ann.context.newPage();
  await tab.goto(server.site + path);
  await tab.waitForSelector("#own-note");
  await ann.page.bringToFront();
  await Promise.all([ann.page.waitForNavigation(), ann.page.click("form[action='/logout'] button")]);
  await tab.waitForFunction(() => !document.querySelector("#own-note"));
});
