// Shows the notifications that the server pushes, opens the board when one is clicked, and tells the server when the
// browser replaces its subscription.

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
  const plain = (text) => text.replace(/&#x2f;/gi, "/").replaceAll("&amp;", "&");
  const lines = page.matchAll(/data-id="(\d+)" data-endpoint="([^"]*)"/g);
  return [...lines].find(([, , one]) => plain(one) === endpoint)?.[1];
}

const post = (fields) => fetch("/settings", { method: "POST", body: new URLSearchParams(fields) });
