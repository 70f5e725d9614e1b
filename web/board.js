// A board's page, made livelier: news without reloading, stepping with keys, choosing without losing the place.
// Everything works without it; it only follows links and sends nothing by itself.
const table = () => document.getElementById("table");

// Shows another state of the same page in place of this one.
async function show(address, keep) {
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (!answer.ok) return location.assign(address);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("table");
  if (!fresh) return location.assign(address);
  const open = [...document.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  table().replaceWith(fresh);
  for (const one of fresh.querySelectorAll("details > summary")) if (open.includes(one.textContent)) one.parentElement.open = true;
  document.title = page.title;
  if (!keep) history.pushState(null, "", address);
  offerCopy();
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

document.addEventListener("click", (event) => {
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest(".spot[href], .faces a, .chips a, .steps a, .moves a, .sight a");
  if (!link || !table().contains(link)) return;
  event.preventDefault();
  show(link.getAttribute("href")).catch(() => location.assign(link.getAttribute("href")));
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, pre")) return;
  const link = document.querySelector(`.steps a[data-key="${event.key}"]`);
  if (!link) return;
  event.preventDefault();
  show(link.getAttribute("href")).catch(() => {});
});

addEventListener("popstate", () => show(location.href, true).catch(() => location.reload()));

// Only what can be seen listens: a browser has few connections to one server, and every other board may be open in
// some tab. What happened meanwhile is told by the server, which hears how the board stood on this page.
let events;

function listen() {
  if (events || document.hidden || table()?.dataset.live !== "yes") return;
  events = new EventSource(table().dataset.events);
  const news = () => (isBusy() ? tell() : show(location.href, true).catch(tell));
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
