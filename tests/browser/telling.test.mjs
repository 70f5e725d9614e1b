// A browser that tells its user of turns: switched on by its page, told by the server, shown by its worker. And themes.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { webcrypto } from "node:crypto";
import { Server } from "./server.mjs";
import { launch, NARROW, Person } from "./browser.mjs";
import { until } from "./waiting.mjs";

const { subtle } = webcrypto;
const base64url = (bytes) => Buffer.from(bytes).toString("base64url");

/** The push service that a browser's maker would have, and the keys that the browser would make. */
class Service {
  static async start() {
    const service = new Service();
    service.told = [];
    service.keys = await subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
    service.point = new Uint8Array(await subtle.exportKey("raw", service.keys.publicKey));
    service.auth = webcrypto.getRandomValues(new Uint8Array(16));
    service.http = createServer(async (request, answer) => {
      const pieces = [];
      for await (const piece of request) pieces.push(piece);
      service.told.push({ headers: request.headers, body: Buffer.concat(pieces) });
      answer.writeHead(201).end();
    }).listen(0, "127.0.0.1");
    await once(service.http, "listening");
    service.endpoint = `http://127.0.0.1:${service.http.address().port}/send/ann`;
    return service;
  }

  /** Reads a message as RFC 8188 and RFC 8291 say. */
  async read(body) {
    const [salt, sender, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
    const derive = async (salt, input, info, bytes) => {
      const key = await subtle.importKey("raw", input, "HKDF", false, ["deriveBits"]);
      return subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8);
    };
    const curve = { name: "ECDH", namedCurve: "P-256" };
    const theirs = await subtle.importKey("raw", sender, curve, false, []);
    const shared = await subtle.deriveBits({ name: "ECDH", public: theirs }, this.keys.privateKey, 256);
    const input = await derive(this.auth, shared, Buffer.concat([Buffer.from("WebPush: info\0"), this.point, sender]), 32);
    const key = await derive(salt, input, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
    const iv = await derive(salt, input, Buffer.from("Content-Encoding: nonce\0"), 12);
    const cipher = await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
    const plain = Buffer.from(await subtle.decrypt({ name: "AES-GCM", iv }, cipher, record));
    assert.equal(plain.at(-1), 2);
    return plain.subarray(0, -1).toString();
  }
}

let server, chromium, service;
before(async () => {
  [service, chromium] = await Promise.all([Service.start(), launch()]);
  server = await Server.start({ WEBHOOKS__ALLOW_PRIVATE: "true" });
  await server.signUp("ann", "bob");
});
after(async () => {
  await chromium?.close();
  await server?.stop();
  service?.http.close();
});

/** Chromium reaches no push service from here: a subscription is made up in its place. */
function standIn({ endpoint, p256dh, auth }) {
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const kept = () => JSON.parse(localStorage.getItem("subscription") ?? "null");
  const subscription = (key) => ({
    endpoint,
    options: { applicationServerKey: bytes(key).buffer },
    toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
    unsubscribe: async () => (localStorage.removeItem("subscription"), true),
  });
  PushManager.prototype.getSubscription = async () => (kept() ? subscription(kept()) : null);
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    const key = btoa(String.fromCharCode(...applicationServerKey));
    localStorage.setItem("subscription", JSON.stringify(key));
    return subscription(key);
  };
}

test("a browser is switched on, told of a turn, and opens the board", async (t) => {
  const ann = await Person.of(chromium, server, "ann", { view: NARROW });
  await ann.open("/settings");
  if (!(await ann.page.evaluate(() => isSecureContext))) {
    await ann.page.waitForFunction(() => document.querySelector("#push [role=status]").textContent.includes("https://"));
    assert.equal(await ann.page.$eval("#push button", (button) => button.hidden), true);
    return t.skip("the page is not secure");
  }
  await ann.context.overridePermissions(server.site, ["notifications"]);
  const fixture = { endpoint: service.endpoint, p256dh: base64url(service.point), auth: base64url(service.auth) };
  await ann.page.evaluateOnNewDocument(standIn, fixture);
  await ann.open("/settings");
  await ann.page.waitForFunction(() => !document.querySelector("#push button").hidden);
  await ann.press("Tell this browser when it is my turn");
  await ann.page.waitForFunction(() => document.querySelector("#push").textContent.includes("tells you when it is your turn"));
  assert.match(await ann.text("#browsers"), /Chrome on Linux \(this one\)/);
  await until("the first message", () => service.told.length === 1);

  await server.command("osbox challenge bob ann", "A word.");
  await server.command("osbox move 101 bob bob-secret f1", "A secret word.");
  await until("the message", () => service.told.length === 2);
  const { headers, body } = service.told[1];
  assert.equal(headers["content-encoding"], "aes128gcm");
  const text = await service.read(body);
  assert.deepEqual(JSON.parse(text), { title: "Your turn", body: "Osbox 101", path: "/boards/osbox/101", tag: "osbox-101" });

  // What the push service would hand to the browser.
  const devtools = await ann.page.createCDPSession();
  const registered = new Promise((resolve) => devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registrations[0] && resolve(registrations[0].registrationId)));
  await devtools.send("ServiceWorker.enable");
  await devtools.send("ServiceWorker.deliverPushMessage", { origin: server.site, registrationId: await registered, data: text });
  const shown = await until("the notification", () =>
    ann.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration("/");
      const [one] = await registration.getNotifications();
      return one && { title: one.title, body: one.body, tag: one.tag, path: one.data.path };
    }),
  );
  assert.deepEqual(shown, { title: "Your turn", body: "Osbox 101", tag: "osbox-101", path: "/boards/osbox/101" });

  await ann.press("Stop telling me here");
  await ann.page.waitForFunction(() => document.querySelector("#push").textContent.includes("does not tell you"));
  assert.doesNotMatch(await ann.text("#browsers"), /Chrome on Linux/);
  assert.deepEqual(ann.odd, []);
});

test("a theme is chosen below a page, without scripts, and kept", async () => {
  const bob = await Person.of(chromium, server, "bob", { scripts: false });
  const { number } = (await server.command("osbox challenge -size=3 bob ann")).boards[0];
  const board = `/boards/osbox/${number}`;
  await bob.open(board);
  const colours = () =>
    bob.page.$eval(".picture", (picture) => [getComputedStyle(document.body).backgroundColor, getComputedStyle(picture).getPropertyValue("--p-board").trim()]);
  for (const [theme, expected] of [["dark", ["rgb(22, 24, 29)", "#1d2027"]], ["light", ["rgb(251, 248, 241)", "#f1ebdd"]]]) {
    await bob.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme === "dark" ? "light" : "dark" }]);
    const button = await bob.page.$(`.themes [value=${theme}]`);
    await Promise.all([bob.page.waitForNavigation({ waitUntil: "load" }), button.click()]);
    assert.ok(bob.page.url().endsWith(board), bob.page.url());
    assert.deepEqual(await colours(), expected);
    assert.equal(await bob.page.$eval(`.themes [value=${theme}]`, (one) => one.getAttribute("aria-pressed")), "true");
    await bob.open("/");
    assert.equal(await bob.page.$eval("body", (body) => getComputedStyle(body).backgroundColor), expected[0]);
    await bob.open(board);
  }
  const button = await bob.page.$(".themes [value=system]");
  await Promise.all([bob.page.waitForNavigation({ waitUntil: "load" }), button.click()]);
  assert.deepEqual(await colours(), ["rgb(22, 24, 29)", "#1d2027"], "as the system has it");
});
