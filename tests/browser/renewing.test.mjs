// The service worker's answer to a subscription that the browser replaced. No browser can be made to do that, so the script
// runs here, and the server is played by a few lines.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import vm from "node:vm";

const script = await readFile(new URL("../../web/service-worker.js", import.meta.url), "utf8");
const template = await readFile(new URL("../../templates/web/settings.html", import.meta.url), "utf8");

const subscription = (endpoint) => ({
  endpoint,
  options: { applicationServerKey: "the key" },
  toJSON: () => ({ endpoint, keys: { p256dh: "point", auth: "secret" } }),
});
const OLD = subscription("https://push.example/send/old?a=1&b=2");
const NEW = subscription("https://push.example/send/new");

/** What the worker posts when the event comes. `page` is the list on the settings page. */
async function posted({ page, old = OLD, fresh = null, status = 200 }) {
  const heard = {};
  const posts = [];
  const subscribe = async (wish) => {
    assert.equal(JSON.stringify(wish), JSON.stringify({ userVisibleOnly: true, applicationServerKey: "the key" }));
    return NEW;
  };
  const self = { addEventListener: (name, act) => (heard[name] = act), registration: { pushManager: { subscribe } } };
  const fetch = async (path, { method, body } = {}) => {
    assert.equal(path, "/settings");
    if (method === "POST") posts.push(Object.fromEntries(body));
    return new Response(page, { status: method === "POST" ? status : 200 });
  };
  vm.runInNewContext(script, { self, fetch, URL, URLSearchParams });
  let done;
  heard.pushsubscriptionchange({ oldSubscription: old, newSubscription: fresh, waitUntil: (promise) => (done = promise) });
  await done;
  return posts;
}

/** A line of the list as the template writes it. */
function line(id, endpoint) {
  const [begin] = template.match(/<li data-id="\{\{ browser\.id \}\}" data-endpoint="\{\{ browser\.endpoint \}\}">/);
  const escaped = endpoint.replaceAll("&", "&amp;").replaceAll("/", "&#x2f;");
  return begin.replace("{{ browser.id }}", id).replace("{{ browser.endpoint }}", escaped);
}

const MADE = { act: "new_browser", endpoint: NEW.endpoint, p256dh: "point", auth: "secret" };
const page = line(6, "https://push.example/send/phone") + line(7, OLD.endpoint);

test("a subscription that the browser replaced is replaced on the list", async () => {
  assert.deepEqual(await posted({ page, fresh: NEW }), [MADE, { act: "end_browser", id: "7" }]);
});

test("a subscription that only ended is made again", async () => {
  assert.deepEqual(await posted({ page }), [MADE, { act: "end_browser", id: "7" }]);
});

test("the old line stays when the new one is refused", async () => {
  assert.deepEqual(await posted({ page, fresh: NEW, status: 429 }), [MADE]);
});

test("nobody else is told by a browser that they did not switch on", async () => {
  assert.deepEqual(await posted({ page: line(8, "https://push.example/send/other"), fresh: NEW }), []);
  assert.deepEqual(await posted({ page: "", fresh: NEW }), []);
  assert.deepEqual(await posted({ page, old: null, fresh: NEW }), []);
});
