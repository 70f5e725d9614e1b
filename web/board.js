// A board's page, made livelier: news without reloading, stepping with keys, choosing without losing the place.
// Everything works without it; it only follows links and sends nothing by itself.
const table = () => document.getElementById("table");

// What was asked for last is what is shown, in whatever order the answers come.
let asked = 0;

// Shows another state of the same page in place of this one.
async function show(address, { keep = false, otherwise = () => location.assign(address) } = {}) {
  const mine = ++asked;
  const fresh = await read(address).catch(() => null);
  if (mine !== asked) return;
  if (!fresh) return otherwise();
  const open = [...document.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  document.title = fresh.ownerDocument.title;
  table().replaceWith(fresh);
  for (const one of fresh.querySelectorAll("details > summary")) if (open.includes(one.textContent)) one.parentElement.open = true;
  if (!keep) history.pushState(null, "", address);
  offerCopy();
}

// The table of a state of this page, with its document around it; none where it cannot be had.
async function read(address) {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("table") : null;
}

// Somebody who is writing or choosing is not interrupted.
function isBusy() {
  const query = new URLSearchParams(location.search);
  const writing = [...document.querySelectorAll("textarea")].some((one) => one.value.trim() !== one.defaultValue.trim());
  return writing || query.has("choose") || query.has("ply");
}

function tell() {
  if (document.querySelector(".live")) return;
  const note = document.createElement("p");
  note.className = "note live";
  note.setAttribute("role", "status");
  const link = document.createElement("a");
  link.href = location.pathname;
  link.textContent = "Something has happened on this board: look.";
  note.append(link);
  table().append(note);
}

// Where somebody is going by a link of the table, until it is shown.
let going = Promise.resolve();

function go(address) {
  going = show(address);
}

document.addEventListener("click", (event) => {
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest(".spot[href], .faces a, .chips a, .steps a, .moves a, .sight a");
  if (!link || !table().contains(link)) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, pre")) return;
  const link = document.querySelector(`.steps a[data-key="${event.key}"]`);
  if (!link) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});

addEventListener("popstate", () => show(location.href, { keep: true, otherwise: () => location.reload() }));

// Only what can be seen listens: a browser has few connections to one server, and every other board may be open in
// some tab. What happened meanwhile is told by the server, which hears how the board stood on this page.
let events;

function listen() {
  if (events || document.hidden || table()?.dataset.live !== "yes") return;
  events = new EventSource(table().dataset.events);
  // A click that is on its way comes first: only where it led tells whether to interrupt.
  const news = () => going.then(() => (isBusy() ? tell() : show(location.href, { keep: true, otherwise: tell })));
  for (const kind of ["move", "chat", "proposal", "over"]) events.addEventListener(kind, news);
  events.addEventListener("over", rest);
}

// A link that is copied with one click, where the browser lets a page do so.
function offerCopy() {
  const field = document.getElementById("share");
  if (!field || !navigator.clipboard) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = "Copy";
  button.addEventListener("click", () => navigator.clipboard.writeText(field.value).then(() => (button.textContent = "Copied")));
  field.after(button);
}

function rest() {
  events?.close();
  events = undefined;
}

document.addEventListener("visibilitychange", () => (document.hidden ? rest() : listen()));
addEventListener("pagehide", rest);
addEventListener("pageshow", listen);
listen();
offerCopy();
