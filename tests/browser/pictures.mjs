// Photographs every page, narrow and wide, light and dark, and boards as they are printed: to be looked at.
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Server } from "./server.mjs";
import { launch, NARROW, Person, WIDE } from "./browser.mjs";
import { ADMINISTRATION, byLetter, furnish, PLAYER, PUBLIC, visit } from "./pages.mjs";

const VIEWS = { narrow: NARROW, wide: WIDE };
/** A sheet of A4 within its margins, at 96 dots an inch. */
const PAPER = { width: 718, height: 1047 };
const PRINTED = ["osbox", "osbo", "boxilies", "board-over", "rules"];

async function photograph(person, pages, folder) {
  let taken = 0;
  for (const [name, page] of Object.entries(pages)) {
    for (const [width, view] of Object.entries(VIEWS)) {
      await person.page.setViewport(view);
      await person.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
      await visit(person, name, page);
      for (const scheme of ["light", "dark"]) {
        await person.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        // Pictures for the other ground are fetched when they are wanted.
        await person.page.waitForNetworkIdle({ idleTime: 100, concurrency: 1 });
        await person.page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`), fullPage: true });
        taken += 1;
      }
    }
    if (!PRINTED.includes(name)) continue;
    await person.page.setViewport(PAPER);
    await person.page.emulateMediaType("print");
    await person.page.screenshot({ path: join(folder, `${name}-printed.png`), fullPage: true });
    await person.page.emulateMediaType(null);
    taken += 1;
  }
  return taken;
}

const folder = resolve(process.argv[2]);
await mkdir(folder, { recursive: true });
const [server, chromium] = await Promise.all([Server.start({ ACCOUNTS__CONFIRM_ADDRESSES: "on" }), launch()]);
try {
  await furnish(server);
  const stranger = await Person.arrive(chromium, server);
  const ann = await Person.of(chromium, server, "ann");
  const taken = await Promise.all([
    photograph(stranger, { ...PUBLIC, ...(await byLetter(server)) }, folder),
    photograph(ann, { ...PLAYER, ...ADMINISTRATION }, folder),
  ]);
  console.log(`${taken[0] + taken[1]} pictures in ${folder}`);
} finally {
  await chromium.close();
  await server.stop();
}
