// The end of a game is shared as one moving picture, and a page that shows one's own game says so while it is visible.
import { test } from "node:test";
import assert from "node:assert/strict";
import { challenge, chromium, server, stage } from "./stage.mjs";
import { NARROW, Person } from "./browser.mjs";
import { judge } from "./axe.mjs";

stage(["ann", "bob", "cyd"]);

/** A game of three moves that bob has given up. */
async function finished() {
  const path = await challenge();
  const number = path.split("/").at(-1);
  for (const move of ["ann ann-secret d1", "bob bob-secret a7", "ann ann-secret f2", "bob bob-secret resign"]) await server.command(`osbox move ${number} ${move}`);
  return path;
}

const share = async (person) => {
  await person.page.$eval(".end .share summary", (one) => one.click());
  return person.page.waitForFunction(() => {
    const picture = document.querySelector(".end .share img");
    return picture.complete && picture.naturalWidth > 0 && picture.currentSrc;
  }).then((source) => source.jsonValue());
};

test("the card at the end shares the whole game as one moving picture, loaded when it is asked for", async () => {
  const path = await finished();
  for (const [name, view] of [["ann", NARROW], ["cyd", { width: 1280, height: 800 }]]) {
    const person = await Person.of(chromium, server, name, { view });
    const asked = [];
    person.page.on("request", (request) => asked.push(request.url()));
    await person.open(path);
    assert.deepEqual(asked.filter((url) => url.includes("/game.png")), [], "nothing of it before");
    const source = await share(person);
    assert.match(source, /\/game\.png\?ply=4&v=/);
    const bytes = await person.page.evaluate(async (source) => {
      const bytes = new Uint8Array(await (await fetch(source)).arrayBuffer());
      const at = bytes.findIndex((_, at) => String.fromCharCode(...bytes.slice(at, at + 4)) === "acTL");
      return { size: bytes.length, frames: new DataView(bytes.buffer).getUint32(at + 4) };
    }, source);
    console.log(`${path} as one picture: ${bytes.size} bytes`);
    assert.ok(bytes.frames === 5 && bytes.size < 60_000, JSON.stringify(bytes));
    const wide = await person.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    assert.deepEqual(await judge(person), []);
    assert.deepEqual(person.odd, []);
  }
});

test("under reduced motion the picture stands still", async () => {
  const ann = await Person.of(chromium, server, "ann");
  await ann.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
  await ann.open(await finished());
  assert.match(await share(ann), /\/board\.png\?ply=4&/);
});

test("a link in a chat leads to a card with the board", async () => {
  const stranger = await Person.arrive(chromium, server);
  await stranger.open(await finished());
  const card = await stranger.page.$eval('meta[property="og:image"]', (one) => one.content);
  const { status, type } = await stranger.page.evaluate(async (card) => {
    const answer = await fetch(new URL(card).pathname + new URL(card).search);
    return { status: answer.status, type: answer.headers.get("content-type") };
  }, card);
  assert.deepEqual([status, type], [200, "image/png"]);
});

test("a visible page of one's own game says that it is seen; a hidden one, and one of others, says nothing", async () => {
  const path = await challenge();
  const said = async (name) => {
    const person = await Person.of(chromium, server, name);
    const posts = [];
    person.page.on("request", (request) => request.method() === "POST" && posts.push(request.postData()));
    await person.open(path);
    return { person, posts };
  };
  const { person: ann, posts } = await said("ann");
  assert.deepEqual(posts, ["act=seen"]);
  const turn = (hidden) =>
    ann.page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await turn(true);
  assert.equal(posts.length, 1);
  await Promise.all([ann.page.waitForResponse((answer) => answer.request().method() === "POST" && answer.status() === 204), turn(false)]);
  assert.equal(posts.length, 2);
  assert.deepEqual((await said("cyd")).posts, [], "whoever only looks on");
  assert.deepEqual(ann.odd, []);
});
