// Small windows: a telephone upright and on its side, a page enlarged three times (WCAG 2.2, 1.4.10). The board is in sight
// where somebody is to move, and nothing lies over it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { judge } from "./axe.mjs";

const WINDOWS = [
  { width: 360, height: 740, least: 0.95 },
  { width: 740, height: 360, least: 0.9 },
  { width: 320, height: 256, least: 0.4 },
  { width: 1280, height: 800, least: 0.95 },
  { width: 600, height: 300, least: 0.9 },
];

stage(["ann", "bob", "cyd", "dan"]);

/** The share of the board that somebody sees at first: in the window, with nothing of the page over it. */
const seenShare = ({ page }) =>
  page.$eval("#board svg.picture", (picture) => {
    const { left, top, width, height } = picture.getBoundingClientRect();
    const steps = 24;
    let seen = 0;
    for (let x = 0; x < steps; x++)
      for (let y = 0; y < steps; y++) {
        const at = document.elementFromPoint(left + ((x + 0.5) * width) / steps, top + ((y + 0.5) * height) / steps);
        if (at && picture.contains(at)) seen += 1;
      }
    return seen / steps ** 2;
  });

test("the board is in sight in every window", async () => {
  const four = (await server.command("osbox challenge ann bob cyd dan")).boards[0].number;
  const pages = [`/boards/osbox/${four}`, `/boards/osbox/${four}?choose=f1`];
  for (const game of ["osbox", "obsidio", "osbo", "boxilies"]) {
    pages.push(`/boards/${game}/${(await server.command(`${game} challenge ann bob`)).boards[0].number}`, `/try/${game}`);
  }
  pages.push("/puzzles/osbox", "/learn/osbox/1");
  for (const { width, height, least } of WINDOWS) {
    const ann = await Person.of(chromium, server, "ann", { view: { width, height } });
    for (const path of pages) {
      await ann.open(path);
      const share = await seenShare(ann);
      assert.ok(share >= least, `${path} at ${width}x${height}: ${share}`);
      const overflow = await ann.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${path} at ${width}x${height} is ${overflow} px too wide`);
      if (process.env.KNOTPOST_PICTURES) await ann.page.screenshot({ path: `${process.env.KNOTPOST_PICTURES}/${width}x${height}${path.replaceAll(/[/?=]/g, "-")}.png` });
    }
    await ann.open(pages[0]);
    assert.deepEqual(await judge(ann), []);
    await ann.leave();
  }
});
