// The start page as it follows the user's boards, and notes to oneself on a board.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { judge } from "./axe.mjs";
import { until } from "./waiting.mjs";

let ann, bob;
stage(["ann", "bob"], async () => {
  [ann, bob] = await Promise.all([Person.of(chromium, server, "ann"), Person.of(chromium, server, "bob")]);
});

async function challenge(words) {
  const { number } = (await server.command(words)).boards[0];
  return { number, path: `/boards/${words.split(" ")[0]}/${number}` };
}

test("the start page follows the moves of others, and its title counts what waits", async () => {
  const one = await challenge("osbox challenge -size=3 bob ann");
  const two = await challenge("osbox challenge -size=3 bob ann");
  await ann.open("/");
  assert.doesNotMatch(await ann.page.title(), /^\(/);
  assert.match(await ann.text("#mine"), /not your turn in any game/);
  const loads = ann.loads.filter((url) => /\/events\?/.test(url)).length;
  await ann.page.focus(`#mine a[href="${two.path}"]`);
  await server.command(`osbox move ${one.number} bob bob-secret f1`);
  await until("one board", async () => /^\(1\) /.test(await ann.page.title()));
  assert.match(await ann.text("#mine"), /Your turn in 1 game: play/);
  assert.equal(await ann.page.evaluate(() => document.activeElement.getAttribute("href")), two.path, "the focus is where it was");
  assert.match(await ann.text("#said"), /Your turn in 1 game/);
  await server.command(`osbox move ${two.number} bob bob-secret f1`);
  await until("two boards", async () => /^\(2\) /.test(await ann.page.title()));
  await server.command(`osbox move ${one.number} ann ann-secret e7`);
  await until("one board again", async () => /^\(1\) /.test(await ann.page.title()));
  // A board that begins is found by looking.
  await challenge("osbox challenge -size=3 ann bob");
  await until("a new board", async () => /^\(2\) /.test(await ann.page.title()));
  assert.ok(ann.loads.filter((url) => /\/events\?/.test(url)).length - loads <= 1, "over one stream");
  assert.deepEqual(await judge(ann), []);
  assert.deepEqual(ann.odd, []);
});

test("a start page in the background counts, too, over the stream that another tab holds", async (t) => {
  const { number, path } = await challenge("osbox challenge -size=3 bob ann");
  await ann.open("/");
  if (!(await ann.page.evaluate(() => isSecureContext))) return t.skip("the page is not secure");
  const before = await ann.page.title();
  const front = await ann.context.newPage();
  await front.goto(server.site + path);
  await front.bringToFront();
  try {
    await ann.page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await server.command(`osbox move ${number} bob bob-secret f1`);
    await until("the count", async () => (await ann.page.title()) !== before);
    await until("the board in front", () => front.evaluate(() => document.querySelector("#table").dataset.ply === "1"));
  } finally {
    await front.close();
  }
});

test("whoever logged out meanwhile is not shown these boards", async () => {
  const { number } = await challenge("osbox challenge -size=3 bob ann");
  const gone = await Person.of(chromium, server, "ann");
  await gone.open("/");
  const other = await gone.context.newPage();
  await other.goto(`${server.site}/`);
  await Promise.all([other.waitForNavigation(), other.click("form[action='/logout'] button")]);
  await server.command(`osbox move ${number} bob bob-secret f1`);
  await other.close();
  await gone.page.bringToFront();
  // The stream ends with the session, and the page is that of a visitor by itself.
  await until("the page of a visitor", () => gone.has(".hero").catch(() => false));
  assert.deepEqual(gone.odd, []);
});

for (const scripts of [true, false]) {
  test(`a note to oneself is written, seen by nobody else, and deleted ${scripts ? "with" : "without"} scripts`, async () => {
    const { path } = await challenge("osbox challenge -size=3 ann bob");
    const writer = await Person.of(chromium, server, "ann", { scripts });
    await writer.open(path);
    await writer.turnTo("More");
    await writer.unfold("Note to yourself");
    await writer.page.type("#own-note", "Close <b>the left</b> knot");
    await writer.press("Save the note");
    assert.equal(await writer.page.$eval("#own-note", (one) => one.value), "Close <b>the left</b> knot");
    assert.ok(await writer.page.$eval("#own-note", (one) => one.checkVisibility()), "it is in sight");
    assert.match(await writer.text(".tabs"), /More note/);
    if (scripts) assert.deepEqual(await judge(writer), []);
    await bob.open(path);
    await bob.turnTo("More");
    assert.doesNotMatch(await bob.page.content(), /the left/);
    await writer.page.$eval("#own-note", (one) => (one.value = ""));
    await writer.press("Save the note");
    assert.doesNotMatch(await writer.text(".tabs"), /More note/);
    assert.deepEqual(writer.odd, []);
  });
}

test("a note that is being written is not lost when somebody moves", async () => {
  const { path, number } = await challenge("osbox challenge -size=3 bob ann");
  await ann.open(path);
  await ann.turnTo("More");
  await ann.unfold("Note to yourself");
  await ann.page.type("#own-note", "Half a thought");
  await server.command(`osbox move ${number} bob bob-secret f1`);
  await ann.page.waitForSelector(".live");
  assert.equal(await ann.page.$eval("#own-note", (one) => one.value), "Half a thought");
});
