// An administrator finds a mail that got lost and has it processed once more.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { until } from "./waiting.mjs";

const LOST = [
  "From: bob@bob.example",
  "Subject: osbox move 101 bob bob-secret e12",
  "Message-ID: <lost@bob.example>",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="x"',
  "",
  "--x",
  "Content-Type: text/plain; charset=utf-8",
  "",
  "I moved days ago, did you not get it?",
  "--x--",
  "",
].join("\r\n");

stage(["ruth", "ann", "bob"], async () => {
  await server.program("admin", "user", "grant", "ruth");
  await server.command("osbox challenge ann bob");
  await server.command("osbox move 101 ann ann-secret f1");
});

test("an administrator finds a lost mail and replays it", async () => {
  // While no server runs the mail is only stored; then it is lost as if the program had stumbled over it.
  await server.halt();
  await server.deliver(LOST);
  await server.change("UPDATE inbox SET state = 'failed', reason = 'failed', attempts = 5 WHERE state = 'new'");
  await server.resume();
  assert.equal((await server.get("/api/v1/boards/osbox/101")).ply, 1);

  const ruth = await Person.of(chromium, server, "ruth");
  await ruth.follow("Administration", ".top");
  await ruth.follow("Mail in", ".sub");
  await ruth.fill({ state: "failed" });
  await ruth.press("Search");
  const list = await ruth.text("table");
  assert.match(list, /failed/);
  assert.match(list, /bob@bob\.example/, "whose it is can be seen");
  assert.match(list, /osbox move 101 bob/, "what it wanted can be seen");
  assert.doesNotMatch(list, /bob-secret/);
  await ruth.page.click("tbody th a").then(() => ruth.page.waitForSelector("dl.facts"));
  assert.doesNotMatch(await ruth.page.content(), /bob-secret/);
  assert.match(await ruth.page.content(), /did you not get it/);
  await ruth.press("Process it once more");

  const board = await until("the move", async () => {
    const board = await server.get("/api/v1/boards/osbox/101");
    return board.ply === 2 && board;
  });
  assert.equal(board.moves[1].text, "e12");
  await ruth.open("/boards/osbox/101");
  assert.match(await ruth.text(".talk"), /did you not get it/);
  await ruth.open("/admin/audit");
  assert.match(await ruth.text("table"), /ruth/);
  assert.deepEqual(ruth.odd, []);
  await ruth.leave();
});

test("an ordinary user finds no administration", async () => {
  const ann = await Person.of(chromium, server, "ann");
  for (const path of ["/admin", "/admin/boards", "/admin/users/bob", "/admin/inbox", "/admin/audit"]) {
    assert.equal(await ann.open(path), 404, path);
  }
  assert.doesNotMatch(await ann.text("body"), /Administration/);
  await ann.leave();
});
