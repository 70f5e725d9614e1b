// A Swiss tournament on a telephone, by clicks alone: announced, entered, played and read to its last table.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { NARROW, Person } from "./browser.mjs";
import { until } from "./waiting.mjs";

const NAMES = ["ann", "bob", "cyd", "dan"];
const people = {};

stage(NAMES, async () => {
  // Others announce from their first finished board on.
  await server.program("admin", "user", "grant", "ann");
  for (const name of NAMES) people[name] = await Person.of(chromium, server, name, { view: NARROW });
});

/** Nothing but a table scrolls sideways. */
async function fits(person) {
  const wide = await person.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${person.page.url()} is ${wide} pixels too wide`);
}

/** The tournament as programs see it, once it is so. */
const whenIt = (what, isSo) =>
  until(what, async () => {
    const seen = await server.get("/api/v1/tournaments/t1");
    return isSo(seen) && seen;
  });

test("somebody announces a Swiss tournament", async () => {
  const { ann } = people;
  await ann.open("/");
  await ann.follow("Tournaments", "body");
  await ann.follow("Announce one");
  await fits(ann);
  await ann.fill({ game: "osbox", form: "swiss", title: "Spring open", option_players: "4-4" });
  await ann.unfold("More options");
  await fits(ann);
  await ann.fill({ options: "-size=3", option_rounds: "3" });
  await ann.press("Announce");
  assert.match(await ann.text(), /It is announced, and you direct it/);
  await fits(ann);
});

test("four enter, and the first round begins by itself", async () => {
  for (const name of NAMES) {
    const person = people[name];
    await person.open("/tournaments");
    await fits(person);
    await person.follow("Spring open");
    await person.press("Enter");
    assert.match(await person.text(), /You have entered/);
  }
  const { pairings } = await whenIt("the first round", (seen) => seen.round === 1 && seen.pairings.every((one) => one.state === "open"));
  assert.equal(pairings.length, 2);
});

test("each round is played on the page, and the next one follows", async () => {
  for (let round = 1; round <= 3; round++) {
    const seen = await whenIt(`round ${round}`, (seen) => seen.round === round && seen.pairings.filter((one) => one.round === round && one.state === "open").length === 2);
    for (const { boards } of seen.pairings.filter((one) => one.round === round)) {
      const { number } = boards[0];
      const loser = people[(await server.get(`/api/v1/boards/osbox/${number}`)).to_move[0]];
      await loser.open("/tournaments/t1");
      await fits(loser);
      await loser.follow(`Board ${number}`);
      assert.match(await loser.text(), new RegExp(`Tournament t1, round ${round}`));
      await fits(loser);
      await resign(loser);
    }
  }
  await whenIt("the end", (seen) => seen.state === "over");
});

/** Gives up on one's turn, which is a loss from the first move on. */
async function resign(person) {
  await person.turnTo("More");
  await person.unfold("Undo, draw, resign");
  await person.fill({ sure: true });
  await person.press("Resign");
  assert.match(await person.text(".lead"), /You lost by resignation/);
}

test("everybody reads the last table, and nothing but it scrolls sideways", async () => {
  const { dan } = people;
  await dan.open("/tournaments");
  await fits(dan);
  await dan.follow("Spring open");
  const { players } = await server.get("/api/v1/tournaments/t1");
  assert.match(await dan.text(), new RegExp(`It is over, and was won by ${players[0].userid}`));
  const rows = await dan.page.$$eval("main table tbody tr", (rows) => rows.map((row) => row.innerText.replace(/\s+/g, " ").trim()));
  assert.equal(rows.length, 4);
  // Nobody moved but by giving up: each result is one without a game.
  for (const [place, { userid }] of players.entries()) assert.match(rows[place], new RegExp(`^${players[place].place} ${userid} `));
  await fits(dan);
});

test("nothing odd happened on the pages", () => {
  for (const name of NAMES) assert.deepEqual(people[name].odd, [], name);
});
