// Strangers write scripts into everything that is shown to others; no page runs them.
import { test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { chromium, server, stage } from "./stage.mjs";
import { Person } from "./browser.mjs";
import { until } from "./waiting.mjs";

// Whichever of these a page would take for markup, `canary` would be called or an element be there.
const HOSTILE = `"'><script>canary()</script><img src=x onerror=canary()><svg onload=canary()><b data-canary>{{ 7 * 7 }}</b>`;
const LINE = encodeURIComponent(HOSTILE);
/** As bad as a userid may be. */
const USERID = "on.load--_7";

stage(["ruth", "ann"], async () => {
  await server.signUpAs(USERID, "odd@odd.example");
  await server.program("admin", "user", "grant", "ruth");
});

/** Opens a page and finds the hostile words on it as words, if they should be there at all. */
async function expectHarmless(person, path, isShown) {
  await person.open(path);
  const seen = await person.page.evaluate(() => ({
    elements: document.querySelectorAll("[data-canary], [onerror], [onload], main img:not([src^='/figures/']):not([src$='/knot.svg']), script:not([src])").length,
    text: document.body.textContent + [...document.querySelectorAll("input, textarea")].map((one) => one.value).join("\n"),
  }));
  assert.equal(seen.elements, 0, path);
  assert.doesNotMatch(seen.text, /\b49\b<\/b>/, path);
  if (isShown) assert.ok(seen.text.includes("onerror=canary()"), `${path} shows it as text:\n${seen.text}`);
  assert.deepEqual(person.odd, [], path);
}

test("comments and chat are text and nothing else", async () => {
  await server.command(`osbox challenge ann ${USERID}`, HOSTILE);
  await server.command("osbox move 101 ann ann-secret f1", HOSTILE);
  await server.command(`osbox chat 101 ${USERID} ${USERID}-secret`, `Look: javascript:canary() ${HOSTILE}`);
  const watcher = await Person.arrive(chromium, server);
  for (const path of ["/boards/osbox/101", "/boards/osbox/101?ply=0"]) await expectHarmless(watcher, path, true);
  for (const path of ["/", `/users/${USERID}`, "/standings/osbox"]) await expectHarmless(watcher, path, false);
  await watcher.leave();
});

test("titles, descriptions and reasons of tournaments are text and nothing else", async () => {
  await server.command("announce ruth ruth-secret osbox ladder", `${HOSTILE.slice(0, 60)}\n\n${HOSTILE}`);
  for (const name of ["ann", USERID]) await server.command(`enter ${name} ${name}-secret t1`);
  await server.command("direct ruth ruth-secret t1 say", HOSTILE);
  await server.command(`ladder challenge ${USERID} ${USERID}-secret t1 ann`);
  const { number } = (await server.get("/api/v1/tournaments/t1")).pairings[0].boards[0];
  const watcher = await Person.arrive(chromium, server);
  await expectHarmless(watcher, "/tournaments/t1", true);
  for (const path of ["/tournaments", "/", "/users/ann", `/boards/osbox/${number}`]) await expectHarmless(watcher, path, false);
  await watcher.leave();
  const ruth = await Person.of(chromium, server, "ruth");
  await ruth.open("/tournaments/new");
  await ruth.page.$eval("form.card", (form) => (form.noValidate = true));
  await ruth.unfold("More options");
  await ruth.fill({ title: HOSTILE.slice(0, 60), options: HOSTILE });
  await ruth.press("Announce");
  assert.ok(await ruth.has(".alert"), "it is refused");
  assert.deepEqual(ruth.odd, []);
  await ruth.leave();
});

test("addresses and forms give back what was typed as text", async () => {
  const ann = await Person.of(chromium, server, "ann");
  for (const path of [`/boards/osbox/101?choose=${LINE}`, `/games/${LINE}`, `/users/${LINE}`, `/help/${LINE}`, `/standings/${LINE}`, `/challenge?game=osbox&player2=${LINE}&comment=${LINE}`, `/boards/osbox/${LINE}`]) {
    await expectHarmless(ann, path, false);
  }
  await ann.leave();
  const stranger = await Person.arrive(chromium, server);
  await expectHarmless(stranger, `/login?next=${LINE}`, false);
  await stranger.open("/signup");
  await stranger.page.$eval("form.card", (form) => (form.noValidate = true));
  await stranger.fill({ userid: HOSTILE.slice(0, 20), password: "some-secret", address: `${HOSTILE}@x.example` });
  await stranger.press("Sign up");
  assert.ok(await stranger.has(".alert"), "it is refused");
  assert.deepEqual(stranger.odd, []);
  await stranger.leave();
});

test("mails show their subjects, senders and attachments to administrators as text", async () => {
  const quoted = HOSTILE.replace(/["\\]/g, "\\$&");
  const body = [
    "--x", "Content-Type: text/plain", "", `osbox mvoe 101 ann ann-secret f1 ${HOSTILE}`,
    "--x", `Content-Type: text/html; name="${quoted}"`, `Content-Disposition: attachment; filename="${quoted}"`, "", `<p>${HOSTILE}</p>`, "--x--", "",
  ].join("\n");
  await server.mail({ from: "ann@ann.example", subject: HOSTILE, headers: [`Thread-Topic: ${HOSTILE}`, `X-Mailer: ${HOSTILE}`], type: 'multipart/mixed; boundary="x"', body });
  const ruth = await Person.of(chromium, server, "ruth");
  await until("the mail to be processed", async () => {
    await ruth.open("/admin/inbox");
    return /done|failed/.test(await ruth.text("table").catch(() => ""));
  });
  // What could be a password is masked in the list.
  await expectHarmless(ruth, "/admin/inbox", false);
  await expectHarmless(ruth, "/admin/inbox/1", true);
  for (const path of ["/admin/outbox", "/admin/outbox/1", "/admin/boards/osbox/101", "/admin/users", `/admin/users/${USERID}`, "/admin/do-not-mail", "/admin/audit"]) await expectHarmless(ruth, path, false);
  for (const path of [`/admin/inbox?reason=${LINE}&user=${LINE}`, `/admin/outbox?address=${LINE}&state=${LINE}`, `/admin/users?q=${LINE}`, `/admin/audit?user=${LINE}&since=${LINE}`, `/admin/boards?user=${LINE}`]) await expectHarmless(ruth, path, false);
  await ruth.leave();
});

test("another site can neither post here in a player's name nor frame a page", async () => {
  const board = `${server.site}/boards/osbox/101`;
  const form = `<form method="post" action="${board}"><input name="act" value="resign"><input name="sure" value="yes"></form>`;
  const evil = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(request.url === "/frame" ? `<iframe src="${board}"></iframe>` : `${form}<script>document.forms[0].submit()</script>`);
  });
  await new Promise((resolve) => evil.listen(0, "127.0.0.1", resolve));
  try {
    const ann = await Person.of(chromium, server, "ann");
    // The same machine by another name is another site.
    const site = `http://localhost:${evil.address().port}`;
    const answered = ann.page.waitForResponse((response) => response.url() === board);
    await ann.page.goto(`${site}/post`);
    assert.equal((await answered).status(), 403);
    assert.equal((await server.get("/api/v1/boards/osbox/101")).state, "active");
    await ann.page.goto(`${site}/frame`);
    const inside = await ann.page.frames()[1].evaluate(() => document.body.textContent);
    assert.doesNotMatch(inside, /Osbox 101/, "no page can be laid under another");
    const cookies = await ann.context.cookies();
    assert.ok(cookies.length && cookies.every((cookie) => cookie.httpOnly && cookie.sameSite === "Lax"), JSON.stringify(cookies));
    await ann.leave();
  } finally {
    evil.close();
    evil.closeAllConnections();
  }
});
