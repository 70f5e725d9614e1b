// With scripts switched off everything works but what is live.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { NARROW, Person } from "./browser.mjs";
import { dice, play } from "./table.mjs";

stage(["bob"]);

test("somebody signs up, challenges, moves, talks and resigns without scripts", async () => {
  const ann = await Person.arrive(chromium, server, { scripts: false, view: NARROW });
  await ann.open("/");
  await ann.follow("Sign up", ".top");
  await ann.fill({ userid: "ann", password: "ann-secret", address: "ann@ann.example" });
  await ann.press("Sign up");
  assert.match(await ann.text("body"), /Log out/);
  if (server.place.confirms()) {
    await ann.open(await server.confirmation("ann@ann.example"));
    await ann.press("Yes, ann@ann.example is mine");
    await ann.open("/");
  }
  await ann.press("Log out");
  await ann.follow("Log in", ".top");
  await ann.fill({ userid: "ann", password: "ann-secret" });
  await ann.press("Log in");

  await ann.follow("Challenge somebody");
  await ann.follow("Osbox");
  await ann.unfold("More options");
  await ann.fill({ player2: "bob", option_size: "3", comment: "Have fun!" });
  await ann.press("Challenge");
  assert.match(ann.page.url(), /\/boards\/osbox\/101/);
  await ann.turnTo("Talk");
  assert.match(await ann.text(".talk"), /Have fun!/);

  ann.userid = "ann";
  await play(ann, dice(4));
  assert.match(await ann.text(".lead"), /bob's turn/);
  assert.equal((await server.get("/api/v1/boards/osbox/101")).ply, 1);

  await ann.turnTo("Talk");
  await ann.page.type("#chat", "Take your time.");
  await ann.press("Send");
  assert.match(await ann.text(".talk"), /Take your time\./);

  await ann.follow("‹ Back");
  assert.match(await ann.text(".steps"), /move 0 of 1/);
  await ann.follow("» Present");

  await server.command("osbox move 101 bob bob-secret a9");
  await ann.open("/boards/osbox/101");
  await ann.turnTo("More");
  await ann.unfold("Undo, draw, resign");
  await ann.fill({ sure: true });
  await ann.press("Resign");
  assert.equal((await server.get("/api/v1/boards/osbox/101")).state, "over");
  assert.match(await ann.text(".lead"), /You lost by resignation/);
  assert.ok(ann.loads.every((url) => !url.endsWith("/events")), "nothing live was asked for");
  assert.deepEqual(ann.odd, []);
});
