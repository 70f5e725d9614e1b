// Puzzles of the day, solved by tapping on the board and on what stands beside it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { chromium, server, stage } from "./stage.mjs";
import { NARROW, Person } from "./browser.mjs";

stage();

/** The link with the shortest way on to the solution: the next tap. */
const nextTap = (person, solution, begun) =>
  person.page.evaluateHandle(
    (wanted, sofar) => {
      const chosen = (link) => new URL(link.getAttribute("href") ?? link.href.baseVal, location).searchParams;
      const leads = (link) => {
        const choose = chosen(link).get("choose") ?? "";
        return !chosen(link).has("spot") && choose.length > sofar.length && wanted.startsWith(choose) && link.getClientRects().length > 0;
      };
      const links = [...document.querySelectorAll("#table a[href]")].filter(leads);
      return links.sort((one, other) => chosen(one).get("choose").length - chosen(other).get("choose").length)[0];
    },
    solution,
    begun,
  );

for (const game of ["osbox", "obsidio", "boxilies"]) {
  test(`a puzzle of ${game} is solved by tapping`, async () => {
    const person = await Person.arrive(chromium, server, { view: NARROW });
    for (const day of [1, 100]) {
      const { solution } = await server.get(`/api/v1/puzzles/${game}?day=${day}&solution=true`);
      await person.open(`/puzzles/${game}?day=${day}`);
      for (let begun = ""; begun !== solution[0]; ) {
        const link = (await nextTap(person, solution[0], begun)).asElement();
        assert.ok(link, `${game} ${day}: nothing to tap after '${begun}'`);
        await Promise.all([person.page.waitForNavigation({ waitUntil: "load" }), link.click()]);
        assert.ok(await person.has("#table"), person.page.url());
        begun = new URL(person.page.url()).searchParams.get("choose");
      }
      await person.follow(`Play ${solution[0]}`);
      assert.match(await person.text(".now"), /Right:/);
    }
    assert.deepEqual(person.odd, []);
  });
}
