// Boards whose page holds their moves in its address: to try, lessons, puzzles, lines to explore. As lively as others.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { NARROW, Person } from "./browser.mjs";
import { judge } from "./axe.mjs";

const MOST_SCRIPT = 30_000;
const MOST_PAGE = 30_000;

stage(["ann", "bob"]);

/** Notes when the document is loaded anew. */
const mark = (person) => person.page.evaluate(() => (window.isSame = true));
const isSame = (person) => person.page.evaluate(() => window.isSame === true);
const said = (person) => person.page.$eval("#said", (one) => one.textContent);
const waitFor = (person, words) => person.page.waitForFunction((words) => new RegExp(words).test(document.querySelector("#table").innerText), { polling: 20 }, words);
const click = (person, selector) => person.page.evaluate((selector) => document.querySelector(selector).dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })), selector);

test("a visitor's first push slides, closes its path in their colour, and rises to the score, in one document", async () => {
  const visitor = await Person.arrive(chromium, server, { view: NARROW });
  const { page } = visitor;
  await visitor.open("/");
  await Promise.all([page.waitForNavigation(), page.click(".button.begin")]);
  await mark(visitor);
  const knot = await page.evaluate(() => new Promise((resolve) => {
    new MutationObserver(() => document.querySelector(".send") && requestAnimationFrame(() => {
      const path = [...document.querySelectorAll(".trace.knot:not(.sliding *)")].at(-1);
      resolve({ slides: Boolean(document.querySelector(".sliding")), colour: path?.getAttribute("stroke"), runs: path?.getAnimations().length, lines: path?.getAttribute("d").match(/M/g).length });
    })).observe(document.body, { childList: true, subtree: true });
    document.querySelector("a.spot").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }));
  assert.deepEqual(knot, { slides: true, colour: "var(--p-seat1)", runs: 1, lines: 1 });
  assert.match(await said(visitor), /\+6 j1 closes a knot of 6/);
  const won = page.waitForSelector(".seat1 .won").then((one) => one.evaluate((each) => each.textContent));
  await click(visitor, ".send .button");
  assert.equal(await won, "+6");
  await waitFor(visitor, "Your turn");
  assert.match(await said(visitor), /The computer played/);
  assert.ok(await isSame(visitor), "the document stayed");
  assert.match(page.url(), /moves=c4~b9~e3~e13~j1~[a-p]\d+$/, "the address holds the answer too");
  await page.goBack();
  await waitFor(visitor, "Your first move");
  assert.deepEqual([await isSame(visitor), visitor.odd], [true, []]);
});

test("under reduced motion nothing of it moves", async () => {
  const visitor = await Person.arrive(chromium, server);
  await visitor.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
  await visitor.open("/try/osbox?level=1&moves=c4~b9~e3~e13&choose=j");
  await click(visitor, "a.spot");
  await visitor.page.waitForSelector(".send");
  const moving = () => visitor.page.evaluate(() => [document.querySelectorAll(".sliding, .won").length, document.getAnimations().length]);
  assert.deepEqual(await moving(), [0, 0]);
  await click(visitor, ".send .button");
  await waitFor(visitor, "Your turn");
  assert.deepEqual(await moving(), [0, 0]);
});

test("a path has the colour of the seat that closed it", async () => {
  const visitor = await Person.arrive(chromium, server);
  const colours = () => visitor.page.$$eval(".trace.knot", (all) => [...new Set(all.map((one) => one.getAttribute("stroke")))].filter((colour) => /seat|lite|deep|path/.test(colour)));
  await visitor.open("/learn/osbox/2?moves=j1");
  assert.deepEqual(await colours(), ["var(--p-seat1)"]);
  await visitor.open("/learn/osbox/3");
  // Vert closes one: whatever move does is found by trying them.
  const places = await visitor.page.$$eval("a.spot", (all) => all.map((one) => one.dataset.spot));
  const faces = await visitor.page.$$eval(".faces a", (all) => all.map((one) => one.dataset.begun));
  for (const move of faces.flatMap((face) => places.map((place) => face + place))) {
    await visitor.open(`/learn/osbox/3?moves=${move}`);
    if (/Right\./.test(await visitor.text(".now"))) break;
  }
  assert.deepEqual(await colours(), ["var(--p-seat2)"]);
});

test("every line is played by keys alone: arrows walk the board, the focus stays, what happens is said", async () => {
  const { number } = (await server.command("obsidio challenge -size=5 ann bob")).boards[0];
  const visitor = await Person.arrive(chromium, server);
  const { page } = visitor;
  for (const path of ["/try/obsidio", "/learn/obsidio/1", "/puzzles/obsidio?day=1", `/boards/obsidio/${number}/explore`]) {
    await visitor.open(path);
    await mark(visitor);
    assert.equal(await page.$$eval('a.spot[tabindex="0"]', (all) => all.length), 1, `${path}: one stop for Tab`);
    await page.$eval('a.spot[tabindex="0"]', (one) => one.focus());
    const begun = await page.evaluate(() => document.activeElement.dataset.spot);
    for (const key of ["ArrowUp", "ArrowDown", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
    assert.ok(await page.evaluate(() => document.activeElement.matches("a.spot")), `${path}: from ${begun}`);
    for (let press = 0; press < 8 && !(await visitor.has(".send")); press++) {
      const before = page.url();
      await page.keyboard.press("Enter");
      await page.waitForFunction((before) => location.href !== before && !document.querySelector("#table[aria-busy]"), { polling: 20 }, before);
      assert.ok(await page.evaluate(() => document.querySelector("#table").contains(document.activeElement)), `${path}: the focus stays`);
      assert.notEqual(await said(visitor), "");
    }
    assert.ok(await visitor.has(".send"), `${path}: ${page.url()}`);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => !document.querySelector(".send") && !document.querySelector("#table[aria-busy]"), { polling: 20 });
    assert.ok(await isSame(visitor), `${path}: the document stayed`);
    assert.ok(await page.evaluate(() => document.querySelector("#table").contains(document.activeElement)), `${path}: the focus stays after the move, at ${page.url()}`);
    assert.notEqual(await said(visitor), "");
  }
  assert.deepEqual(visitor.odd, []);
});

test("Escape goes back, and never plays", async () => {
  const visitor = await Person.arrive(chromium, server);
  await visitor.open("/try/osbox?choose=f2");
  await visitor.page.keyboard.press("Escape");
  await visitor.page.waitForFunction(() => !document.querySelector(".send"), { polling: 20 });
  assert.doesNotMatch(visitor.page.url(), /moves=/);
});

test("a line is small, and its script is fetched once", async () => {
  const visitor = await Person.arrive(chromium, server);
  for (const path of ["/try/osbox", "/try/obsidio", "/learn/osbox/2", "/puzzles/boxilies?day=1"]) {
    await visitor.page.setCacheEnabled(true);
    await visitor.open(path);
    const sizes = await visitor.page.evaluate(() => performance.getEntriesByType("resource").filter((one) => /board\.js|live\.js/.test(one.name)).map((one) => one.transferSize));
    const size = await visitor.page.evaluate(() => performance.getEntriesByType("navigation")[0].transferSize);
    console.log(`${path}: ${size} bytes, scripts ${sizes.join(" + ")}`);
    assert.ok(size < MOST_PAGE, `${path}: ${size}`);
    assert.ok(sizes.reduce((sum, one) => sum + one, 0) < MOST_SCRIPT, `${path}: ${sizes}`);
  }
});

for (const [name, view] of [["on its side", { width: 740, height: 360 }], ["upright", NARROW]])
  test(`the board of a line is in sight on a telephone ${name}`, async () => {
    const visitor = await Person.arrive(chromium, server, { view: { ...view, hasTouch: true, isMobile: true } });
    for (const path of ["/try/osbox?level=1&moves=c4~b9~e3~e13&choose=j", "/try/obsidio", "/learn/osbox/2", "/puzzles/osbox?day=1"]) {
      await visitor.open(path);
      const box = await visitor.page.evaluate(() => {
        const { top, bottom, height } = document.querySelector(".sight .picture").getBoundingClientRect();
        const cover = getComputedStyle(document.querySelector(".turn")).position === "sticky" ? document.querySelector(".turn").getBoundingClientRect().top : innerHeight;
        return { seen: (Math.min(bottom, cover) - Math.max(top, 0)) / height, wide: document.documentElement.scrollWidth - innerWidth };
      });
      assert.ok(box.seen > 0.6 && box.wide <= 0, `${path}: ${JSON.stringify(box)}`);
    }
  });

test("axe finds nothing on a visitor's first move", async () => {
  const visitor = await Person.arrive(chromium, server);
  await visitor.open("/try/osbox?level=1&moves=c4~b9~e3~e13&choose=j");
  assert.deepEqual(await judge(visitor), []);
});

test("text twice as large needs no scrolling to the side", async () => {
  const { number } = (await server.command("osbox challenge ann bob")).boards[0];
  const ann = await Person.of(chromium, server, "ann", { view: NARROW });
  const found = [];
  for (const path of ["/", `/boards/osbox/${number}`, `/boards/osbox/${number}?choose=f2`, "/try/osbox?level=1", "/learn/osbox/2", "/settings", "/challenge?game=osbox", "/games/osbox"]) {
    await ann.open(path);
    const wide = await ann.page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
      const over = [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, pre, .skip, svg, .top nav"));
      return [document.documentElement.scrollWidth - innerWidth, ...over.slice(0, 4).map((one) => one.outerHTML.slice(0, 90))];
    });
    if (wide[0] > 0) found.push([path, ...wide]);
  }
  assert.deepEqual(found, []);
});

test("the key n leads to the next game that waits, in no field, and not for those who switched it off", async () => {
  const boards = [];
  for (let count = 0; count < 2; count++) boards.push((await server.command("boxilies challenge bob ann")).boards[0].number);
  const { legal } = await server.get(`/api/v1/boards/boxilies/${boards[0]}/legal`);
  await server.command(`boxilies move ${boards[0]} bob bob-secret ${legal[0]}`);
  const bob = await Person.of(chromium, server, "bob");
  const { page } = bob;
  const path = `/boards/boxilies/${boards[0]}`;
  await bob.open(`${path}?side=talk`);
  await page.type("#chat", "n");
  assert.equal(new URL(page.url()).pathname, path);
  await page.$eval("#chat", (one) => (one.value = ""));
  await page.evaluate(() => document.activeElement.blur());
  await Promise.all([page.waitForNavigation(), page.keyboard.press("n")]);
  assert.match(page.url(), /\/boards\/boxilies\/\d+$/);
  assert.notEqual(new URL(page.url()).pathname, path);
  await server.command("set bob bob-secret keys=off");
  await bob.open(path);
  await page.keyboard.press("n");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(new URL(page.url()).pathname, path);
  assert.deepEqual(bob.odd, []);
});

test("the end of a visitor's game is a card with what to do next, and the way to sign up is in sight", async () => {
  const visitor = await Person.arrive(chromium, server, { view: { ...NARROW, hasTouch: true, isMobile: true } });
  await visitor.open("/try/connect4?moves=d~a~d~a~d~a~d");
  assert.match(await visitor.text(".end"), /Play again/);
  assert.match(await visitor.page.$eval(".end h2", (one) => one.textContent), /^X won$/);
  const { right, left } = await visitor.page.$eval('.links a[href="/signup"]', (one) => one.getBoundingClientRect().toJSON());
  assert.ok(left >= 0 && right <= NARROW.width - 8, `${left} to ${right}`);
});
