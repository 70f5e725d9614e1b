// Where a server of the tests runs, and how it is reached: its own folder on the loopback, or the deployed profile.
import { spawn } from "node:child_process";
import { chmod, chown, copyFile, link, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { until } from "./waiting.mjs";
import { MailServer, NameServer } from "./outside.mjs";

const PROGRAM = process.env.KNOTPOST_BIN;
/** Whether the tests run in the deployed profile. */
export const DEPLOYED = process.env.KNOTPOST_BROWSER_DEPLOYED === "yes";
/** The name of the site in the profile; Chromium is told that it is this machine. */
export const SITE = "play.knotpost.example";

/** One folder for everything; settings come from the environment, and mail stays in the folder. */
class Folder {
  static async make(root, settings) {
    return Object.assign(new Folder(), { root, settings: { LIMITS__ENABLED: "false", ...settings } });
  }

  get data() {
    return join(this.root, "data");
  }

  confirms() {
    return this.settings.ACCOUNTS__CONFIRM_ADDRESSES === "on";
  }

  start(words, stdio) {
    const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("KNOTPOST_"));
    const settings = Object.entries({ ...this.settings, SERVER__DATA: this.data });
    const env = Object.fromEntries([...clean, ...settings.map(([name, value]) => [`KNOTPOST_${name}`, value])]);
    return spawn(PROGRAM, words, { cwd: this.root, env, stdio });
  }

  /** A command of this machine on the same files. */
  startBeside(command, words) {
    return spawn(command, words, { stdio: ["ignore", "inherit", "inherit"] });
  }

  /** Where browsers find the server with this process id that listens there. */
  async publish(id, address) {
    return { site: `http://${address}`, address };
  }

  async retract() {}

  /** What clients say of themselves. */
  headersOf() {
    return {};
  }

  /** What a mail server on the way writes above a mail. */
  trace() {
    return [];
  }

  /** Every mail that has left, the oldest first, each with a name. */
  async sent() {
    const box = join(this.data, "mail/out/new");
    const files = (await readdir(box).catch(() => [])).sort();
    return files.map((name) => ({ name, read: () => readFile(join(box, name)) }));
  }

  close() {}
}

/** nobody, who owns nothing. */
const NOBODY = 65534;
/** Networks for examples (RFC 5737): clients of the proxy, and of the relay. */
const [BROWSERS, WRITERS] = ["203.0.113.", "198.51.100."];

/**
 * The profile: limits are on and addresses must be confirmed by default; an ordinary user, umask 022, `/` as working
 * folder; the configuration in a folder that the server may only read; a relay that brings and takes mail; nginx with
 * the settings for operators in front.
 */
class Deployment {
  static async make(root, settings) {
    const place = Object.assign(new Deployment(), { root, mails: await MailServer.open(), names: await NameServer.open() });
    place.port = await freePort();
    place.settings = {
      ...settings,
      SERVER__DATA: place.data,
      SERVER__PUBLIC_URL: `http://${SITE}:${place.port}`,
      HTTP__TRUSTED_PROXIES: "127.0.0.1",
      SMTP__RELAYS: "127.0.0.1",
      MAIL__TRANSPORT: `smtp://${place.mails.address}`,
      INBOUND__DNS: place.names.address,
    };
    // Whoever runs it may not look into the folder that the program was built in.
    await chmod(root, 0o755);
    place.program = join(root, "knotpost");
    await link(PROGRAM, place.program).catch(() => copyFile(PROGRAM, place.program));
    await Promise.all(["etc", "var", "nginx"].map((folder) => mkdir(join(root, folder), { mode: 0o755 })));
    const file = join(root, "etc/knotpost.toml");
    await writeFile(file, toml(place.settings), { mode: 0o640 });
    if (isRoot) {
      await chown(join(root, "var"), NOBODY, NOBODY);
      await chown(file, 0, NOBODY);
    }
    return place;
  }

  get data() {
    return join(this.root, "var/knotpost");
  }

  confirms() {
    return true;
  }

  start(words, stdio) {
    return this.startAs(this.program, ["--config", join(this.root, "etc/knotpost.toml"), ...words], stdio);
  }

  startBeside(command, words) {
    return this.startAs(command, words, ["ignore", "inherit", "inherit"]);
  }

  /** As the server's user. */
  startAs(program, words, stdio) {
    const user = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : ["env"];
    const [first, ...rest] = [...user, "sh", "-c", 'umask 022; exec "$@"', "sh", program, ...words];
    return spawn(first, rest, { cwd: "/", env: { PATH: process.env.PATH }, stdio });
  }

  /** Puts nginx in front; it is one process, so that it ends when it is killed. */
  async publish(id, upstream) {
    if ((await stat(`/proc/${id}`)).uid === 0) throw new Error("the server is a process of root");
    const address = `127.0.0.1:${this.port}`;
    const folder = join(this.root, "nginx");
    let settings = await readFile(new URL("../../deploy/nginx.conf", import.meta.url), "utf8");
    const bodies = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`);
    for (const [own, here] of [
      ["listen 8080;", `listen ${address};`],
      ["knotpost-1:8080", upstream],
      ["knotpost-2:8080", upstream],
      ["http {", `http {\n${bodies.join("\n")}`],
    ]) {
      if (!settings.includes(own)) throw new Error(`deploy/nginx.conf has no ${own}`);
      settings = settings.replace(own, here);
    }
    await writeFile(join(folder, "nginx.conf"), settings);
    const globals = `daemon off; master_process off; error_log ${folder}/log; pid ${folder}/pid;`;
    this.nginx = spawn("nginx", ["-e", `${folder}/log`, "-c", `${folder}/nginx.conf`, "-g", globals], { stdio: ["ignore", "inherit", "inherit"] });
    this.nginxEnded = once(this.nginx, "exit");
    process.once("exit", () => this.nginx.kill("SIGKILL"));
    await until("nginx", async () => {
      if (this.nginx.exitCode !== null) throw new Error(`nginx ended: ${await readFile(`${folder}/log`, "utf8").catch(() => "")}`);
      return fetch(`http://${address}/healthz`).catch(() => null);
    });
    return { site: this.settings.SERVER__PUBLIC_URL, address };
  }

  async retract() {
    this.nginx?.kill("SIGKILL");
    await this.nginxEnded;
  }

  /** Another proxy further out has named the client. */
  headersOf(who) {
    return { "x-forwarded-for": BROWSERS + numberOf(who) };
  }

  /** The relay tells from where it got a mail. */
  trace(from) {
    return [`Received: from client.example ([${WRITERS}${numberOf(from)}]) by mx.knotpost.example with ESMTPS; ${new Date().toUTCString()}`];
  }

  async sent() {
    return this.mails.taken.map((bytes, index) => ({ name: String(index), read: () => bytes }));
  }

  close() {
    this.mails.close();
    this.names.close();
  }
}

const isRoot = process.getuid() === 0;

/** From 1 to 250, the same for the same name. */
function numberOf(name) {
  return 1 + ([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 250);
}

/** Settings named as in the environment, as a file. */
function toml(settings) {
  const sections = {};
  for (const [name, value] of Object.entries(settings)) {
    const [section, key] = name.toLowerCase().split("__");
    (sections[section] ??= []).push(`${key} = ${JSON.stringify(value)}`);
  }
  return Object.entries(sections).map(([section, lines]) => `[${section}]\n${lines.join("\n")}\n`).join("\n");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A new place with these settings, named as in the environment. */
export async function makePlace(settings) {
  const root = await mkdtemp(join(tmpdir(), "knotpost-browser-"));
  return (DEPLOYED ? Deployment : Folder).make(root, settings);
}

/** Removes a place whose server has ended. */
export async function removePlace(place) {
  place.close();
  await rm(place.root, { recursive: true, force: true });
}
