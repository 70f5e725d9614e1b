// The filter of the API's page: requests and shapes that have all the words. Without it all are there, folded.

const field = document.querySelector("#wanted");
const says = document.querySelector(".filter [role=status]");
const folds = [...document.querySelectorAll("details.entry")];
const texts = new Map(folds.map((fold) => [fold, fold.textContent.toLowerCase()]));

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const [fold, text] of texts) {
    fold.hidden = !words.every((word) => text.includes(word));
    if (!fold.hidden) found += 1;
  }
  for (const chapter of document.querySelectorAll("section.chapter"))
    chapter.hidden = !chapter.querySelector("details.entry:not([hidden])");
  says.textContent = words.length === 0 ? "" : `${found} of ${folds.length} fit`;
}

/** A link leads into a fold: it is opened, and shown even if it does not fit. */
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target?.closest("details.entry");
  if (!fold) return;
  if (fold.hidden) {
    field.value = "";
    filter();
  }
  fold.open = true;
  target.scrollIntoView();
}

field.addEventListener("input", filter);
addEventListener("hashchange", open);
// A page that is come back to has its field filled in.
filter();
open();
