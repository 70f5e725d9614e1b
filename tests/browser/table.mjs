// Playing on a board's page as a user does: by pointing at faces, places and words, looking at the result, sending it.

/** What can be pointed at next, on the board itself before anything else. */
const POINTS = [".sight svg:not(.on-dark) a.spot", ".faces a:not(.off)", ".chips a"];

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
    const points = await choices(person);
    if (!points.length) return;
    const wanted = prefer ? points.filter((href) => prefer(href)) : [];
    const among = wanted.length ? wanted : points;
    await point(person, among[roll(among.length)]);
  }
  throw new Error(`${person.userid} never came to a move`);
}

/**
 * Where one can go next, nowhere where the move can be sent. All of it is read off the page at one moment:
 * news or the answer to a click may put another board in its place at any time.
 */
export async function choices(person) {
  const seen = (selectors) => {
    if (document.querySelector("form [name=move]")) return [];
    const hrefs = (selector) => [...document.querySelectorAll(selector)].filter((link) => link.getClientRects().length).map((link) => link.getAttribute("href"));
    // Words of the server such as `swap` are left aside.
    // Where a place has been chosen, another one is no step onwards.
    const aside = new URLSearchParams(location.search).has("spot") ? /choose=(swap|pass)\b|[?&]spot=/ : /choose=(swap|pass)\b/;
    const lists = selectors.map((selector) => hrefs(selector).filter((href) => !aside.test(href)));
    return lists.find((list) => list.length);
  };
  const { page } = person;
  try {
    return await (await page.waitForFunction(seen, { polling: 50 }, POINTS)).jsonValue();
  } catch (error) {
    throw new Error(`${person.userid} finds nothing to point at on ${page.url()}:\n${await person.text("body")}`, { cause: error });
  }
}

/** Clicks where this link is shown, and waits until its page is; false where news moved it meanwhile, and one has to look anew. */
export async function point(person, href) {
  const { page } = person;
  const selector = POINTS.map((each) => `${each}[href="${href}"]`).join();
  try {
    await page.click(selector);
    // Pressed on one board and let go on the next, a link is not followed.
    await page.waitForFunction((wanted) => new URL(wanted, location).href === location.href, { polling: 20, timeout: 5000 }, href);
  } catch (error) {
    if (/detached|No element found|not clickable/.test(error.message) || error.name === "TimeoutError") return false;
    throw error;
  }
  return true;
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
