// A board's page as a game: stepping, choosing in either order, keys, what is said, motion, tabs in the background.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { Person, WIDE } from "./browser.mjs";
import { dice, play, seesMove } from "./table.mjs";
import { until } from "./waiting.mjs";

const TELEPHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };
const DESK = { width: 1280, height: 800 };
/** A round trip through the internet. */
const DELAY = 80;

let ann, bob;
stage(["ann", "bob"], async () => {
  [ann, bob] = await Promise.all([Person.of(chromium, server, "ann"), Person.of(chromium, server, "bob")]);
});

async function challenge(words) {
  const { number } = (await server.command(words)).boards[0];
  return `/boards/${words.split(" ")[0]}/${number}`;
}

/** Plays legal moves until so many are made, or the game is over. */
async function advance(path, moves) {
  const [, , game, number] = path.split("/");
  for (let ply = 0; ply < moves; ply++) {
    const { state, to_move } = await server.get(`/api/v1${path}`);
    if (state === "over") return;
    const { legal } = await server.get(`/api/v1${path}/legal`);
    const name = to_move[0];
    await server.command(`${game} move ${number} ${name} ${name}-secret ${legal[(ply * 37) % legal.length]}`);
  }
}

const shownPly = (person) => person.page.$eval("#table", (table) => Number(table.dataset.ply));
const settled = (person) => person.page.waitForFunction(() => !document.querySelector("#table[aria-busy], .sliding"), { polling: 20 });

async function withDelay(person, milliseconds, act) {
  const devtools = await person.page.createCDPSession();
  await devtools.send("Network.enable");
  const conditions = (latency) => ({ offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 });
  await devtools.send("Network.emulateNetworkConditions", conditions(milliseconds));
  try {
    return await act();
  } finally {
    await devtools.send("Network.emulateNetworkConditions", conditions(0));
    await devtools.detach();
  }
}

test("a key that is held down steps through a game, over the internet too", async (test) => {
  const path = await challenge("osbox challenge -size=6 ann bob");
  await advance(path, 30);
  await ann.open(path);
  const last = await shownPly(ann);
  assert.ok(last >= 25, `${last} moves`);
  await withDelay(ann, DELAY, async () => {
    const { keyboard } = ann.page;
    await keyboard.press("ArrowLeft");
    await ann.page.waitForFunction((ply) => Number(document.querySelector("#table").dataset.ply) === ply, { polling: 20 }, last - 1);
    const begun = Date.now();
    // As a keyboard repeats.
    while (Date.now() - begun < 1500) {
      await keyboard.down("ArrowLeft");
      await new Promise((resolve) => setTimeout(resolve, 33));
    }
    await keyboard.up("ArrowLeft");
    const went = last - 1 - (await shownPly(ann));
    // The goal is fifteen; how many there are depends on what else the machine does.
    test.diagnostic(`${went} moves in 1.5 seconds`);
    assert.ok(went >= 5, `${went} moves in 1.5 seconds`);
    const goal = await ann.page.evaluate(() => new URL(location).searchParams.get("ply"));
    await settled(ann);
    assert.ok(Number(goal) >= (await shownPly(ann)));
  });
  await ann.page.keyboard.press("Home");
  await ann.page.waitForFunction(() => document.querySelector("#table").dataset.ply === "0", { polling: 20 });
  for (let press = 0; press < 10; press++) await ann.page.keyboard.press("ArrowRight");
  await ann.page.waitForFunction(() => document.querySelector("#table").dataset.ply === "10", { polling: 20 });
  await settled(ann);
  assert.match(ann.page.url(), /\?ply=10#board$/);
  await until("the last step to be said", async () => /After move 10 of/.test(await ann.text("#said")));
});

test("the list of moves is whole at every step, and shows where one is, on a telephone too", async () => {
  const path = await challenge("osbox challenge -size=6 ann bob");
  await advance(path, 40);
  await ann.page.setViewport(TELEPHONE);
  await ann.open(`${path}?ply=2`);
  const list = () =>
    ann.page.$eval(".moves-pane", (pane) => {
      const { top, height } = pane.getBoundingClientRect();
      const shown = pane.querySelector("[aria-current]");
      const place = shown?.getBoundingClientRect().top - top;
      return { count: pane.querySelectorAll("li").length, shown: shown?.closest("li").value, inSight: place >= 0 && place < height, height };
    });
  const last = await ann.page.$eval("#table", (table) => Number(table.dataset.last));
  for (const [press, ply] of [[null, 2], ["Home", 0], ["End", last]]) {
    if (press) await ann.page.keyboard.press(press);
    await ann.page.waitForFunction((ply) => Number(document.querySelector("#table").dataset.ply) === ply, { polling: 20 }, ply);
    const { count, shown, inSight, height } = await list();
    assert.equal(count, last);
    assert.ok(height <= 0.61 * TELEPHONE.height, `${height} px high`);
    if (ply) assert.ok(shown === ply && inSight, `move ${shown} is marked after ${ply}, in sight: ${inSight}`);
  }
  await ann.page.setViewport(WIDE);
});

/** How what asks for an earlier or later move fails, and what was asked so, until the test is over. */
async function withoutPlies(person, refuse, act) {
  const { page } = person;
  const asked = [];
  const answer = (request) => {
    if (request.isNavigationRequest() || !/[?&]ply=/.test(request.url())) return request.continue();
    asked.push(request.url());
    return refuse(request);
  };
  const odd = [...person.odd];
  await page.setRequestInterception(true);
  page.on("request", answer);
  try {
    await act(asked);
  } finally {
    page.off("request", answer);
    await page.setRequestInterception(false);
    // That nothing came is told to the console.
    person.odd = person.odd.filter((line) => odd.includes(line) || !/Failed to load resource/.test(line));
  }
}

test("a move that cannot be fetched is said, and asked for again with the next step alone", async () => {
  const path = await challenge("osbox challenge -size=6 ann bob");
  await advance(path, 12);
  const { page } = ann;
  const busy = { status: 503, contentType: "application/problem+json", body: "{}" };
  for (const refuse of [(request) => request.abort(), (request) => request.respond(busy), (request) => request.respond({ ...busy, status: 429 })]) {
    await ann.open(path);
    const last = await shownPly(ann);
    await withoutPlies(ann, refuse, async (asked) => {
      for (let steps = 1; steps <= 2; steps++) {
        await page.keyboard.press("ArrowLeft");
        await page.waitForSelector(".note.missing");
        await page.waitForFunction(() => !document.querySelector("#table[aria-busy]"), { polling: 20 });
        await new Promise((resolve) => setTimeout(resolve, 500));
        // As many as are asked for at once, and no more.
        assert.ok(asked.length >= steps && asked.length <= 5 * steps, `${asked.length} requests after ${steps} steps`);
      }
      assert.match(await ann.text(".note.missing"), /cannot be shown at the moment/);
      assert.equal(await shownPly(ann), last);
      assert.equal(new URL(page.url()).pathname, path, "the page stays");
    });
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((ply) => Number(document.querySelector("#table").dataset.ply) === ply, { polling: 20 }, last - 1);
    assert.ok(!(await ann.has(".note.missing")));
    await settled(ann);
  }
});

test("face and place are chosen in either order, and only the preview asks the server", async () => {
  const path = await challenge("osbox challenge -size=3 ann bob");
  const { page } = ann;
  for (const [first, second] of [['.faces [data-begun="f"]', 'a.spot[data-spot="2"]'], ['a.spot[data-spot="2"]', '.faces [data-begun="f"]']]) {
    await ann.open(path);
    const asked = () => ann.loads.filter((url) => /[?&](choose|spot)=/.test(url)).length;
    const before = asked();
    await page.click(first);
    assert.equal(asked(), before, "nothing was asked for");
    assert.match(page.url(), /[?&](choose|spot)=/);
    assert.match(await ann.text("#said"), /Where does f go|Which face at 2/);
    // The address says the same to who opens it anew.
    await page.reload();
    assert.match(await ann.text(".turn .prompt"), /Where does f go|Which face at 2/);
    await page.click(second);
    await page.waitForSelector(".send");
    assert.match(page.url(), /\?choose=f2#board$/);
    assert.match(await ann.text("#said"), /f2.*Not sent yet\./);
    await page.goBack();
    await page.waitForFunction(() => !document.querySelector(".send"), { polling: 20 });
  }
});

test("every tap is answered at once", async () => {
  const path = await challenge("osbox challenge -size=3 ann bob");
  await ann.open(`${path}?choose=f`);
  await withDelay(ann, 400, async () => {
    const shown = await ann.page.evaluate(() => {
      document.querySelector('a.spot[data-spot="1"]').dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      return [document.querySelector("#table").getAttribute("aria-busy"), document.querySelectorAll(".spot.going").length];
    });
    assert.deepEqual(shown, ["true", 1]);
    await ann.page.waitForSelector(".send");
  });
});

test("the board is walked with arrow keys, the focus stays, and the typing field is near", async () => {
  const path = await challenge("obsidio challenge -size=11 ann bob");
  const { page } = ann;
  await ann.open(path);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const near = await page.evaluate(() => [document.activeElement.id, document.activeElement.textContent]);
  assert.ok(near[0] === "choose" || near[1] === "Preview", String(near));
  await page.$eval('a.spot[data-spot="e5"]', (spot) => spot.focus());
  for (const key of ["ArrowRight", "ArrowUp", "ArrowLeft"]) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.spot), "e7");
  assert.equal(await page.$$eval('a.spot[tabindex="0"]', (spots) => spots.length), 1);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".send, .spot.taken");
  assert.ok(await page.evaluate(() => document.querySelector("#table").contains(document.activeElement)), "the focus stays on the board");
  assert.notEqual(await ann.text("#said"), "");
});

test("the result is in sight for both after the last move, with what became of the ratings", async () => {
  const path = await challenge("osbox challenge -size=3 ann bob");
  const number = path.split("/")[3];
  await ann.page.setViewport(TELEPHONE);
  await Promise.all([ann.open(path), bob.open(path)]);
  await server.command(`osbox move ${number} ann ann-secret f1`);
  await server.command(`osbox move ${number} bob bob-secret a9`);
  await seesMove(ann, 2);
  await server.command(`osbox move ${number} ann ann-secret resign`);
  for (const [person, words] of [[bob, /You won by resignation/], [ann, /You lost by resignation/]]) {
    await until("the end", async () => words.test(await person.text(".lead")));
    const box = await person.page.$eval(".lead", (one) => one.getBoundingClientRect().toJSON());
    const height = await person.page.evaluate(() => innerHeight);
    assert.ok(box.top >= 0 && box.bottom < height, JSON.stringify(box));
    assert.match(await person.text(".players"), /[+−]\d+/);
  }
  await bob.press("Rematch");
  assert.notEqual(new URL(bob.page.url()).pathname, path);
  assert.match(await bob.text(".players"), /ann[\s\S]*bob|bob[\s\S]*ann/);
  await ann.page.setViewport(WIDE);
});

test("a tab in the background shows in its title that it is my turn", async (t) => {
  const path = await challenge("osbox challenge -size=3 bob ann");
  const number = path.split("/")[3];
  await ann.open(path);
  // Browsers have locks on secure pages alone; the proxy of the deployed profile has no certificate.
  if (!(await ann.page.evaluate(() => isSecureContext))) return t.skip("the page is not secure");
  assert.doesNotMatch(await ann.page.title(), /^●/);
  const front = await ann.context.newPage();
  await front.goto(`${server.site}/login`).catch(() => {});
  await front.bringToFront();
  try {
    await ann.page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await server.command(`osbox move ${number} bob bob-secret f1`);
    await until("the mark", async () => /^●/.test(await ann.page.title()));
  } finally {
    await front.close();
  }
});

test("what is pushed slides, unless motion is not wanted, and nothing shifts", async () => {
  const path = await challenge("osbox challenge -size=3 ann bob");
  const { page } = ann;
  for (const [value, slides] of [["no-preference", true], ["reduce", false]]) {
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value }]);
    await ann.open(`${path}?choose=f`);
    const height = await page.$eval(".sight .picture", (one) => one.getBoundingClientRect().height);
    const seen = await page.evaluate(() => new Promise((resolve) => {
      const watch = new MutationObserver(() => document.querySelector(".send") && (watch.disconnect(), requestAnimationFrame(() => resolve(Boolean(document.querySelector(".sliding"))))));
      watch.observe(document.body, { childList: true, subtree: true });
      document.querySelector('a.spot[data-spot="1"]').dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }));
    assert.equal(seen, slides, value);
    await settled(ann);
    assert.equal(await page.$eval(".sight .picture", (one) => one.getBoundingClientRect().height), height);
  }
  await page.emulateMediaFeatures([]);
});

const BOARDS = ["osbox challenge -size=3", "osbox challenge -size=4", "osbox challenge -size=12", "osbo challenge -size=3", "osbo challenge -size=8", "obsidio challenge -size=5", "obsidio challenge -size=11", "boxilies challenge"];

// A new board on which it is ann's turn: dice that cannot be placed make her pass at once.
async function challengeOnTurn(words) {
  for (;;) {
    const path = await challenge(`${words} ann bob`);
    await ann.open(path);
    if (/Your turn/.test(await ann.text(".lead"))) return path;
  }
}

test("a turn fits on one screen of a telephone, and of a desk, with targets large enough", async () => {
  const found = [];
  for (const words of BOARDS) {
    const path = await challengeOnTurn(words);
    for (const view of [TELEPHONE, DESK]) {
      await ann.page.setViewport(view);
      await ann.open(path);
      const facts = await ann.page.evaluate(() => {
        const box = (one) => one.getBoundingClientRect();
        const spots = [...document.querySelectorAll("a.spot")].map((one) => box(one.querySelector(".reach")));
        const faces = [...document.querySelectorAll(".faces a")].map(box);
        const small = (boxes, least) => boxes.filter(({ width, height }) => Math.min(width, height) < least).length;
        const { top, bottom } = box(document.querySelector(".sight .picture"));
        const turn = box(document.querySelector(".turn"));
        return { wide: document.documentElement.scrollWidth - innerWidth, lead: box(document.querySelector(".lead")).bottom, top, bottom, turn: turn.bottom, sheet: turn.top, height: innerHeight, spots: small(spots, 24), faces: small(faces, 40) };
      });
      const said = `${words} at ${view.width}: ${JSON.stringify(facts)}`;
      if (facts.wide > 0 || facts.turn > facts.height + 1 || facts.faces || facts.spots) found.push(said);
      if (view === TELEPHONE && facts.bottom > facts.sheet + 60) found.push(`covered: ${said}`);
      if (view === DESK && (facts.bottom > facts.height || facts.bottom - facts.top < 420)) found.push(`small: ${said}`);
    }
  }
  assert.deepEqual(found, []);
  await ann.page.setViewport(WIDE);
});

test("a game is played on a telephone by touch alone", async () => {
  const path = await challenge("osbox challenge -size=3 ann bob");
  await ann.page.setViewport(TELEPHONE);
  await ann.open(path);
  await play(ann, dice(5));
  assert.match(await ann.text(".lead"), /bob's turn/);
  await ann.page.setViewport(WIDE);
});

test("nothing odd happened on the boards", () => {
  assert.deepEqual([...ann.odd, ...bob.odd], []);
});
