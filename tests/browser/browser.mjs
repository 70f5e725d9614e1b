// Chromium, and people who use it: each has a profile of their own, and everything odd that their pages do is noted.
import { createRequire } from "node:module";
import { join } from "node:path";
import { SITE } from "./places.mjs";
import { PATIENCE } from "./waiting.mjs";

// The packages lie outside of the sources.
export const packages = createRequire(join(process.env.KNOTPOST_BROWSER_PACKAGES, "package.json"));
const puppeteer = packages("puppeteer-core");

export const NARROW = { width: 360, height: 740 };
export const WIDE = { width: 1280, height: 800 };

/** Starts Chromium without a window; it reaches nothing but this machine. */
export function launch() {
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", `--host-resolver-rules=MAP ${SITE} 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost`, "--disable-features=HttpsUpgrades"],
  });
}

/** Each has a host of its own. */
let browsers = 0;

/** Somebody with a browser. */
export class Person {
  /** A new one, whom the server does not know; `scripts: false` for who switched scripts off. */
  static async arrive(chromium, server, { scripts = true, view = WIDE } = {}) {
    const person = new Person();
    Object.assign(person, { server, scripts, odd: [], loads: [] });
    person.context = await chromium.createBrowserContext();
    person.page = await person.context.newPage();
    await person.page.setViewport(view);
    await person.page.setJavaScriptEnabled(scripts);
    person.page.setDefaultTimeout(PATIENCE);
    await person.page.setExtraHTTPHeaders(server.place.headersOf(`browser ${(browsers += 1)}`));
    await person.watch();
    return person;
  }

  /** A player of the server, logged in. */
  static async of(chromium, server, userid, wishes) {
    const person = await Person.arrive(chromium, server, wishes);
    person.userid = userid;
    await person.open("/login");
    await person.fill({ userid, password: `${userid}-secret` });
    await person.press("Log in");
    return person;
  }

  /** Notes what no page of ours may do: run a script of a stranger, break its policy, ask another site, fail. */
  async watch() {
    const { page, odd } = this;
    page.on("dialog", (dialog) => {
      odd.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("pageerror", (error) => odd.push(`script: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && !/status of 4\d\d/.test(message.text()) && odd.push(`console: ${message.text()}`));
    page.on("request", (request) => {
      const url = request.url();
      this.loads.push(url);
      if (!url.startsWith(`${this.server.site}/`) && !url.startsWith("data:")) odd.push(`foreign request: ${url}`);
    });
    const devtools = await page.createCDPSession();
    await devtools.send("Network.enable");
    this.bytes = 0;
    devtools.on("Network.loadingFinished", ({ encodedDataLength }) => (this.bytes += encodedDataLength));
    await page.evaluateOnNewDocument(() => {
      window.canary = () => window.alert("canary");
      document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
  }

  async open(path) {
    const answer = await this.page.goto(this.server.site + path);
    return answer?.status();
  }

  /** Opens the mailbox with the key that the server printed; from then on a cookie stands for the key. */
  openMailbox() {
    return this.open(`/mailbox?key=${this.server.mailboxKey}`);
  }

  text(selector = "main") {
    return this.page.$eval(selector, (one) => one.innerText);
  }

  has(selector) {
    return this.page.$(selector).then((one) => one !== null);
  }

  /** Fills in fields by their names. */
  async fill(fields) {
    for (const [name, value] of Object.entries(fields)) {
      const field = await this.page.$(`main [name="${name}"]:not([type=hidden])`);
      const kind = await field.evaluate((one) => (one.tagName === "SELECT" ? "select" : one.type));
      if (kind === "select") await field.select(value);
      else if (kind === "checkbox" || kind === "radio") {
        const one = await this.page.$(`main [name="${name}"]${value === true ? "" : `[value="${value}"]`}`);
        if (!(await one.evaluate((box) => box.checked))) await one.click();
      } else {
        await field.evaluate((one) => (one.value = ""));
        await field.type(value);
      }
    }
  }

  /** Presses the button with this label and waits for the page that it leads to. */
  async press(label) {
    const button = await this.find("button, summary", label);
    await Promise.all([this.page.waitForNavigation({ waitUntil: "load" }), button.click()]);
  }

  /** Opens the folded part with this heading. */
  async unfold(label) {
    await (await this.find("summary", label)).click();
  }

  /** Turns to what the tab with this label shows beside a board. */
  async turnTo(label) {
    for (const tab of await this.page.$$(".tabs > label")) {
      if ((await tab.evaluate((one) => one.textContent.trim())).startsWith(label)) return tab.click();
    }
    throw new Error(`no tab '${label}' on ${this.page.url()}`);
  }

  /** Follows the link with this label. */
  async follow(label, within = "main") {
    const link = await this.find(`${within} a`, label);
    await Promise.all([this.page.waitForNavigation({ waitUntil: "load" }), link.click()]);
  }

  async find(selector, label) {
    for (const one of await this.page.$$(selector)) {
      if ((await one.evaluate((each) => each.textContent.trim())) === label) return one;
    }
    throw new Error(`no '${label}' on ${this.page.url()}:\n${await this.text("body")}`);
  }

  leave() {
    return this.context.close();
  }
}

/** What somebody sees while there is no network, for the worker neither. */
export async function offline(person, act) {
  const isWorker = (one) => one.type() === "service_worker" && one.url().startsWith(person.server.site) && one.browserContext() === person.context;
  const worker = await (await person.page.browser().waitForTarget(isWorker)).createCDPSession();
  const page = await person.page.createCDPSession();
  const conditions = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  const { odd } = person;
  for (const one of [worker, page]) {
    await one.send("Network.enable");
    await one.send("Network.emulateNetworkConditions", conditions);
  }
  try {
    await act();
  } finally {
    for (const one of [worker, page]) {
      await one.send("Network.emulateNetworkConditions", { ...conditions, offline: false }).catch(() => {});
      await one.detach().catch(() => {});
    }
    // That there is no network is told to the console.
    person.odd = odd.filter((line) => !/ERR_INTERNET_DISCONNECTED|Failed to fetch|ERR_FAILED/.test(line));
  }
}
