// Passkeys with the virtual authenticator of DevTools: added on the settings page, used where one logs in, removed.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { once } from "node:events";
import { Server } from "./server.mjs";
import { launch, NARROW, Person } from "./browser.mjs";
import { judge } from "./axe.mjs";
import { DEPLOYED } from "./places.mjs";
import { WITHOUT_TLS } from "./stage.mjs";

/** A port that is free now: the address of the server must be known before it starts. */
async function findPort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  await once(listener, "close");
  return port;
}

let server, chromium;
before(async () => {
  chromium = await launch();
  if (DEPLOYED) return;
  const port = await findPort();
  server = await Server.start({ HTTP__LISTEN: `127.0.0.1:${port}`, SERVER__PUBLIC_URL: `http://localhost:${port}` });
  server.site = `http://localhost:${port}`;
  await server.signUp("ann");
});
after(async () => {
  await chromium?.close();
  await server?.stop();
});

/** Clicks, and waits for the page that the script leads to. */
const click = ({ page }, selector) => Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.$eval(selector, (one) => one.click())]);

test("a passkey is added, logs in, and is removed", { skip: WITHOUT_TLS }, async () => {
  const ann = await Person.of(chromium, server, "ann", { view: NARROW });
  const devtools = await ann.page.createCDPSession();
  await devtools.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", { options });

  await ann.open("/settings");
  await ann.page.waitForSelector("#passkey-name", { visible: true });
  await ann.page.type("#passkey-name", "My telephone");
  await click(ann, "#passkeys form[data-passkey] button");
  assert.match(await ann.text("#passkeys"), /My telephone \(added .*never used\)/);
  const { credentials } = await devtools.send("WebAuthn.getCredentials", { authenticatorId });
  assert.equal(credentials.length, 1);
  assert.equal(credentials[0].isResidentCredential, true);
  await server.letter("ann", ({ subject }) => subject.startsWith("A passkey was added"));

  // The same device has one passkey of hers.
  await ann.page.$eval("#passkeys form[data-passkey] button", (one) => one.click());
  await ann.page.waitForFunction(() => document.querySelector("#passkeys form[data-passkey] [role=status]").textContent.includes("already"));

  await click(ann, "form[action='/logout'] button");
  await ann.open("/login?next=/settings");
  await ann.page.waitForSelector("form[data-passkey] button", { visible: true });
  assert.deepEqual(await judge(ann), []);
  await click(ann, "form[data-passkey] button");
  assert.ok(ann.page.url().endsWith("/settings"), ann.page.url());
  assert.match(await ann.text("#passkeys"), /My telephone \(added .*last used/);

  assert.deepEqual(await judge(ann), []);

  await ann.unfold("Rename or remove the passkey My telephone");
  assert.deepEqual(await judge(ann), []);
  await ann.page.$eval("#passkeys li [name=name]", (one) => (one.value = "The <old> one"));
  await click(ann, "#passkeys li [value=name_passkey]");
  assert.match(await ann.text("#passkeys"), /The <old> one \(added/);
  assert.doesNotMatch(await ann.text("#passkeys"), /My telephone/);
  await ann.unfold("Rename or remove the passkey The <old> one");
  await click(ann, "#passkeys li [value=end_passkey]");
  assert.doesNotMatch(await ann.text("#passkeys"), /The <old> one/);
  await server.letter("ann", ({ subject }) => subject.startsWith("A passkey was removed"));
  await click(ann, "form[action='/logout'] button");
  await ann.open("/login");
  await ann.page.waitForSelector("form[data-passkey] button", { visible: true });
  await click(ann, "form[data-passkey] button");
  assert.match(await ann.text(), /not known here/);
  assert.deepEqual(ann.odd, []);
});

test("without scripts a page says what passkeys need", { skip: WITHOUT_TLS }, async () => {
  const ann = await Person.of(chromium, server, "ann", { scripts: false });
  await ann.open("/settings");
  assert.match(await ann.text("#passkeys"), /Passkeys need JavaScript/);
});
