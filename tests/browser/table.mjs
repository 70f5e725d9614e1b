// Playing on a board's page as a user does: by pointing at faces, places and words, looking at the result, sending it.

/** What can be pointed at next, on the board itself before anything else. */
const POINTS = [".sight svg:not(.on-dark) a.spot", ".faces a", ".chips a"];

/** Moves that are always the same for the same seed, and look like anybody's. */
export function dice(seed) {
  let state = seed;
  return (sides) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * sides);
  };
}

/** Puts a move together by clicking until the page offers to send it. */
async function compose(person, roll, prefer) {
  for (let step = 0; step < 40; step++) {
    if (await person.has("form [name=move]")) return;
    let points = [];
    for (const selector of POINTS) {
      points = points.length ? points : await shown(person, selector);
    }
    if (!points.length) throw new Error(`${person.userid} has nothing to choose: ${await person.text()}`);
    const wanted = prefer ? points.filter((point) => prefer(point.href)) : [];
    const choices = wanted.length ? wanted : points;
    await point(person, choices[roll(choices.length)]);
  }
  throw new Error(`${person.userid} never came to a move`);
}

/** Those of these links that can be seen and are no words of the server such as `swap`. */
async function shown(person, selector) {
  const all = [];
  for (const one of await person.page.$$(selector)) {
    const href = await one.evaluate((link) => (link.getClientRects().length ? link.getAttribute("href") : ""));
    if (href && !/choose=(swap|pass)\b/.test(href)) all.push({ one, href });
  }
  return all;
}

async function point(person, { one }) {
  await leading(person, () => one.click());
}

/** Does something that shows the board anew, in this page or by loading another. */
export async function leading(person, act) {
  await person.page.$eval("#table", (table) => table.setAttribute("data-old", ""));
  await act();
  await person.page.waitForSelector("#table:not([data-old])");
}

/** Makes one move by clicking; `prefer` picks among the choices by where they lead. */
export async function play(person, roll, prefer) {
  await compose(person, roll, prefer);
  const label = await person.page.$eval("form [name=move] ~ p.row button", (button) => button.textContent);
  await person.press(label);
}

/** Waits until the page, left alone, shows this many moves. */
export function seesMove(person, ply) {
  return person.page.waitForFunction(
    (wanted) => document.querySelector(".steps strong")?.textContent === `move ${wanted}`,
    { polling: 50 },
    ply,
  );
}
