// Faults that strangers once met on the pages, and no other file of these tests looks for.
import { test } from "node:test";
import assert from "node:assert/strict";
import { challenge, chromium, server, stage } from "./stage.mjs";
import { NARROW, Person } from "./browser.mjs";
import { judge } from "./axe.mjs";

const TELEPHONE = { ...NARROW, hasTouch: true, isMobile: true };

stage(["ann", "bob", "cyd"]);

const numberOf = (path) => path.split("/").at(-1);
const move = (path, name, play) => server.command(`osbox move ${numberOf(path)} ${name} ${name}-secret ${play}`);

test("long words are counted before they are sent, folded when they are shown, and refused as a page", async () => {
  const path = await challenge();
  await server.command(`osbox chat ${numberOf(path)} bob bob-secret`, "line\n".repeat(60));
  const ann = await Person.of(chromium, server, "ann");
  await ann.open(`${path}?side=talk`);
  assert.deepEqual(await ann.page.$$eval("#table textarea", (all) => all.map((one) => one.maxLength)).then((all) => all.filter((most) => most < 1)), []);
  assert.ok((await ann.page.$eval(".speech", (one) => one.getBoundingClientRect().height)) < 400);
  const { status, type } = await ann.page.evaluate(async (path) => {
    const answer = await fetch(path, { method: "POST", headers: { accept: "text/html" }, body: new URLSearchParams({ act: "chat", comment: "x".repeat(300_000) }) });
    return { status: answer.status, type: answer.headers.get("content-type") };
  }, path);
  assert.ok(status === 413 && type.startsWith("text/html"), `${status} ${type}`);
});

test("a game that was cancelled before its first move leads on", async () => {
  const path = await challenge();
  await move(path, "ann", "resign");
  const ann = await Person.of(chromium, server, "ann");
  await ann.open(path);
  assert.match(await ann.text(), /Game cancelled before the first move/);
  await ann.follow("Challenge again");
  assert.equal(await ann.page.$eval("[name=player2]", (one) => one.value), "bob");
});

test("exploring a finished game begins where something can be played", async () => {
  const path = await challenge();
  for (const [name, play] of [["ann", "d1"], ["bob", "a7"], ["ann", "resign"]]) await move(path, name, play);
  const ann = await Person.of(chromium, server, "ann");
  await ann.open(path);
  assert.equal(await ann.page.$$eval("main a", (all) => all.filter((one) => one.textContent.trim() === "Explore").length), 1);
  await ann.follow("Explore");
  assert.ok(await ann.has("a.spot"), ann.page.url());
});

test("who is away keeps their score beside their name, and no title of a design is cut", async () => {
  await server.command("vacation cyd cyd-secret 5");
  const { number } = (await server.command("osbox challenge -size=3 ann cyd")).boards[0];
  const osbo = (await server.command("osbo challenge -size=5 ann bob cyd")).boards[0].number;
  for (const view of [TELEPHONE, { width: 1280, height: 800 }]) {
    const ann = await Person.of(chromium, server, "ann", { view });
    await ann.open(`/boards/osbox/${number}`);
    const lines = await ann.page.$$eval(".players li", (all) => all.map((one) => [".who", ".points"].map((part) => one.querySelector(part).getBoundingClientRect().top)));
    for (const [name, points] of lines) assert.ok(Math.abs(name - points) < 16, JSON.stringify(lines));
    await ann.open(`/boards/osbo/${osbo}`);
    assert.doesNotMatch(await ann.page.$eval(".sight .picture", (one) => one.textContent), /…/);
  }
});

test("the links above a board are in one line on a telephone, the way out and the way in among them", async () => {
  const path = await challenge();
  for (const [person, label] of [[await Person.arrive(chromium, server, { view: TELEPHONE }), "Sign up"], [await Person.of(chromium, server, "ann", { view: TELEPHONE }), "Log out"]]) {
    await person.open(path);
    const tops = await person.page.$$eval(".links a, .links button", (all) => all.map((one) => Math.round(one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2)));
    assert.ok(Math.max(...tops) - Math.min(...tops) <= 4, `${label}: ${tops}`);
    assert.ok((await person.text(".links")).includes(label));
  }
});

test("rules show drawings, nothing shifts while they come, and they are easy to use for all", async () => {
  for (const game of ["osbox", "obsidio", "boxilies"]) {
    const person = await Person.arrive(chromium, server, { view: { width: 1280, height: 800 } });
    await person.page.evaluateOnNewDocument(() => {
      window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shift += one.value))).observe({ type: "layout-shift", buffered: true });
    });
    await person.open(`/games/${game}`);
    await person.page.waitForNetworkIdle({ idleTime: 200, concurrency: 1 });
    const shift = await person.page.evaluate(() => window.shift);
    assert.ok(shift < 0.1, `${game}: ${shift}`);
    const size = await person.page.evaluate(() => performance.getEntriesByType("navigation")[0].transferSize);
    console.log(`/games/${game}: ${size} bytes, ${(await person.page.$$(".prose svg.picture")).length} drawings`);
    assert.ok(size < 40_000, `${game}: ${size}`);
    assert.doesNotMatch(await person.text(), /\+---/, game);
    assert.deepEqual(await judge(person), [], game);
    await person.page.setViewport(NARROW);
    const wide = await person.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${game}: ${wide} pixels too wide`);
  }
});

test("what one did in another tab is not told as somebody else's", async () => {
  const path = await challenge();
  const ann = await Person.of(chromium, server, "ann", { scripts: false });
  await ann.open(`${path}?choose=d1`);
  await move(path, "ann", "e2");
  await ann.press("Send d1");
  const told = await ann.text(".alert");
  assert.match(told, /You have moved meanwhile/);
  assert.doesNotMatch(told, /ann has moved/);
});

test("errors are sentences without signs of programs, and lead on", async () => {
  const person = await Person.of(chromium, server, "ann");
  for (const path of ["/users/nobody", "/boards/osbox/9999", "/games/nothing", "/try/osbox/nothing"]) {
    await person.open(path);
    const text = await person.text();
    assert.doesNotMatch(text, /`|Unprocessable|\{/, `${path}: ${text}`);
    assert.ok(await person.has('main a[href="/games"], main a[href^="/games/"]'), `${path}: ${text}`);
  }
  await person.open("/challenge?game=osbox");
  await person.fill({ player2: "nobodyhere" });
  await person.press("Challenge");
  assert.match(await person.text(".alert"), /nobodyhere/);
  assert.doesNotMatch(await person.text(), /`nobodyhere`|Unprocessable/);
});

test("what is wrong with a new account is said at its field, which has the focus", async () => {
  const person = await Person.arrive(chromium, server, { view: NARROW });
  await person.open("/signup");
  await person.fill({ userid: "bob", password: "bob-secret", address: "other@bob.example" });
  await person.press("Sign up");
  const field = await person.page.evaluate(() => {
    const { id, ariaInvalid } = document.activeElement;
    const { top } = document.activeElement.getBoundingClientRect();
    return { id, ariaInvalid, near: document.getElementById("wrong").getBoundingClientRect().top - top };
  });
  assert.ok(field.id === "userid" && field.ariaInvalid === "true" && Math.abs(field.near) < 140, JSON.stringify(field));
  assert.deepEqual(await judge(person), []);
  // A password that a browser proposes may hold what is refused: the page says so before it is sent.
  await person.open("/signup");
  await person.fill({ userid: "dora", password: "a:b-c:d-e:f", address: "dora@dora.example" });
  await (await person.find("button", "Sign up")).click();
  assert.equal(await person.page.$eval("#password", (one) => one.validity.patternMismatch), true);
});

test("who looks for an opponent reads that at once, and no more when the game has begun", async () => {
  const ann = await Person.of(chromium, server, "ann");
  await ann.open("/challenge?game=boxilies");
  await ann.press("Look for an opponent");
  const note = await ann.page.$eval(".note[role=status]", (one) => ({ text: one.textContent, top: one.getBoundingClientRect().top }));
  assert.ok(/You are looking for an opponent/.test(note.text) && note.top > 0 && note.top < 600, JSON.stringify(note));
  assert.doesNotMatch(await ann.text(), /looking now/);
  await server.command("boxilies seek bob bob-secret 1");
  await ann.page.waitForFunction(() => !document.body.textContent.includes("You are looking for an opponent"), { timeout: 20000 });
});

test("the page of the API can be read", async () => {
  const person = await Person.arrive(chromium, server);
  await person.open("/api/docs");
  const { size, first } = await person.page.evaluate(() => ({ size: performance.getEntriesByType("navigation")[0].transferSize, first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime }));
  console.log(`/api/docs: ${size} bytes, first paint after ${Math.round(first)} ms`);
  assert.ok(size < 60_000, `${size}`);
});
