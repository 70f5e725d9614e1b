// News without reloading, over one connection of the browser, which one of its tabs holds for all: a browser has few
// connections to one server. What happened meanwhile is told by the server, which hears how things stood on the page.

const channel = "BroadcastChannel" in window && navigator.locks ? new BroadcastChannel("knotpost boards") : null;
const KINDS = ["move", "chat", "proposal", "over", "boards"];
const MOST_STREAMS = 4;
// How long a stream that the server refused is left alone; one that ended is opened again by the browser.
const REFUSED_MS = 60_000;
let streams = null;
let lone = null;
let page = { address: () => null, news: () => {} };

/** Calls `news` when what this address tells of is no more as its `since` says; null: nothing to follow. */
export function watch(address, news) {
  page = { address, news };
  listen();
}

const subjectOf = (address) => address.split("?")[0];
const sinceOf = (address) => new URL(address, location).searchParams.get("since");

/** A stream of events; one that the server refuses is over. */
function open(address, heard, over) {
  const events = new EventSource(address);
  for (const kind of KINDS) events.addEventListener(kind, (event) => heard(event.lastEventId));
  events.addEventListener("error", () => events.readyState === EventSource.CLOSED && over());
  return events;
}

// The tab that holds the connections: opens one for each thing that some tab shows.
function serve(address) {
  const subject = subjectOf(address);
  const since = sinceOf(address);
  const known = streams.get(subject);
  if (known) {
    streams.delete(subject);
    streams.set(subject, known);
    if (known.state !== since) spread(subject, known.state);
    return;
  }
  const stream = { state: since };
  const heard = (state) => {
    stream.state = state;
    spread(subject, state);
  };
  stream.events = open(address, heard, () => {
    if (streams?.get(subject) !== stream) return;
    streams.delete(subject);
    setTimeout(() => {
      if (!streams) return;
      listen();
      channel.postMessage({ isNew: true });
    }, REFUSED_MS);
  });
  streams.set(subject, stream);
  while (streams.size > MOST_STREAMS) {
    const [oldest, { events }] = streams.entries().next().value;
    events.close();
    streams.delete(oldest);
  }
}

function spread(subject, state) {
  channel.postMessage({ board: subject, state });
  hear(subject, state);
}

function hear(subject, state) {
  const own = page.address();
  if (own && subjectOf(own) === subject && sinceOf(own) !== state) page.news();
}

function listen() {
  const address = page.address();
  if (!address) return;
  if (!channel) {
    if (!lone && !document.hidden) lone = open(address, () => page.news(), rest);
  } else if (streams) serve(address);
  else channel.postMessage({ wanted: address });
}

if (channel) {
  channel.onmessage = ({ data }) => {
    if (data.board) hear(data.board, data.state);
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
