// What pages of boards share: news without reloading, and forms that could not be sent.
//
// News come over one connection of the browser, which one of its tabs holds for all: a browser has few connections to one
// server. What happened meanwhile is told by the server, which hears how things stood on the page.

const channel = "BroadcastChannel" in window && navigator.locks ? new BroadcastChannel("knotpost boards") : null;
const KINDS = ["move", "chat", "proposal", "over", "boards"];
const MOST_STREAMS = 4;
/** The pauses before a stream that was refused is opened again, in milliseconds: the first, and the longest. */
const PAUSES = [2000, 60000];
let streams = null;
let lone = null;
let page = { address: () => null, news: () => {}, connection: () => {} };

/**
 * Calls `news` when what this address tells of is no more as its `since` says; null: nothing to follow. Calls `connection`
 * with whether the server can be reached, when that changes.
 */
export function watch(address, news, connection = () => {}) {
  page = { address, news, connection };
  listen();
}

const subjectOf = (address) => address.split("?")[0];
const sinceOf = (address) => new URL(address, location).searchParams.get("since");

/** A stream of events; whatever ends it, it is opened again. The server may end any at any time. */
function open(address, heard, connected) {
  let state = sinceOf(address);
  let [pause] = PAUSES;
  let events;
  let timer;
  const begin = () => {
    clearTimeout(timer);
    events = new EventSource(`${subjectOf(address)}?since=${encodeURIComponent(state ?? "")}`);
    for (const kind of KINDS)
      events.addEventListener(kind, ({ lastEventId }) => {
        state = lastEventId;
        heard(state);
      });
    events.addEventListener("open", () => {
      [pause] = PAUSES;
      connected(true);
    });
    events.addEventListener("error", () => {
      connected(false);
      if (events.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(begin, pause * (1 + Math.random()));
      pause = Math.min(2 * pause, PAUSES[1]);
    });
  };
  begin();
  const hurry = () => events.readyState === EventSource.CLOSED && begin();
  addEventListener("online", hurry);
  const close = () => {
    clearTimeout(timer);
    removeEventListener("online", hurry);
    events.close();
  };
  return { close };
}

// The tab that holds the connections: opens one for each thing that some tab shows.
function serve(address) {
  const subject = subjectOf(address);
  const since = sinceOf(address);
  const known = streams.get(subject);
  if (known) {
    streams.delete(subject);
    streams.set(subject, known);
    if (known.state !== since) spread({ board: subject, state: known.state });
    if (known.isLost) spread({ board: subject, isConnected: false });
    return;
  }
  const stream = { state: since, isLost: false };
  const heard = (state) => {
    stream.state = state;
    spread({ board: subject, state });
  };
  const connected = (isConnected) => {
    stream.isLost = !isConnected;
    spread({ board: subject, isConnected });
  };
  stream.events = open(address, heard, connected);
  streams.set(subject, stream);
  while (streams.size > MOST_STREAMS) {
    const [oldest, { events }] = streams.entries().next().value;
    events.close();
    streams.delete(oldest);
  }
}

function spread(told) {
  channel.postMessage(told);
  hear(told);
}

function hear({ board, state, isConnected }) {
  const own = page.address();
  if (!own || subjectOf(own) !== board) return;
  if (isConnected !== undefined) page.connection(isConnected);
  else if (sinceOf(own) !== state) page.news();
}

function listen() {
  const address = page.address();
  if (!address) return;
  if (!channel) {
    if (!lone && !document.hidden) lone = open(address, () => page.news(), (isConnected) => page.connection(isConnected));
  } else if (streams) serve(address);
  else channel.postMessage({ wanted: address });
}

if (channel) {
  channel.onmessage = ({ data }) => {
    if (data.board) hear(data);
    else if (data.wanted && streams) serve(data.wanted);
    else if (data.isNew) listen();
  };
  lead();
}

// Waits until no other tab holds the connections, then does.
function lead() {
  navigator.locks.request("knotpost boards", () => new Promise((resolve) => {
    streams = new Map();
    listen();
    channel.postMessage({ isNew: true });
    addEventListener("pagehide", () => {
      for (const { events } of streams.values()) events.close();
      streams = null;
      resolve();
    }, { once: true });
  }));
}

function rest() {
  lone?.close();
  lone = null;
}

document.addEventListener("visibilitychange", () => (document.hidden ? rest() : listen()));
addEventListener("pagehide", rest);
addEventListener("pageshow", (event) => {
  if (event.persisted && channel) lead();
  listen();
});

// The session for which this page was made has ended, or another one has begun: nothing of it stays in sight.
navigator.serviceWorker?.addEventListener("message", ({ data }) => data?.isOver && location.reload());

// Forms that could not be sent stay in the browser until they are, or are dropped; each belongs to a user.

const UNSENT = "unsent";

function readUnsent() {
  try {
    return JSON.parse(localStorage.getItem(UNSENT)) ?? [];
  } catch {
    // Storage that is switched off, or holds what is not ours, keeps nothing.
    return [];
  }
}

function writeUnsent(forms) {
  try {
    if (forms.length) localStorage.setItem(UNSENT, JSON.stringify(forms));
    else localStorage.removeItem(UNSENT);
  } catch {
    // The page still shows what was typed.
  }
}

const isSame = (one, other) => one.path === other.path && one.act === other.act;

/** Keeps a form in place of the one of its kind on that board. */
export const keepUnsent = (form) => writeUnsent([...readUnsent().filter((one) => !isSame(one, form)), form]);
export const dropUnsent = (form) => writeUnsent(readUnsent().filter((one) => !isSame(one, form)));

/** The forms of this user; those of somebody else are deleted. */
export function unsentOf(userid) {
  if (!userid) return [];
  const all = readUnsent();
  const own = all.filter((form) => form.userid === userid);
  if (own.length < all.length) writeUnsent(own);
  return own;
}

document.addEventListener("submit", ({ target }) => target.getAttribute("action") === "/logout" && writeUnsent([]));

/** Where a form that was not sent is looked at. */
export function lookAt(form) {
  const link = document.createElement("a");
  link.href = form.page;
  link.textContent = `Look at ${form.board}`;
  return link;
}
