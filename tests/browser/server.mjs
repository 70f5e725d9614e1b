// A real server on a folder of its own: started, asked, mailed to, its letters read, stopped by its process id.
import { createConnection } from "node:net";
import { request } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";
import { until } from "./waiting.mjs";
import { linkIn, readLetter } from "./letter.mjs";
import { makePlace, removePlace } from "./places.mjs";

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
export const ADDRESS = "games@knotpost.example";

const SETTINGS = {
  SERVER__ADDRESS: ADDRESS,
  HTTP__LISTEN: "127.0.0.1:0",
  SMTP__LISTEN: "127.0.0.1:0",
  INBOUND__KEEP_RAW: "all",
};

export class Server {
  /** Starts one on an empty folder, with settings named as its environment names them. */
  static async start(settings = {}) {
    const server = new Server();
    server.place = await makePlace({ ...SETTINGS, ...settings });
    server.read = new Set();
    await server.resume();
    return server;
  }

  /** Starts the same server once more, after `halt`. */
  async resume() {
    this.process = this.place.start(["serve"], ["ignore", "ignore", "pipe"]);
    this.log = "";
    this.process.stderr.on("data", (piece) => (this.log += piece));
    this.ended = once(this.process, "exit");
    // However the tests end, the server ends with them.
    process.once("exit", () => this.process.kill("SIGKILL"));
    const ports = join(this.place.data, "ports.json");
    const listening = await until("the server to be ready", async () => {
      if (this.process.exitCode !== null) throw new Error(`the server ended:\n${this.log}`);
      return JSON.parse(await readFile(ports, "utf8").catch(() => "null"));
    });
    Object.assign(this, await this.place.publish(this.process.pid, listening.http));
    this.smtp = listening.smtp;
    this.mailboxKey = listening.mailbox_key;
  }

  /** Ends it cleanly; its folder stays. */
  async halt() {
    await this.place.retract();
    this.process.kill("SIGTERM");
    const late = setTimeout(() => this.process.kill("SIGKILL"), 15000);
    await this.ended;
    clearTimeout(late);
  }

  /** Ends it and removes its folder. */
  async stop() {
    await this.halt();
    await removePlace(this.place);
  }

  /** The program itself with these arguments, on the same folder. */
  async program(...words) {
    await succeed(this.place.start(words, ["ignore", "ignore", "inherit"]), words[0]);
  }

  /** A message for `knotpost deliver`, as a mail server would hand it in. */
  async deliver(message) {
    const child = this.place.start(["deliver", "--to", ADDRESS], ["pipe", "ignore", "inherit"]);
    child.stdin.end(message);
    await succeed(child, "deliver");
  }

  /** Changes the database directly: what no user can do, such as losing a mail. */
  async change(sql) {
    const script = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c: c.executescript(sys.argv[2])";
    await succeed(this.place.startBeside("python3", ["-c", script, join(this.place.data, "knotpost.db"), sql]), "python3");
  }

  /** Asks for a page as a program does that is no browser. */
  async ask(path, { method = "GET", headers = {}, body = "" } = {}) {
    const [host, port] = this.address.split(":");
    const all = { host: new URL(this.site).host, "content-length": Buffer.byteLength(body), ...this.place.headersOf("program"), ...headers };
    const asked = request({ host, port, path, method, headers: all }).end(body);
    const [answer] = await once(asked, "response");
    let text = "";
    for await (const piece of answer.setEncoding("utf8")) text += piece;
    return { status: answer.statusCode, text };
  }

  /** Sends a form without its page. */
  submit(path, fields = {}) {
    return this.ask(path, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: new URLSearchParams(fields).toString() });
  }

  /** Carries out a command as a program would send it. */
  async command(command, body = "") {
    const headers = { "content-type": "application/json" };
    const json = JSON.parse((await this.ask("/commands", { method: "POST", headers, body: JSON.stringify({ command, body }) })).text);
    if (!json.ok) throw new Error(`${command}: ${json.error.message}`);
    return json;
  }

  async get(path) {
    const { status, text } = await this.ask(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text);
  }

  /** Signs up these players, their passwords being NAME-secret and their addresses NAME@NAME.example. */
  async signUp(...names) {
    for (const name of names) await this.signUpAs(name, `${name}@${name}.example`);
  }

  /** Signs up a player with this address. */
  async signUpAs(userid, address) {
    await this.command(`signup ${userid} ${userid}-secret ${address}`);
    if (!this.place.confirms()) return;
    const confirmed = await this.submit(await this.confirmation(address));
    if (confirmed.status >= 400) throw new Error(`${userid} could not be confirmed: ${confirmed.text}`);
  }

  /** The path of the page where this address is confirmed, as its letter says. */
  async confirmation(address) {
    return linkIn(await this.letter(address.split("@")[0], (one) => linkIn(one, "confirm")), "confirm");
  }

  /** Sends a mail over SMTP. */
  async mail({ from, to = ADDRESS, subject, body = "", headers = [], type = "text/plain; charset=utf-8" }) {
    const id = `<${Date.now()}.${Math.random().toString(36).slice(2)}@${from.split("@")[1]}>`;
    const head = [...this.place.trace(from), `From: ${from}`, `To: ${to}`, `Subject: ${subject}`, `Message-ID: ${id}`, `Date: ${new Date().toUTCString()}`, "MIME-Version: 1.0", `Content-Type: ${type}`, ...headers];
    const text = `${head.join("\r\n")}\r\n\r\n${body.replace(/\r?\n/g, "\r\n").replace(/^\./gm, "..")}\r\n.`;
    const [host, port] = this.smtp.split(":");
    const socket = createConnection(Number(port), host);
    const lines = replies(socket);
    const say = async (line, expected) => {
      if (line) socket.write(`${line}\r\n`);
      const reply = (await lines.next()).value ?? "";
      if (!reply.startsWith(expected)) throw new Error(`SMTP: ${line} was answered by ${reply}`);
    };
    await say("", "220");
    await say("HELO browser.example", "250");
    await say(`MAIL FROM:<${from}>`, "250");
    await say(`RCPT TO:<${to}>`, "250");
    await say("DATA", "354");
    await say(text, "250");
    socket.end("QUIT\r\n");
  }

  /** Letters that have come to this player since the last look, the oldest first. */
  async letters(name) {
    const found = [];
    for (const sent of await this.place.sent()) {
      const key = `${name} ${sent.name}`;
      if (this.read.has(key)) continue;
      const letter = readLetter(await sent.read());
      this.read.add(key);
      if (letter.to.includes(`${name}@`)) found.push(letter);
    }
    return found;
  }

  /** The next letter to this player that this holds for. */
  letter(name, wanted) {
    return until(`a letter to ${name}`, async () => (await this.letters(name)).find(wanted));
  }
}

/** The lines that end a reply, one after the other. */
async function* replies(socket) {
  let rest = "";
  for await (const piece of socket) {
    rest += piece;
    for (let end; (end = rest.indexOf("\r\n")) >= 0; rest = rest.slice(end + 2)) {
      const line = rest.slice(0, end);
      if (line[3] !== "-") yield line;
    }
  }
}

async function succeed(child, name) {
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}
