// Shows the notifications that the server pushes, and opens the board when one is clicked.

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
