// What a visitor can do at once: a board under the thumb, without an account, and a line to explore on a telephone.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";

const TELEPHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };
/** What a tap can choose: places on the board, faces, words. */
const TARGETS = ".sight svg a.spot, .faces a:not(.off), .chips a";

stage(["ann", "bob"]);

/** Where the first of these lies that can be seen entirely and is large enough for a finger; none: there is none. */
function find(person, selector) {
  return person.page.evaluate((wanted) => {
    for (const one of document.querySelectorAll(wanted)) {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const isSeen = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
      if (isSeen && right - left >= 24 && bottom - top >= 24 && one.contains(document.elementFromPoint(x, y))) return { x, y };
    }
    return null;
  }, selector);
}

async function tap(person, selector = TARGETS) {
  const at = await find(person, selector);
  assert.ok(at, `${person.page.url()}: no ${selector} to tap without scrolling`);
  await Promise.all([person.page.waitForNavigation(), person.page.touchscreen.tap(at.x, at.y)]);
}

/** The game of the start page, and those whose own page a visitor opens first. */
const FIRST = ["osbox"];
const OTHERS = ["hex", "connect4", "osbo", "obsidio", "boxilies", "y", "havannah", "othello", "breakthrough"];

for (const game of [...FIRST, ...OTHERS])
  test(`a visitor is two taps away from a board of ${game} where the next tap is part of a move`, async () => {
    const visitor = await Person.arrive(chromium, server, { view: TELEPHONE });
    await visitor.open(FIRST.includes(game) ? "/" : `/games/${game}`);
    await tap(visitor, `main a[href^="/try/${game}?"], main a[href="/try/${game}"]`);
    assert.equal(await visitor.page.$$eval("main input, main textarea", (all) => all.length), 0, "no field");
    await tap(visitor);
    assert.match(new URL(visitor.page.url()).search, /choose=|spot=/, "it is part of a move");
    assert.equal(await visitor.page.$$eval(".alert", (all) => all.length), 0);
  });

for (const game of ["osbox", "osbo", "obsidio", "boxilies"])
  test(`a line of ${game} is explored on a telephone without scrolling`, async () => {
    const { number } = (await server.command(`${game} challenge ann bob`)).boards[0];
    const visitor = await Person.arrive(chromium, server, { view: TELEPHONE });
    await visitor.open(`/boards/${game}/${number}/explore`);
    await tap(visitor);
    const facts = await visitor.page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      sheet: document.querySelector(".turn").getBoundingClientRect().bottom - innerHeight,
    }));
    assert.ok(facts.wide <= 0 && facts.sheet <= 1, JSON.stringify(facts));
    assert.equal((await server.get(`/api/v1/boards/${game}/${number}`)).ply, 0, "the board is not touched");
  });
