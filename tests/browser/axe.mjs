// What axe finds on the page that somebody looks at, in light and in dark, narrow and wide.
import { readFile } from "node:fs/promises";
import { NARROW, packages, WIDE } from "./browser.mjs";

const MOMENTOUS = ["serious", "critical"];
let source;

/** Sentences about what is hard to use for somebody, and about what is wider than the window. */
export async function judge({ page }) {
  source ??= await readFile(packages.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(source);
  const found = [];
  for (const view of [NARROW, WIDE]) {
    for (const value of ["light", "dark"]) {
      await page.setViewport(view);
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
      const look = `${view.width} px, ${value}`;
      const surplus = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (surplus > 0) found.push(`${look}: ${surplus} px too wide`);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, impact, nodes } of violations) {
        if (MOMENTOUS.includes(impact)) found.push(`${look}: ${impact} ${id}: ${nodes.slice(0, 3).map((node) => node.html).join("; ")}`);
      }
    }
  }
  return found;
}
