// A page with a board, made livelier: news without reloading, stepping with keys, choosing without losing the place, moves
// that are seen to move, nothing lost without a connection. Everything works without it; it only follows links, and sends
// nothing by itself. Boards to try, lessons, puzzles and lines to explore are pages whose address holds their moves.
import { dropUnsent, keepUnsent, lookAt, unsentOf, watch } from "./live.js";

const table = () => document.getElementById("table");
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const isLine = () => table().classList.contains("practice");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// What was asked for last is what is shown, in whatever order the answers come.
let asked = 0;

// The state of the page that is shown: without the fragment, which only says where on it somebody is.
const place = () => location.pathname + location.search;
let here = place();

function push(address, { replaces = false } = {}) {
  if (replaces) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  here = place();
}

// Shows another state of the same page in place of this one.
async function show(address, { keep = false, otherwise = () => location.assign(address) } = {}) {
  const mine = ++asked;
  table().setAttribute("aria-busy", "true");
  const { fresh, isLost, leads = address } = await read(address);
  if (mine !== asked) return;
  if (!fresh) {
    table().removeAttribute("aria-busy");
    for (const link of all(".going")) link.classList.remove("going");
    return isLost ? lose(() => show(address, { keep, otherwise })) : otherwise();
  }
  // Another user, or none, is logged in by now: nothing of the page is theirs.
  if (fresh.dataset.userid !== table().dataset.userid) return keep ? location.reload() : location.assign(address);
  // Kept plies are of the board as it was.
  if (fresh.dataset.last !== table().dataset.last) plies.clear();
  if (!keep) push(leads);
  put(fresh);
  onReturn = null;
  regain();
}

// The table of a state of this page, with its document around it; none where it cannot be had. `isLost`: the server cannot
// be reached. `leads`: the address that the server led to, as after a move that a computer player has answered.
async function read(address) {
  try {
    const answer = await fetch(address, { headers: { accept: "text/html" } });
    const url = new URL(answer.url);
    const isHere = answer.ok && url.pathname === location.pathname;
    const leads = answer.redirected ? url.pathname + url.search : undefined;
    return { fresh: isHere ? parse(await answer.text()) : null, isLost: isDown(answer), leads };
  } catch {
    return { fresh: null, isLost: true };
  }
}

// A server that is being restarted, or a proxy in front of one that does not run.
const isDown = ({ status }) => [502, 503, 504].includes(status);

function parse(text) {
  return new DOMParser().parseFromString(text, "text/html").getElementById("table");
}

let saying = 0;

// Puts a table in place of the one that is shown: what was open stays open, and the focus where it was.
function put(fresh, { isQuick = false } = {}) {
  const before = table();
  const open = all("details[open] > summary", before).map((one) => one.textContent);
  const tab = before.querySelector("[name=side]:checked")?.id;
  const focus = describe(document.activeElement);
  const went = Number(fresh.dataset.ply) - Number(before.dataset.ply);
  // A move that was looked at has been seen to move.
  const isSeen = went === 1 && has(before, ".send");
  const moved = (went > 0 && went <= MOST_SEEN) || (has(fresh, ".send") && !has(before, ".send"));
  document.title = fresh.ownerDocument.title;
  before.replaceWith(fresh);
  const lost = before.querySelector(".live.lost");
  if (lost) fresh.append(lost);
  retype();
  for (const one of all("details > summary", fresh)) if (open.includes(one.textContent)) one.parentElement.open = true;
  if (tab && fresh.querySelector(`#${tab}`)) fresh.querySelector(`#${tab}`).checked = true;
  prepare();
  if (!isQuick) askUnsent();
  refocus(focus);
  clearTimeout(saying);
  // Quick steps are told when they have come to rest.
  if (isQuick) saying = setTimeout(say, 400, went);
  else say(went);
  if (!moved || isQuick) return;
  if (!isSeen) move();
  if (went > 0) raise(before, fresh);
}

/** The moves of others that may come at once and are still seen to move. */
const MOST_SEEN = 3;

const has = (within, selector) => within.querySelector(selector) !== null;

/** What makes the move that is shown: a button, or a link where nothing is stored. */
const SENDS = ".send button, .send .button:not(.back)";

// How an element of the table is found again in another state of it.
function describe(element) {
  if (!element || !table().contains(element)) return null;
  if (element.id) return [`#${element.id}`];
  const { key, spot, begun } = element.dataset;
  if (element.closest(".send")) return ["a.spot", ".faces a", ".chips a", ".now a", ".turn a", ".steps a"];
  if (key) return [`[data-key="${key}"]`, ".steps a"];
  if (spot) return [`a[data-spot="${CSS.escape(spot)}"]`, SENDS, "a.spot", ".faces a"];
  if (begun) return [`[data-begun="${CSS.escape(begun)}"]`, SENDS, ".faces a"];
  const href = element.getAttribute("href");
  return [href ? `a[href="${CSS.escape(href)}"]` : SENDS, SENDS, "a.spot", ".faces a", ".turn a", ".steps a"];
}

function refocus(selectors) {
  if (!selectors) return;
  for (const selector of selectors) {
    const found = table().querySelector(selector);
    if (found) return found.focus({ preventScroll: true });
  }
}

// For who cannot see it: how it stands after a move, else what can be done now.
function say(went = 0) {
  const said = all(".turn .prompt, .lead, .now").filter((one) => one.textContent.trim());
  const isPrompt = (one) => one.matches(".prompt");
  const first = (went && !has(table(), ".send") ? said.find((one) => !isPrompt(one)) : said.find(isPrompt)) ?? said[0];
  document.getElementById("said").textContent = first ? first.textContent.replace(/\s+/g, " ").trim() : "";
}

// Somebody who is writing or choosing is not interrupted.
function isBusy() {
  const query = new URLSearchParams(location.search);
  const writing = all("textarea").some((one) => one.value.trim() !== one.defaultValue.trim());
  return writing || query.has("choose") || query.has("spot") || query.has("ply");
}

function tell() {
  const link = document.createElement("a");
  link.href = location.pathname;
  link.textContent = "Something has happened in this game. Show it";
  note("happened", link);
}

// Says something below the table until another state of it is shown.
function note(kind, said) {
  if (document.querySelector(`.live.${kind}`)) return;
  const told = document.createElement("p");
  told.className = `note live ${kind}`;
  told.setAttribute("role", "status");
  told.append(...[said].flat());
  table().append(told);
}

// The connection: without one the board stays as it is, says so, and goes on as soon as there is one again.

let seen = new Date();
let losing = 0;
let probing = 0;
let onReturn = null;

/** Says that the server cannot be reached; `wanted` is done when it can. */
function lose(wanted = onReturn) {
  onReturn = wanted;
  clearTimeout(losing);
  const time = seen.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (!has(table(), ".offline")) note("lost", `No connection - showing the board of ${time}.`);
  probe(2000);
}

/** Asks whether the server can be reached, later each time. */
function probe(pause) {
  clearTimeout(probing);
  probing = setTimeout(() => {
    fetch(location.pathname, { method: "HEAD" })
      .then((answer) => isDown(answer) || regain(), () => true)
      .then((isLost) => isLost && probe(Math.min(2 * pause, 30000)));
  }, pause);
}

function regain() {
  clearTimeout(losing);
  clearTimeout(probing);
  document.querySelector(".live.lost")?.remove();
  const wanted = onReturn;
  onReturn = null;
  if (wanted) wanted();
  // What was stored may be old.
  else if (has(table(), ".offline")) show(location.href, { keep: true });
  else seen = new Date();
}

// A stream that is opened anew at once is nothing to speak of.
function connection(isThere) {
  if (isThere) return regain();
  clearTimeout(losing);
  losing = setTimeout(() => lose(), navigator.onLine ? 2500 : 0);
}

addEventListener("offline", () => lose());
addEventListener("online", () => {
  regain();
  askUnsent();
});

// Sending a move or words: with a connection as ever, without one they are kept, and sent when that is said again.

let isSending = false;
// What was typed and not sent, by its field: another state of the page has it too.
const typed = new Map();
const FIELDS = { move: "with", chat: "chat", note: "own-note" };

document.addEventListener("input", ({ target }) => target.matches("#table textarea") && typed.set(target.id, target.value));

function retype() {
  for (const [id, text] of typed) {
    const field = document.getElementById(id);
    if (!field || field.value !== field.defaultValue) continue;
    field.value = text;
    if (text) field.closest("details")?.setAttribute("open", "");
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || !table().contains(form) || !(form.matches(".send") || has(form, "textarea"))) return;
  event.preventDefault();
  const data = new FormData(form);
  if (event.submitter?.name) data.append(event.submitter.name, event.submitter.value);
  send(describeForm(form.getAttribute("action"), data));
});

function describeForm(path, data) {
  const [act, play] = [data.get("act"), data.get("move")];
  const page = { move: `${path}?choose=${encodeURIComponent(play)}`, chat: `${path}?side=talk#board`, note: `${path}?side=more#board` }[act];
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const { userid } = table().dataset;
  const board = document.querySelector("h1").firstChild.textContent.trim();
  return { path, act, page, key, userid, board, name: act === "move" ? play : "What you wrote", fields: [...data] };
}

async function send(form) {
  if (isSending) return;
  isSending = true;
  table().setAttribute("aria-busy", "true");
  // An answer to what was asked before must not undo it.
  asked += 1;
  const headers = { accept: "text/html", "idempotency-key": form.key };
  const answer = await fetch(form.path, { method: "POST", body: new URLSearchParams(form.fields), headers }).catch(() => null);
  const text = await answer?.text().catch(() => null);
  isSending = false;
  table().removeAttribute("aria-busy");
  if (typeof text !== "string" || isDown(answer)) return holdBack(form, answer ? "the server cannot take it now" : "no connection");
  const url = new URL(answer.url);
  if (answer.status === 401 || url.pathname === "/login") {
    keepUnsent({ ...form, isLoggedOut: true });
    const mark = form.act === "move" ? "&unsent=yes" : "";
    return location.assign(`/login?next=${encodeURIComponent(form.page.replace("#board", "") + mark)}`);
  }
  const fresh = parse(text);
  if (!answer.ok && !fresh) return holdBack(form, sayRefusal(text));
  dropUnsent(form);
  typed.delete(FIELDS[form.act]);
  if (!fresh || url.pathname !== location.pathname) return location.assign(answer.url);
  plies.clear();
  push(`${url.pathname}${url.search}#board`);
  put(fresh);
  navigator.serviceWorker?.controller?.postMessage({ seen: url.pathname });
}

// The sentence of a page that says why something was not done.
function sayRefusal(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const said = page.querySelector(".alert, main .lead")?.textContent.trim() ?? "the server refused it";
  return said.replace(/[.]$/, "");
}

/** Keeps a form that was not sent, and offers to send it again. */
function holdBack(form, why) {
  keepUnsent(form);
  offer(form, `Not sent: ${why}. `, "Send again");
}

/** Offers to send a form, beside what can be done on the board. */
function offer(form, words, label) {
  document.querySelector(".turn .unsent")?.remove();
  const told = document.createElement("p");
  told.className = "note unsent";
  told.setAttribute("role", "status");
  const button = (text, plain, act) => {
    const one = document.createElement("button");
    one.type = "button";
    one.className = plain ? "plain" : "";
    one.textContent = text;
    one.addEventListener("click", act);
    return one;
  };
  const drop = () => {
    dropUnsent(form);
    told.remove();
  };
  told.append(words, button(label, false, () => send(form)), " ", button("Drop it", true, drop));
  document.querySelector(".turn").prepend(told);
}

// What an earlier page could not send: of this board it is offered, of others it is said.
function askUnsent() {
  for (const form of unsentOf(table().dataset.userid)) {
    if (form.path !== location.pathname) note("elsewhere", [`${form.name} was not sent. `, lookAt(form)]);
    else if (!restore(form)) offer(form, `${form.name} was not sent${form.isLoggedOut ? ": you were logged out" : ""}. `, form.act === "move" ? `Send ${form.name}` : "Send it");
  }
}

/** Fills in the words of a form again; whether the page asks to send it as it is. */
function restore({ act, fields }) {
  const { comment = "", move } = Object.fromEntries(fields);
  const field = document.getElementById(FIELDS[act]);
  const isThere = field && (act !== "move" || field.form.elements.move.value === move);
  if (!isThere) return false;
  if (field.value === field.defaultValue) field.value = comment;
  if (comment) field.closest("details")?.setAttribute("open", "");
  return act === "move" && has(table(), ".alert");
}

// Where somebody is going by a link of the table, until it is shown.
let going = Promise.resolve();

function go(address) {
  going = show(address);
}

const leadsHere = (link) => new URL(link.getAttribute("href"), location).pathname === location.pathname;
const isPlain = (event) => !(event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);

document.addEventListener("click", (event) => {
  if (!isPlain(event)) return;
  const link = event.target.closest(isLine() ? "a[href]" : ".spot[href], .faces a, .chips a, .turns a, .steps a, .moves a, .sight .lead a, .prompt a:not(.button), .send a");
  if (!link || !table().contains(link) || !leadsHere(link)) return;
  event.preventDefault();
  if (link.closest(".steps") && !isLine()) return step(plyOf(link));
  if (choose(link)) return;
  link.classList.add("going");
  go(link.getAttribute("href"));
});

// Choosing: the faces say where they go, so that the first of face and place needs no question to the server.

function choose(link) {
  const faces = all(".faces a");
  if (!faces.length || has(table(), ".send") || !(link.dataset.begun || link.dataset.spot)) return false;
  // An answer that is on its way would undo it.
  if (table().hasAttribute("aria-busy")) return false;
  const spot = new URLSearchParams(location.search).has("spot");
  const held = faces.find((face) => face.getAttribute("aria-current"));
  if (link.dataset.begun && !spot) hold(link);
  else if (link.dataset.spot && !held) take(link, faces);
  else return false;
  push(link.dataset.page);
  say();
  return true;
}

const goes = (face, spot) => face.dataset.spots === "*" || face.dataset.spots.split(" ").includes(spot);
// The page of a link with this move begun instead.
function pageOf(link, move) {
  const url = new URL(link.dataset.page, location);
  url.searchParams.delete("spot");
  url.searchParams.set("choose", move);
  return url.pathname + url.search + url.hash;
}

// A face is chosen: the places become the moves with it.
function hold(face) {
  for (const one of all(".faces a")) one.toggleAttribute("aria-current", one === face);
  face.setAttribute("aria-current", "true");
  for (const one of all("a.spot")) {
    one.classList.toggle("off", !goes(face, one.dataset.spot));
    one.setAttribute("href", pageOf(face, face.dataset.begun + one.dataset.spot));
  }
  ask("Where does ", face.textContent.trim(), " go?");
}

// A place is chosen: the faces become the moves there.
function take(spot, faces) {
  for (const one of all(".spot.first")) one.classList.remove("taken", "first");
  spot.classList.add("taken", "first");
  for (const face of faces) {
    face.classList.toggle("off", !goes(face, spot.dataset.spot));
    face.setAttribute("href", pageOf(face, face.dataset.begun + spot.dataset.spot));
  }
  ask("Which face at ", spot.dataset.spot, "?");
}

function ask(before, what, after) {
  const prompt = document.querySelector(".turn .prompt");
  const move = document.createElement("span");
  move.className = "move";
  move.textContent = what;
  const back = document.createElement("a");
  back.href = table().dataset.page;
  back.className = "back";
  back.textContent = "Back";
  prompt.replaceChildren(before, move, `${after} `, back);
}

// Stepping through the moves: a wanted ply, few questions at a time, and none for what has come already.

const plies = new Map();
// What could not be fetched is not asked for again until the next step.
const failed = new Set();
const AT_ONCE = 4;
const AHEAD = 16;
let wanted = null;
let asking = 0;
let stepped = 0;
let direction = -1;

const plyOf = (link) => {
  const ply = new URL(link.href).searchParams.get("ply");
  return ply === null ? Number(table().dataset.last) : Number(ply);
};

function addressOf(ply) {
  return ply === Number(table().dataset.last) ? location.pathname : `${location.pathname}?ply=${ply}`;
}

function step(ply) {
  const last = Number(table().dataset.last);
  const shown = wanted ?? Number(table().dataset.ply);
  wanted = Math.max(0, Math.min(last, ply));
  direction = wanted < shown ? -1 : 1;
  table().setAttribute("aria-busy", "true");
  asked += 1;
  failed.clear();
  showWanted();
  fetchNear();
}

function showWanted() {
  const text = wanted === null ? undefined : plies.get(wanted);
  if (typeof text !== "string") return;
  const fresh = parse(text);
  const ply = wanted;
  wanted = null;
  if (!fresh) return location.assign(addressOf(ply));
  const isQuick = performance.now() - stepped < 400;
  stepped = performance.now();
  const address = `${addressOf(ply)}#board`;
  push(address, { replaces: new URLSearchParams(location.search).has("ply") });
  put(fresh, { isQuick });
}

// The page of a ply; `later` where the network or the server is to blame, which a full page would not get past either.
async function fetchPly(ply) {
  const answer = await fetch(addressOf(ply), { headers: { accept: "text/html" } });
  return { text: answer.ok ? await answer.text() : "", later: answer.status === 429 || answer.status === 503 };
}

// The wanted ply cannot be shown.
function miss(ply, later) {
  if (!later) return location.assign(addressOf(ply));
  wanted = null;
  table().removeAttribute("aria-busy");
  note("missing", "This move cannot be shown at the moment: step again to try once more.");
}

// The wanted ply first, then those that come next, as far as that.
function fetchNear(far = AHEAD) {
  const last = Number(table().dataset.last);
  const from = wanted ?? Number(table().dataset.ply);
  for (let away = 0; away <= far && asking < AT_ONCE; away += 1) {
    const ply = from + away * direction;
    if (ply < 0 || ply > last || plies.has(ply) || failed.has(ply)) continue;
    plies.set(ply, null);
    asking += 1;
    fetchPly(ply)
      .catch(() => ({ text: "", later: true }))
      .then(({ text, later }) => {
        asking -= 1;
        if (text) {
          plies.set(ply, text);
          showWanted();
          return fetchNear();
        }
        plies.delete(ply);
        failed.add(ply);
        if (wanted === ply) miss(ply, later);
        // Nothing is fetched in advance then; what somebody waits for may not have been asked for yet.
        else if (wanted !== null) fetchNear(0);
      });
  }
}

// A step that is held down repeats.
let repeating = 0;

document.addEventListener("pointerdown", (event) => {
  const link = isPlain(event) && event.target.closest(".steps a[rel]");
  if (!link) return;
  const by = link.rel === "prev" ? -1 : 1;
  clearInterval(repeating);
  repeating = setTimeout(() => {
    repeating = setInterval(() => step((wanted ?? Number(table().dataset.ply)) + by), 90);
  }, 400);
});
for (const kind of ["pointerup", "pointercancel", "blur"]) addEventListener(kind, () => clearInterval(repeating));

// Keys: arrows walk over the places of the board where one has the focus, and step through the moves elsewhere.

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function walk(from, [x, y]) {
  const middle = (one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const [fromX, fromY] = middle(from);
  let best;
  for (const spot of all("a.spot:not(.off)")) {
    const [spotX, spotY] = middle(spot);
    const along = (spotX - fromX) * x + (spotY - fromY) * y;
    const across = Math.abs((spotX - fromX) * y) + Math.abs((spotY - fromY) * x);
    if (along > 2 && (!best || along + 2 * across < best.far)) best = { spot, far: along + 2 * across };
  }
  if (best) visit(best.spot);
}

// One place of the board is reached by Tab, the others from it.
function visit(spot) {
  for (const one of all("a.spot")) one.setAttribute("tabindex", one === spot ? "0" : "-1");
  spot.focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, pre")) return;
  const spot = event.target.closest("a.spot");
  const shown = wanted ?? Number(table().dataset.ply);
  const ends = { Home: 0, End: Number(table().dataset.last), ArrowLeft: shown - 1, ArrowRight: shown + 1 };
  const follow = (selector) => table().querySelector(selector)?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })) !== undefined;
  if (spot && WAYS[event.key]) walk(spot, WAYS[event.key]);
  else if (isLine() && event.key in ends) {
    if (!follow(`[data-key="${event.key}"]`)) return;
  } else if (event.key in ends) step(ends[event.key]);
  else if (event.key === "n" && table().dataset.keys === "yes" && has(table(), "[data-next]")) location.assign(table().querySelector("[data-next]").href);
  else if (event.key === "/" && table().dataset.keys !== "no" && document.getElementById("choose")) document.getElementById("choose").focus();
  else if (event.key !== "Escape" || !follow(".turn .back")) return;
  event.preventDefault();
});

addEventListener("popstate", () => {
  if (place() === here) return;
  here = place();
  show(location.href, { keep: true, otherwise: () => location.reload() });
});

// Motion: what was pushed slides in, a path that closed is drawn once round, what it won rises to the score. Any touch ends
// the push.

function move() {
  const picture = table().querySelector(".sight .picture");
  if (!picture || calm.matches || document.hidden) return;
  picture.classList.add("arrived");
  for (const path of all(".knot", picture)) {
    const length = path.getTotalLength();
    path.animate([{ strokeDasharray: `0 ${length}` }, { strokeDasharray: `${length} 0` }], { duration: 900, delay: 200, fill: "backwards", easing: "ease-in-out" });
  }
  if (picture.dataset.push) slide(picture, picture.dataset.push.split(" "));
}

// Points that a seat has won since rise to its score.
function raise(before, fresh) {
  if (calm.matches || document.hidden) return;
  const scores = all(".players .points", before).map(scoreOf);
  for (const [seat, points] of all(".players .points", fresh).entries()) {
    const won = scoreOf(points) - scores[seat];
    if (!(won > 0)) continue;
    const told = document.createElement("span");
    told.className = "won";
    told.setAttribute("aria-hidden", "true");
    told.textContent = `+${won}`;
    told.addEventListener("animationend", () => told.remove());
    points.append(told);
  }
}

const scoreOf = (points) => Number(points.textContent.match(/\d+/)?.[0]);

function slide(picture, [x, y, width, height, side]) {
  const lengths = [x, y, width, height].map(Number);
  const cell = Math.min(lengths[2], lengths[3]);
  const away = { left: [-cell, 0], right: [cell, 0], top: [0, -cell], bottom: [0, cell] }[side];
  const drawing = picture.querySelector(":scope > g");
  const frame = (within) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    ["x", "y", "width", "height"].forEach((name, place) => one.setAttribute(name, lengths[place]));
    one.setAttribute("viewBox", lengths.join(" "));
    within.append(one);
    return one;
  };
  const outer = frame(picture);
  outer.setAttribute("class", "sliding");
  outer.setAttribute("aria-hidden", "true");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ["x", "y", "width", "height"].forEach((name, place) => ground.setAttribute(name, lengths[place]));
  ground.setAttribute("fill", "var(--p-board)");
  const moving = document.createElementNS("http://www.w3.org/2000/svg", "g");
  outer.append(ground, moving);
  frame(moving).append(drawing.cloneNode(true));
  const from = `translate(${away[0]}px, ${away[1]}px)`;
  const motion = moving.animate([{ transform: from }, { transform: "none" }], { duration: 240, easing: "cubic-bezier(.3, .7, .2, 1)" });
  const end = () => outer.remove();
  motion.onfinish = end;
  addEventListener("pointerdown", end, { once: true });
}

// A click that is on its way comes first: only where it led tells whether to interrupt.
const news = () => going.then(() => {
  plies.clear();
  return isBusy() ? tell() : show(location.href, { keep: true, otherwise: tell });
});

// A link that is copied with one click, or handed to a program of the device, where the browser lets a page do so.
function offerCopy() {
  const field = document.getElementById("share");
  if (!field) return;
  const offer = (label, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = label;
    button.addEventListener("click", () => act(button));
    field.after(button);
  };
  if (navigator.share) offer("Send", () => navigator.share({ title: document.title, url: field.value }).catch(() => {}));
  if (navigator.clipboard) offer("Copy", (button) => navigator.clipboard.writeText(field.value).then(() => (button.textContent = "Copied")));
}

// A game of one's own that is in sight: the page says so while it is, and the mail of the next move waits meanwhile.

const IN_SIGHT_MS = 40000;
let looking = 0;

function tellSight() {
  clearTimeout(looking);
  const { plays, live } = table().dataset;
  if (document.hidden || isLine() || plays !== "yes" || live !== "yes") return;
  fetch(location.pathname, { method: "POST", body: new URLSearchParams({ act: "seen" }) }).catch(() => {
    // Out of reach, it is out of sight.
  });
  looking = setTimeout(tellSight, IN_SIGHT_MS);
}

document.addEventListener("visibilitychange", tellSight);

// What a table needs when it is put in place.
function prepare() {
  offerCopy();
  const spots = all("a.spot");
  for (const one of [...spots, ...all(".faces a")]) one.dataset.page = one.getAttribute("href");
  spots.forEach((spot, place) => spot.setAttribute("tabindex", place ? "-1" : "0"));
  const shown = document.querySelector(".moves [aria-current]");
  const pane = shown?.closest(".pane");
  if (pane) pane.scrollTop += shown.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 2;
}

// A move that was sent leads to the page anew: it is seen to move there.
function remember() {
  if (isLine()) return;
  const key = `ply of ${location.pathname}`;
  const ply = Number(table().dataset.ply);
  try {
    const before = sessionStorage.getItem(key);
    sessionStorage.setItem(key, ply);
    if (before !== null && ply === Number(before) + 1) move();
  } catch {
    // Storage that is switched off remembers nothing.
  }
}

// Boards seen last can be read without a network; the first one was here before its worker.
async function keepSeen() {
  if (!navigator.serviceWorker || isLine()) return;
  const isLate = !navigator.serviceWorker.controller;
  await navigator.serviceWorker.register("/service-worker.js");
  const { active } = await navigator.serviceWorker.ready;
  if (isLate && place() === location.pathname) active.postMessage({ seen: location.pathname });
}

prepare();
remember();
askUnsent();
tellSight();
keepSeen().catch(() => {
  // A browser that has no workers, or may not store anything, shows boards with a network alone.
});
watch(() => (table()?.dataset.live === "yes" ? table().dataset.events : null), news, connection);
