// A newcomer's first day: from the start page to a game against an easy computer player, a hint, a lost game by mail
// against the strongest, and what the analysis says of it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { dice, play, seesMove } from "./table.mjs";
import { until } from "./waiting.mjs";

const TELEPHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };
const ADDRESS = "nova@nova.example";

let nova;
stage([], async () => {
  nova = await Person.arrive(chromium, server, { view: TELEPHONE });
  nova.userid = "nova";
});

/** The board as programs see it, when it is this player's turn or over. */
function whenItIsTheTurnOf(userid, path) {
  return until(`${userid}'s turn on ${path}`, async () => {
    const board = await server.get(`/api/v1${path}`);
    return (board.state === "over" || board.to_move.includes(userid)) && board;
  });
}

test("a newcomer signs up", async () => {
  await nova.open("/");
  await nova.follow("Sign up", "body");
  await nova.fill({ userid: "nova", password: "nova-secret", address: ADDRESS, moves: "all" });
  await nova.press("Sign up");
  if (server.place.confirms()) await server.submit(await server.confirmation(ADDRESS));
  await nova.open("/");
  assert.match(await nova.text("body"), /nova/);
});

test("a newcomer plays a whole game against an easy computer player on the page, with a hint", async () => {
  await nova.open("/games");
  await nova.follow("Boxilies", "main");
  await nova.page.$eval('form.computer input[value="boxilies"] ~ label select', (level) => (level.value = "1"));
  await Promise.all([nova.page.waitForNavigation({ waitUntil: "load" }), nova.page.$eval('form.computer input[value="boxilies"] ~ button', (button) => button.click())]);
  const path = new URL(nova.page.url()).pathname;
  assert.match(path, /^\/boards\/boxilies\/\d+$/);
  assert.match(await nova.text("body"), /knotbot-1/);
  const roll = dice(7);
  let advised = false;
  for (;;) {
    const board = await whenItIsTheTurnOf("nova", path);
    // A page that is left alone shows the answer of the computer player by itself.
    await seesMove(nova, board.ply);
    if (board.state === "over") break;
    if (!advised) {
      await nova.press("Hint");
      assert.match(await nova.text(".hint"), /A computer player would play \S+/);
      advised = true;
      await nova.open(path);
    }
    await play(nova, roll);
  }
  assert.ok(advised);
  assert.match(await nova.text(".lead"), /won|lost|wins|tie|draw/i);
});

/** Plays a game by replies with the first legal move each time; says whether nova has lost, and where. */
async function playByMail() {
  await server.mail({ from: ADDRESS, subject: "boxilies challenge nova knotbot-8" });
  const first = await server.letter("nova", (one) => /knotbot-8/.test(one.text) && /New Boxilies/.test(one.subject));
  const [, number] = /Board (\d+)/.exec(first.subject);
  const path = `/boards/boxilies/${number}`;
  let letter = first;
  for (;;) {
    const board = await whenItIsTheTurnOf("nova", path);
    if (board.state === "over") return { path, number, lost: !board.result.winners.includes("nova") };
    const asks = (one) => one.subject.includes(`Board ${number}`) && /with the move alone on the first line/.test(one.text);
    if (board.ply > 0) letter = await server.letter("nova", asks);
    const { legal } = await server.get(`/api/v1${path}/legal`);
    await server.mail({ from: ADDRESS, to: letter.replyTo, subject: `Re: ${letter.subject}`, body: `${legal[0]}\n` });
    await until("the move", async () => (await server.get(`/api/v1${path}`)).ply > board.ply);
  }
}

test("a newcomer loses to the strongest computer player by mail", async () => {
  // The first player has a win there, which hardly anybody finds by chance.
  do nova.game = await playByMail();
  while (!nova.game.lost);
  await server.letter("nova", (one) => one.subject.includes(`Board ${nova.game.number}`) && /won|wins/i.test(one.text));
});

test("a newcomer reads the analysis of the lost game, by mail and on the page", async () => {
  await server.mail({ from: ADDRESS, subject: `boxilies analyse ${nova.game.number}` });
  const letter = await server.letter("nova", (one) => /Analysis/.test(one.subject));
  assert.match(letter.text, /the move that lost most/);
  assert.match(letter.text, /nova/);
  await nova.open(`${nova.game.path}/analysis`);
  if (await nova.has("form button[value=analyse]")) await nova.press("Analyse the game");
  assert.match(await nova.text(), /Who was ahead/);
  assert.match(await nova.text(), /the move that lost most/);
  const wide = await nova.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
});

test("nothing odd happened on the pages", () => {
  assert.deepEqual(nova.odd, []);
});
