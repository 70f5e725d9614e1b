// A real server on a folder of its own: started, asked, mailed to, its letters read, stopped by its process id.
import { spawn, execFile } from "node:child_process";
import { createConnection } from "node:net";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { once } from "node:events";
import { until } from "./waiting.mjs";
import { linkIn, readLetter } from "./letter.mjs";

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const run = promisify(execFile);
export const PROGRAM = process.env.KNOTPOST_BIN;
export const ADDRESS = "games@knotpost.example";

const SETTINGS = {
  SERVER__ADDRESS: ADDRESS,
  HTTP__LISTEN: "127.0.0.1:0",
  SMTP__LISTEN: "127.0.0.1:0",
  LIMITS__ENABLED: "false",
  INBOUND__KEEP_RAW: "all",
};

export class Server {
  /** Starts one on an empty folder, with settings named as its environment names them. */
  static async start(settings = {}) {
    const server = new Server();
    server.settings = settings;
    server.place = await mkdtemp(join(tmpdir(), "knotpost-browser-"));
    server.read = new Set();
    await server.resume();
    return server;
  }

  /** Starts the same server once more, after `halt`. */
  async resume() {
    this.process = spawn(PROGRAM, ["serve"], { cwd: this.place, env: this.environment(), stdio: ["ignore", "ignore", "pipe"] });
    this.log = "";
    this.process.stderr.on("data", (piece) => (this.log += piece));
    this.ended = once(this.process, "exit");
    // However the tests end, the server ends with them.
    process.once("exit", () => this.process.kill("SIGKILL"));
    const ports = join(this.data, "ports.json");
    const listening = await until("the server to be ready", async () => {
      if (this.process.exitCode !== null) throw new Error(`the server ended:\n${this.log}`);
      return JSON.parse(await readFile(ports, "utf8").catch(() => "null"));
    });
    this.site = `http://${listening.http}`;
    this.smtp = listening.smtp;
    this.mailboxKey = listening.mailbox_key;
  }

  get data() {
    return join(this.place, "data");
  }

  environment() {
    const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("KNOTPOST_"));
    const settings = Object.entries({ ...SETTINGS, ...this.settings, SERVER__DATA: this.data });
    return Object.fromEntries([...clean, ...settings.map(([name, value]) => [`KNOTPOST_${name}`, value])]);
  }

  /** Ends it cleanly; its folder stays. */
  async halt() {
    this.process.kill("SIGTERM");
    const late = setTimeout(() => this.process.kill("SIGKILL"), 15000);
    await this.ended;
    clearTimeout(late);
  }

  /** Ends it and removes its folder. */
  async stop() {
    await this.halt();
    await rm(this.place, { recursive: true, force: true });
  }

  /** The program itself with these arguments, on the same folder. */
  async program(...words) {
    return (await run(PROGRAM, words, { cwd: this.place, env: this.environment() })).stdout;
  }

  /** A message for `knotpost deliver`, as a mail server would hand it in. */
  async deliver(message) {
    const child = spawn(PROGRAM, ["deliver", "--to", ADDRESS], { cwd: this.place, env: this.environment(), stdio: ["pipe", "ignore", "inherit"] });
    child.stdin.end(message);
    const [code] = await once(child, "exit");
    if (code !== 0) throw new Error(`deliver ended with ${code}`);
  }

  /** Changes the database directly: what no user can do, such as losing a mail. */
  async change(sql) {
    const script = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c: c.executescript(sys.argv[2])";
    await run("python3", ["-c", script, join(this.data, "knotpost.db"), sql]);
  }

  /** Carries out a command as a program would send it. */
  async command(command, body = "") {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${this.site}/commands`, { method: "POST", headers, body: JSON.stringify({ command, body }) });
    const json = await answer.json();
    if (!json.ok) throw new Error(`${command}: ${json.error.message}`);
    return json;
  }

  async get(path) {
    const answer = await fetch(this.site + path);
    return answer.json();
  }

  /** Signs up these players, their passwords being NAME-secret and their addresses NAME@NAME.example. */
  async signUp(...names) {
    for (const name of names) {
      await this.command(`signup ${name} ${name}-secret ${name}@${name}.example`);
      if (this.settings.ACCOUNTS__CONFIRM_ADDRESSES !== "on") continue;
      const letter = await this.letter(name, (one) => linkIn(one, "confirm"));
      await fetch(this.site + linkIn(letter, "confirm"), { method: "POST" });
    }
  }

  /** Sends a mail over SMTP. */
  async mail({ from, to = ADDRESS, subject, body = "", headers = [], type = "text/plain; charset=utf-8" }) {
    const id = `<${Date.now()}.${Math.random().toString(36).slice(2)}@${from.split("@")[1]}>`;
    const head = [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, `Message-ID: ${id}`, `Date: ${new Date().toUTCString()}`, "MIME-Version: 1.0", `Content-Type: ${type}`, ...headers];
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
    const box = join(this.data, "mail/out/new");
    const found = [];
    for (const file of (await readdir(box).catch(() => [])).sort()) {
      if (this.read.has(`${name} ${file}`)) continue;
      const letter = readLetter(await readFile(join(box, file)));
      this.read.add(`${name} ${file}`);
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
