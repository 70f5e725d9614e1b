// The deployed profile is what it says: without this, a scene that never meets a limit would not notice its absence.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { Server } from "./server.mjs";
import { launch, Person } from "./browser.mjs";
import { linkIn } from "./letter.mjs";
import { DEPLOYED, SITE } from "./places.mjs";

/** By default, from one host in an hour. */
const MOST_SIGNUPS = 10;
const skip = !DEPLOYED && "only in the deployed profile";

let server, chromium;
before(async () => {
  if (DEPLOYED) [server, chromium] = await Promise.all([Server.start(), launch()]);
});
after(async () => {
  await chromium?.close();
  await server?.stop();
});

function signUp(name, host) {
  const headers = { "content-type": "application/json", "x-forwarded-for": host };
  return server.ask("/commands", { method: "POST", headers, body: JSON.stringify({ command: `signup ${name} ${name}-secret ${name}@${name}.example` }) });
}

test("a host signs up so many users and another host is not held up", { skip }, async () => {
  for (let number = 1; number <= MOST_SIGNUPS; number++) assert.equal((await signUp(`one${number}`, "192.0.2.1")).status, 200);
  assert.equal((await signUp("more", "192.0.2.1")).status, 429);
  assert.equal((await signUp("other", "192.0.2.2")).status, 200);
});

test("nothing but the confirmation is mailed to an address that is not confirmed", { skip }, async () => {
  const letter = await server.letter("other", (one) => linkIn(one, "confirm"));
  assert.ok(letter.text.includes(`http://${SITE}:`), letter.text);
  await server.signUp("ann");
  await server.letter("ann", (one) => one.subject.includes("Welcome"));
  await server.command("osbox challenge ann other");
  await server.letter("ann", (one) => one.subject.includes("Osbox"));
  assert.deepEqual(await server.letters("other"), []);
});

test("behind the proxy nobody is on this machine", { skip }, async () => {
  assert.equal((await server.ask("/metrics")).status, 404);
  const stranger = await Person.arrive(chromium, server);
  assert.equal(await stranger.openMailbox(), 404, "there is none where mail leaves");
  assert.equal(await stranger.open("/"), 200);
  assert.equal(new URL(stranger.page.url()).hostname, SITE);
  assert.deepEqual(stranger.odd, []);
  await stranger.leave();
});
