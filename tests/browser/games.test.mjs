// Whole games of every kind between two browsers and somebody who only reads and writes mail.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { choices, dice, play, point, seesMove } from "./table.mjs";
import { until } from "./waiting.mjs";

let ann, bob;
stage(["ann", "bob", "cyd"], async () => {
  [ann, bob] = await Promise.all([Person.of(chromium, server, "ann"), Person.of(chromium, server, "bob")]);
});

/** Cyd answers the letter that says whose turn it is, by a reply with the move alone. */
async function replyByMail(game, ply) {
  const letter = await server.letter("cyd", (one) => one.text.includes(`${game} move 101 cyd PASSWORD`) || /move alone on the first line/.test(one.text));
  const [, move] = /with the move alone on the first line, like\n {3}(.+)\n/.exec(letter.text) ?? [];
  assert.ok(move, `no move to answer with at move ${ply}:\n${letter.text}`);
  await server.mail({ from: "cyd@cyd.example", to: letter.replyTo, subject: `Re: ${letter.subject}`, body: `${move}\n\nBy mail, from cyd.` });
}

/** Plays a board to its end: who has a browser clicks, cyd mails, and both browsers follow without reloading. */
async function playOut(challenge, prefer) {
  const [game] = challenge.split(" ");
  const number = (await server.command(challenge)).boards[0].number;
  const path = `/boards/${game}/${number}`;
  const roll = dice(number * 7919 + game.length);
  await Promise.all([ann.open(path), bob.open(path)]);
  const loads = ann.loads.length;
  for (let turn = 0; turn < 120; turn++) {
    const board = await server.get(`/api/v1${path}`);
    await Promise.all([seesMove(ann, board.ply), seesMove(bob, board.ply)]);
    if (board.state === "over") return { board, path, pages: ann.loads.slice(loads) };
    const [mover] = board.to_move;
    if (mover === "cyd") {
      await replyByMail(game, board.ply);
      await Promise.all([ann, bob].map((person) => person.page.waitForFunction((ply) => !document.querySelector(".steps strong")?.textContent.startsWith(`move ${ply}`), {}, board.ply)));
    } else await play(mover === "ann" ? ann : bob, roll, prefer);
  }
  throw new Error(`${path} does not end`);
}

async function expectEnd({ board, path }, players) {
  const outcome = /won|lost|wins|tie|draw/i;
  for (const person of [ann, bob]) assert.match(await person.text(".lead"), outcome, path);
  const letter = await server.letter("cyd", (one) => one.subject.includes("Game over") || /won|wins|tie/i.test(one.text.split("\n").slice(0, 12).join("\n")));
  assert.match(letter.text, outcome);
  assert.ok(board.result.winners.length >= 1, JSON.stringify(board.result));
  for (const name of players) assert.ok(board.moves.some((move) => move.userid === name), `${name} has moved`);
}

test("osbox is played by two browsers and by mail", async () => {
  await expectEnd(await playOut("osbox challenge -size=3 ann bob cyd"), ["ann", "bob", "cyd"]);
});

test("osbo is played by two browsers and by mail", async () => {
  await expectEnd(await playOut("osbo challenge -size=3 -auto_tips ann bob cyd"), ["ann", "bob", "cyd"]);
});

test("obsidio is played by browser and by mail, and watched", async () => {
  const claims = (href) => /[bd][24]#/.test(href);
  await expectEnd(await playOut("obsidio challenge -size=5 ann cyd", claims), ["ann", "cyd"]);
});

test("boxilies is played by browser and by mail, and watched", async () => {
  await expectEnd(await playOut("boxilies challenge bob cyd"), ["bob", "cyd"]);
});

test("news that were on their way do not undo a click, nor a click the news", async () => {
  const { number } = (await server.command("osbox challenge -size=3 ann bob")).boards[0];
  const { page } = ann;
  await ann.open(`/boards/osbox/${number}`);
  const [first] = await choices(ann);
  // The answer to the page's next question is kept back.
  await page.evaluate(() => {
    const { fetch } = window;
    const held = new Promise((resolve) => (window.letGo = resolve));
    window.fetch = async (...question) => {
      window.fetch = fetch;
      const answer = fetch(...question);
      window.hasAsked = true;
      await held;
      return answer;
    };
  });
  await server.command(`osbox chat ${number} bob bob-secret`, "Have fun!");
  await page.waitForFunction(() => window.hasAsked, { polling: 50 });
  await until("the click", () => point(ann, first));
  await page.$eval("#table", (table) => table.setAttribute("data-chosen", ""));
  await page.evaluate(() => {
    window.letGo();
    return new Promise((resolve) => setTimeout(resolve, 300));
  });
  assert.match(page.url(), /[?&](choose|spot)=/);
  assert.ok(await ann.has("#table[data-chosen]"), "the page shows what was chosen");
  assert.match(await ann.text(".talk"), /Have fun!/);
});

test("nothing odd happened on the pages", () => {
  assert.deepEqual([...ann.odd, ...bob.odd], []);
});
