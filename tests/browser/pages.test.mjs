// What holds for every page: it is accessible, light, from here alone, and as wide as the window.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Server } from "./server.mjs";
import { launch, NARROW, packages, Person, WIDE } from "./browser.mjs";
import { ADMINISTRATION, byLetter, furnish, PLAYER, PUBLIC, visit } from "./pages.mjs";

const MOST_BYTES = 150_000;
const MOMENTOUS = ["serious", "critical"];

let server, chromium, axe, groups;
before(async () => {
  [server, chromium] = await Promise.all([Server.start({ ACCOUNTS__CONFIRM_ADDRESSES: "on" }), launch()]);
  await furnish(server);
  axe = await readFile(packages.resolve("axe-core/axe.min.js"), "utf8");
  groups = [
    [await Person.arrive(chromium, server), { ...PUBLIC, ...(await byLetter(server)) }],
    [await Person.of(chromium, server, "ann"), { ...PLAYER, ...ADMINISTRATION }],
  ];
});
after(async () => {
  await chromium?.close();
  await server?.stop();
});

const LOOKS = Object.entries({ narrow: NARROW, wide: WIDE }).flatMap(([width, view]) =>
  ["light", "dark"].map((scheme) => ({ look: `${width} and ${scheme}`, view, scheme })));
const sizes = {};
const findings = Object.fromEntries(LOOKS.map(({ look }) => [look, []]));

/** Opens every page, as two people at a time, and judges it in all its looks. */
async function visitAll() {
  const walk = async ([person, pages]) => {
    await person.page.setCacheEnabled(false);
    // What a service worker loads is not counted among what the page loads.
    await person.page.setBypassServiceWorker(true);
    for (const [name, page] of Object.entries(pages)) {
      person.bytes = 0;
      const came = await visit(person, name, page).catch((error) => assert.fail(`${name}: ${error.message}`));
      assert.ok(came, `${name} did not come: ${await person.text("body")}`);
      if (typeof page === "string") sizes[name] = person.bytes;
      await person.page.evaluate(axe);
      for (const look of LOOKS) await judge(person, name, look);
    }
  };
  await Promise.all(groups.map(walk));
}

async function judge({ page }, name, { look, view, scheme }) {
  await page.setViewport(view);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const found = findings[look];
  const surplus = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (surplus > 0) found.push(`${name}: ${surplus} px too wide`);
  // What darkness changes is colours.
  const wish = scheme === "dark" ? { runOnly: { type: "rule", values: ["color-contrast"] } } : {};
  const { violations } = await page.evaluate((wish) => window.axe.run(document, { resultTypes: ["violations"], ...wish }), wish);
  for (const { id, impact, nodes } of violations.filter(({ impact }) => MOMENTOUS.includes(impact))) {
    found.push(`${name}: ${impact} ${id}: ${nodes.slice(0, 3).map((node) => `${node.html} (${node.any[0]?.message ?? node.failureSummary})`).join("; ")}`);
  }
}

test("every page comes", visitAll);

test("a first view of a page needs under 150 kB", () => {
  const heavy = Object.entries(sizes).sort((one, other) => other[1] - one[1]);
  console.log(`heaviest: ${heavy.slice(0, 3).map(([name, bytes]) => `${name} ${Math.round(bytes / 1000)} kB`).join(", ")}`);
  assert.ok(heavy.length > 30 && heavy.every(([, bytes]) => bytes > 5000 && bytes < MOST_BYTES), JSON.stringify(heavy));
});

for (const { look } of LOOKS) {
  test(`no page is hard to use for anybody, ${look}`, () => assert.deepEqual(findings[look], []));
}

test("no page asks another site, breaks its own policy or fails", () => {
  assert.deepEqual(groups.flatMap(([person]) => person.odd), []);
});
