// "Your boards" on the start page, as they stand: a move of somebody else brings the new state without reloading, and the
// title of the tab counts the boards that wait.
import { lookAt, unsentOf, watch } from "./live.js";

const mine = () => document.getElementById("mine");
let asked = 0;

async function renew() {
  const turn = ++asked;
  const answer = await fetch("/", { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer?.ok || turn !== asked) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = fresh.getElementById("mine");
  if (turn !== asked) return;
  // Somebody else is logged in, or nobody.
  if (next?.dataset.userid !== mine().dataset.userid) return location.reload();
  const focus = mine().contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const before = mine().dataset.waiting;
  mine().replaceWith(next);
  document.title = fresh.title;
  if (focus) mine().querySelector(`a[href="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  if (next.dataset.waiting !== before) {
    document.getElementById("said").textContent = mine().querySelector(".row").firstElementChild.textContent.trim();
  }
}

for (const form of unsentOf(mine().dataset.userid)) {
  const note = document.createElement("p");
  note.className = "note";
  note.append(`${form.name} was not sent. `, lookAt(form));
  mine().before(note);
}

// A stream that ends may be that of a session that has ended: the page tells.
watch(() => mine().dataset.events, renew, (isConnected) => isConnected || renew());
