// What most files of tests begin with: a server, a browser, and the players who are known to all tests of the file.
import { after, before } from "node:test";
import { Server } from "./server.mjs";
import { launch } from "./browser.mjs";
import { DEPLOYED } from "./places.mjs";

/** Why tests that need a secure page are skipped: the proxy of the deployed profile has no certificate. */
export const WITHOUT_TLS = DEPLOYED && "the profile has no TLS";

export let server, chromium;

/** Starts both before the tests of a file, signs these players up, does what the file needs besides, and ends both after it. */
export function stage(players = [], more = () => {}) {
  before(async () => {
    [server, chromium] = await Promise.all([Server.start(), launch()]);
    await server.signUp(...players);
    await more();
  });
  after(async () => {
    await chromium?.close();
    await server?.stop();
  });
}

/** The page of a new board of Osbox that ann begins with bob. */
export async function challenge() {
  return `/boards/osbox/${(await server.command("osbox challenge -size=3 ann bob")).boards[0].number}`;
}
