// Every page there is, with something on it; for whoever looks at all of them.
import { linkIn } from "./letter.mjs";
import { DEPLOYED } from "./places.mjs";

/** Players in the middle of games, talk, finished boards and ratings, a seek, mails of all sorts. */
export async function furnish(server) {
  await server.signUp("ann", "bob", "cyd");
  await server.program("admin", "user", "grant", "ann");
  await finishSome(server);
  await server.command("osbox challenge ann bob", "Have fun!");
  await server.command("osbo challenge -size=4 ann bob cyd");
  await server.command("obsidio challenge ann bob");
  await server.command("boxilies challenge ann bob");
  const number = 101;
  await play(server, { game: "osbox", number: 105, moves: ["f1", "e9", "d2", "o10", "k3", "a11"] });
  await play(server, { game: "obsidio", number, moves: ["c3", "swap"] });
  await play(server, { game: "boxilies", number, moves: [20, 77, 134, 191] });
  // One that was stopped, one that was declined, one whose second player may swap.
  await server.command("obsidio challenge ann bob");
  await server.program("admin", "board", "pause", "obsidio", "102", "--why", "Asked for by both.");
  await server.command("boxilies challenge bob ann");
  await server.command("boxilies move 102 ann ann-secret resign");
  await server.command("obsidio challenge -size=5 bob ann");
  await server.command("obsidio move 103 bob bob-secret c3");
  await server.command("osbox chat 105 bob bob-secret", "Nice knot. I had not seen that one coming.");
  await server.command("osbox move 105 bob bob-secret propose");
  await server.command("obsidio seek cyd cyd-secret 2 -size=7");
  await server.command("announce ann ann-secret osbox roundrobin -size=3 -players=2-3", "Winter cup\n\nFor everybody who likes short games.");
  for (const name of ["ann", "bob", "cyd"]) await server.command(`enter ${name} ${name}-secret t1`);
  await server.command("announce ann ann-secret hex roundrobin -players=4-8", "Spring cup");
  await compete(server);
  await server.command("vacation bob bob-secret 2099-01-01").catch(() => {});
  await server.mail({ from: "bob@bob.example", subject: "osbox mvoe 105 bob bob-secret g3", body: "See you!" });
  await server.letter("bob", (letter) => letter.text.includes("mvoe"));
}

/** A Swiss tournament, a ladder and a league that are played. */
async function compete(server) {
  const names = ["ann", "bob", "cyd"];
  await server.command("announce ann ann-secret osbox swiss -size=3 -players=3-3 -rounds=2", "Swiss open");
  await server.command("announce ann ann-secret osbox ladder -size=3", "Long ladder\n\nFor everybody, at any time.");
  await server.command("announce ann ann-secret osbox league -size=3 -players=3-8", "City league");
  for (const tournament of ["t3", "t4", "t5"]) {
    for (const name of names) await server.command(`enter ${name} ${name}-secret ${tournament}`);
  }
  await server.command("direct ann ann-secret t5 start");
  await server.command("ladder challenge cyd cyd-secret t4 ann");
}

/** Moves in turn; a number stands for one of the legal moves. */
async function play(server, { game, number, moves, names = ["ann", "bob"] }) {
  for (const [turn, wish] of moves.entries()) {
    const name = names[turn % names.length];
    let move = wish;
    if (typeof wish === "number") {
      const { legal } = await server.get(`/api/v1/boards/${game}/${number}/legal`);
      move = legal[wish % legal.length];
    }
    await server.command(`${game} move ${number} ${name} ${name}-secret ${move}`, turn === 1 ? "Your turn." : "");
  }
}

/** Boards that are over, for standings and curves. */
async function finishSome(server) {
  for (const [round, loser] of ["bob", "ann", "bob", "bob"].entries()) {
    const number = 101 + round;
    await server.command("osbox challenge -size=3 ann bob");
    await play(server, { game: "osbox", number, moves: ["d1", "a7", "f2"] });
    await server.command(`osbox move ${number} ${loser} ${loser}-secret resign`);
  }
}

/** Pages for anybody. */
const EVERYBODY = {
  privacy: "/privacy",
  start: "/",
  "try-osbox": "/try/osbox",
  "try-osbox-entry": "/try/osbox?choose=f",
  "try-osbox-preview": "/try/osbox?moves=f1~e9&choose=d2",
  "try-osbo": "/try/osbo",
  "try-obsidio": "/try/obsidio?moves=c3",
  "try-boxilies": "/try/boxilies",
  "explore-osbox": "/boards/osbox/101/explore",
  "explore-osbox-line": "/boards/osbox/101/explore?ply=0&moves=f1",
  learn: "/learn",
  "learn-osbox": "/learn/osbox",
  "learn-osbox-2": "/learn/osbox/2",
  "learn-osbox-right": "/learn/osbox/2?moves=j1",
  "learn-osbo": "/learn/osbo/5",
  "learn-obsidio": "/learn/obsidio/2",
  "learn-boxilies": "/learn/boxilies/3",
  puzzles: "/puzzles",
  "puzzle-osbox": "/puzzles/osbox?day=1",
  "puzzle-osbox-answer": "/puzzles/osbox?day=1&answer=yes",
  "puzzle-obsidio": "/puzzles/obsidio?day=2",
  "puzzle-boxilies": "/puzzles/boxilies?day=3",
  games: "/games",
  tournaments: "/tournaments",
  // "/tournaments/{name}"
  tournament: "/tournaments/t1",
  "tournament-open": "/tournaments/t2",
  "tournament-swiss": "/tournaments/t3",
  "tournament-ladder": "/tournaments/t4",
  "tournament-ladder-earlier": "/tournaments/t4?at=2020-01-01",
  "tournament-league": "/tournaments/t5",
  boards: "/boards",
  players: "/users",
  "all-standings": "/standings",
  "help-start": "/help",
  login: "/login",
  "link-sent": async (person) => {
    await person.open("/login");
    await person.fill({ userid: "bob" });
    await person.press("Mail me a link instead");
  },
  "login-refused": async (person) => {
    await person.open("/login");
    await person.fill({ userid: "bob", password: "no-secret" });
    await person.press("Log in");
  },
  signup: "/signup",
  help: "/help/tutorial",
  rules: "/games/osbo",
  "rules-osbox": "/games/osbox",
  "rules-obsidio": "/games/obsidio",
  "rules-boxilies": "/games/boxilies",
  standings: "/standings/osbox",
  "user-compared": "/users/bob?against=ann",
  "board-over": "/boards/osbox/101",
  "board-analysis": "/boards/osbox/101/analysis",
  "board-watched": "/boards/osbox/105",
  "api-docs": "/api/docs",
  "api-docs-open": async (person) => {
    await person.open("/api/docs");
    await person.page.click("details.entry > summary");
  },
  missing: "/nothing/here",
};

/** Pages of mail that stays in a folder. */
const MAILBOX = {
  "mailbox-key": (person) => person.openMailbox(),
  mailbox: "/mailbox",
  // `/mailbox/{name}`, with `/mailbox/{name}/page` in its frame.
  "mailbox-mail": async (person) => {
    await person.open("/mailbox");
    await Promise.all([person.page.waitForNavigation(), person.page.click("main table a")]);
  },
};

export const PUBLIC = { ...EVERYBODY, ...(DEPLOYED ? { "mailbox-missing": "/mailbox" } : MAILBOX) };

/** Pages for ann, who plays. */
export const PLAYER = {
  // "/invite/{token}", with the links of whoever made it before.
  "challenge-links": async (person) => {
    await person.open("/challenge?game=osbox");
    await person.press("Make a link");
  },
  "invitation-own": async (person) => {
    await person.open("/challenge");
    await person.open(await person.page.$eval("#links input[readonly]", (one) => new URL(one.value).pathname));
  },
  home: "/",
  "tournament-new": "/tournaments/new",
  "tournament-own": "/tournaments/t1",
  "tournament-challenges": "/tournaments/t4",
  osbox: "/boards/osbox/105",
  "osbox-entry": "/boards/osbox/105?choose=f",
  "osbox-preview": "/boards/osbox/105?choose=f2",
  "osbox-refused": "/boards/osbox/105?choose=f99",
  "osbox-earlier": "/boards/osbox/105?ply=3",
  osbo: "/boards/osbo/101",
  obsidio: "/boards/obsidio/101",
  boxilies: "/boards/boxilies/101",
  "board-paused": "/boards/obsidio/102",
  "board-removed": "/boards/boxilies/102",
  "obsidio-swap": "/boards/obsidio/103",
  "challenge-game": "/challenge",
  challenge: "/challenge?game=osbox",
  user: "/users/ann",
  "user-other": "/users/bob",
  settings: "/settings",
  archive: async (person) => {
    // /archive/{token}
    await person.server.command("export me ann ann-secret");
    const letter = await person.server.letter("ann", (one) => linkIn(one, "archive"));
    await person.open(linkIn(letter, "archive"));
  },
  feeds: async (person) => {
    await person.open("/settings");
    if (!(await person.has("#feed-turns"))) await person.press("Turn on feeds");
  },
  key: async (person) => {
    await person.open("/settings");
    await person.unfold("Make a key");
    await person.fill({ name: "My telephone" });
    if (await person.has("#key-password")) await person.page.type("#key-password", "ann-secret");
    await person.press("Make it");
  },
};

/** Pages for ann, who administrates. */
export const ADMINISTRATION = {
  admin: "/admin",
  "admin-boards": "/admin/boards",
  "admin-board": "/admin/boards/osbox/105",
  "admin-eyes": "/admin/boards/boxilies/101?seat=1",
  "admin-users": "/admin/users",
  "admin-user": "/admin/users/bob",
  "admin-inbox": "/admin/inbox",
  "admin-received": "/admin/inbox/1",
  "admin-outbox": "/admin/outbox",
  "admin-outgoing": "/admin/outbox/1",
  "admin-do-not-mail": "/admin/do-not-mail",
  "admin-jobs": "/admin/jobs",
  "admin-audit": "/admin/audit",
  "admin-broadcast": "/admin/broadcast",
  "admin-refused": "/admin/users/nobody",
};

/** Opens a page: goes to its address, or does what leads to it. Returns whether it came as it should. */
export async function visit(person, name, page) {
  if (typeof page === "function") {
    await page(person);
    return true;
  }
  const status = await person.open(page);
  return status === (/missing|refused/.test(name) && !page.includes("choose") ? 404 : 200);
}

/** Pages that letters lead to: /confirm/{token} /reset/{token} /magic/{token} /not-me/{token}
    /unsubscribe/{token}. */
export async function byLetter(server) {
  await server.command("password cyd");
  await server.submit("/login", { userid: "cyd", by: "link" });
  await server.command("add cyd cyd-secret cyd@elsewhere.example");
  await server.command("broadcast ann ann-secret", "A tournament begins on Monday.");
  const found = {};
  for (const kind of ["reset", "magic", "confirm", "not-me", "unsubscribe"]) {
    server.read.clear();
    const wanted = (letter) => linkIn(letter, kind) && (kind !== "confirm" || letter.to.includes("elsewhere"));
    found[kind] = linkIn(await server.letter("cyd", wanted), kind);
  }
  return found;
}
