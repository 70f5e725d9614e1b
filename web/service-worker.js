// Shows the notifications that the server pushes, opens the board when one is clicked, and tells the server when the
// browser replaces its subscription. Shows boards seen last where there is no network.

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("push", (event) => {
  let told = {};
  try {
    told = event.data.json();
  } catch {
    // Browsers want every push shown, one that cannot be read too.
  }
  const { title = "Your turn", body = "", path = "/", tag = "turn" } = told;
  event.waitUntil(self.registration.showNotification(title, { body, tag, renotify: true, icon: "/apple-touch-icon.png", data: { path } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data?.path ?? "/", self.location.origin);
  if (url.origin === self.location.origin) event.waitUntil(show(url));
});

/** Turns to a tab that shows the page already, or opens one. */
async function show(url) {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const tab = tabs.find((one) => new URL(one.url).pathname === url.pathname);
  return tab ? tab.focus() : self.clients.openWindow(url.href);
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event.oldSubscription, event.newSubscription)));

/** Puts a new subscription in the place of the one that ended, on the list of the user who is told by this browser. */
async function renew(old, fresh) {
  if (!old) return;
  const id = await idOf(old);
  // Somebody else may be logged in by now, who did not ask to be told here.
  if (!id) return;
  const { applicationServerKey } = old.options;
  const one = fresh ?? (await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
  const { endpoint, keys } = one.toJSON();
  const answer = await post({ act: "new_browser", endpoint, p256dh: keys.p256dh, auth: keys.auth });
  if (answer.ok && endpoint !== old.endpoint) await post({ act: "end_browser", id });
}

/** The number of a subscription on the settings page of whoever is logged in; undefined: it is not there. */
async function idOf({ endpoint }) {
  const page = await (await fetch("/settings")).text();
  const lines = page.matchAll(/data-id="(\d+)" data-endpoint="([^"]*)"/g);
  return [...lines].find(([, , one]) => plain(one) === endpoint)?.[1];
}

const post = (fields) => fetch("/settings", { method: "POST", body: new URLSearchParams(fields) });

// Games seen last, to be read without a network. What is stored belongs to one session: a page that comes for another one,
// and logging out, delete it all. Only pages of boards as they stand are stored: nothing that was chosen, previewed or sent.

const BOARDS = "boards seen";
const ASSETS = "assets of boards seen";
const MOST_BOARDS = 20;
const MOST_ASSETS = 12;
/** The session for which the server made a page; the same word for everybody who is not logged in. */
const SESSION = "x-session-mark";
const SEEN = "x-seen-at";

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (origin !== self.location.origin) return;
  const isPage = request.mode === "navigate";
  if (request.method !== "GET") {
    if (!isPage) return;
    if (pathname === "/logout") event.waitUntil(forget().then(() => (hasEnded = true)));
    else event.respondWith(submit(request));
  } else if (pathname.startsWith("/assets/")) event.respondWith(fetch(request).catch((error) => stored(ASSETS, request, error)));
  else if (isBoard(pathname) && !search && (isPage || request.headers.get("accept") === "text/html")) event.respondWith(board(event, isPage));
  else if (isPage) event.respondWith(page(event));
});

// A board that was shown before there was a worker.
self.addEventListener("message", (event) => {
  const { seen } = event.data ?? {};
  const since = generation;
  if (typeof seen === "string" && isBoard(seen)) event.waitUntil(fetch(seen).then((answer) => keep(seen, answer, since), () => {}));
});

const isBoard = (path) => /^\/boards\/[a-z]+\/[0-9]+$/.test(path);
/** How often all was deleted: what was asked for before that is not stored after it. */
let generation = 0;
/** Whether somebody has logged out since the last page. */
let hasEnded = false;

/** Deletes what belongs to a session: stored boards, and notifications that are shown. */
async function forget() {
  generation += 1;
  const shown = await self.registration.getNotifications();
  for (const one of shown) one.close();
  await Promise.all([BOARDS, ASSETS].map((name) => caches.delete(name)));
}

/** Has the other tabs look anew: what they show is of a session that is over. */
async function tellOver(besides) {
  for (const tab of await self.clients.matchAll({ type: "window" })) if (tab.id !== besides) tab.postMessage({ isOver: true });
}

async function stored(name, request, error) {
  const found = await (await caches.open(name)).match(request);
  if (!found) throw error;
  return found;
}

async function page(event) {
  const answer = await fetch(event.request).catch(() => null);
  if (!answer) return listSeen();
  event.waitUntil(check(answer, event.resultingClientId));
  return answer;
}

async function board(event, isPage) {
  const { pathname } = new URL(event.request.url);
  const since = generation;
  const answer = await fetch(event.request).catch((error) => {
    if (!isPage) throw error;
  });
  if (!answer) return showSeen(pathname);
  event.waitUntil(keep(pathname, answer.clone(), since, event.resultingClientId || event.clientId));
  return answer;
}

/** Deletes what is stored for another session than that of this page; how often it deleted: once or not at all. */
async function check(answer, tab) {
  if (hasEnded) await tellOver(tab);
  hasEnded = false;
  const mark = answer.headers.get(SESSION);
  if (!mark) return 0;
  const cache = await caches.open(BOARDS);
  const [one] = await cache.keys();
  if (!one || (await cache.match(one))?.headers.get(SESSION) === mark) return 0;
  await forget();
  await tellOver(tab);
  return 1;
}

/** Stores a board that was asked for when so much had been deleted. */
async function keep(path, answer, since, tab) {
  const mine = since + (await check(answer, tab));
  if (!answer.ok || answer.redirected || !answer.headers.get(SESSION)) return;
  const text = await answer.text();
  const headers = new Headers({ [SEEN]: Date.now() });
  for (const name of ["content-type", "content-security-policy", SESSION]) headers.set(name, answer.headers.get(name) ?? "");
  if (mine !== generation) return;
  const cache = await caches.open(BOARDS);
  // In the order in which they were seen.
  await cache.delete(path);
  await cache.put(path, new Response(text, { headers }));
  const assets = await caches.open(ASSETS);
  for (const address of addressesIn(text)) {
    if (await assets.match(address)) continue;
    const asset = await fetch(address);
    if (!asset.ok) continue;
    await assets.put(address, asset.clone());
    if (address.includes(".js")) for (const [, name] of (await asset.text()).matchAll(/from "\.\/([^"]+)"/g)) await assets.add(`/assets/${name}`);
  }
  await limit(cache, MOST_BOARDS);
  await limit(assets, MOST_ASSETS);
}

const plain = (text) => text.replace(/&#x2f;/gi, "/").replaceAll("&amp;", "&");

/** The style, scripts and icon that a page names. */
function addressesIn(text) {
  const named = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => plain(address));
  return new Set(named.filter((address) => address.startsWith("/assets/")));
}

async function limit(cache, most) {
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - most))) await cache.delete(key);
}

const SECRETS = ["password", "present", "new"];
const escapeHtml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** A form that is sent; without a network a page that has it still, to be sent again. */
async function submit(request) {
  const copy = request.clone();
  const answer = await fetch(request).catch(() => null);
  if (answer) return answer;
  const { pathname } = new URL(request.url);
  const field = ([name, value]) =>
    name === "comment" || name === "text"
      ? `<p><label for="words">What you wrote</label><textarea id="words" name="${name}">\n${escapeHtml(value)}</textarea></p>`
      : `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;
  const fields = [...new URLSearchParams(await copy.text())].filter(([name]) => !SECRETS.includes(name)).map(field).join("");
  return noConnection(`<p>Not sent: no connection. Go back to change it, or send it when there is one again.</p><form class="card" method="post" action="${escapeHtml(pathname)}">${fields}<p class="row"><button>Send again</button></p></form>`);
}

/** The board as it was seen, with a word about that. */
async function showSeen(path) {
  const found = await (await caches.open(BOARDS)).match(path);
  if (!found) return listSeen();
  const when = new Date(Number(found.headers.get(SEEN))).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  const note = `<p class="note offline" role="status">Not up to date: seen at ${when}. There is no connection to the server.</p>`;
  const text = (await found.text()).replace(/<div id="table"[^>]*>/, (table) => table + note);
  return new Response(text, { headers: found.headers });
}

/** Which boards can be read. It goes on by itself, when there is a network or a server again. */
async function listSeen() {
  const cache = await caches.open(BOARDS);
  const seen = (await cache.keys()).map(({ url }) => new URL(url).pathname).reverse();
  const name = (path) => path.split("/").slice(2).join(" ").replace(/^./, (letter) => letter.toUpperCase());
  const list = seen.map((path) => `<li><a href="${path}">${name(path)}</a></li>`).join("");
  const script = `const look=()=>fetch(location.pathname,{method:"HEAD"}).then(({status})=>[502,503,504].includes(status)||location.reload(),()=>{});addEventListener("online",look);setInterval(look,5000)`;
  return noConnection(`<p>You are offline. We will reconnect as soon as we can. <a href="">Try again</a></p>${list ? `<h2>Games seen last</h2><ul>${list}</ul>` : ""}`, script);
}

/** A page of the worker's own, in the style of the boards that it has. */
async function noConnection(content, script = "") {
  const cache = await caches.open(BOARDS);
  const [newest] = (await cache.keys()).reverse();
  const style = newest && [...addressesIn(await (await cache.match(newest)).text())].find((address) => address.includes(".css"));
  const nonce = self.crypto.randomUUID();
  const text = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>No connection</title>${style ? `<link rel="stylesheet" href="${style}">` : ""}</head><body><main id="main"><h1>No connection</h1>${content}</main>${script && `<script nonce="${nonce}">${script}</script>`}</body></html>`;
  const policy = `default-src 'none'; style-src 'self'; form-action 'self'; connect-src 'self'; script-src 'nonce-${nonce}'`;
  return new Response(text, { status: 503, headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy } });
}
