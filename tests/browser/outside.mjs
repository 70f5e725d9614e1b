// The world outside of a deployed server: a mail server that takes every mail, a name server that knows no name.
import { createServer } from "node:net";
import { createSocket } from "node:dgram";
import { once } from "node:events";

const REPLIES = { EHLO: "250-mx.home.example\r\n250-PIPELINING\r\n250 8BITMIME", DATA: "354 go on", QUIT: "221 2.0.0 bye" };

export class MailServer {
  static async open() {
    const mails = Object.assign(new MailServer(), { taken: [] });
    mails.server = createServer((socket) => {
      socket.on("error", () => {});
      socket.setNoDelay(true);
      mails.converse(socket).catch(() => socket.destroy());
    });
    mails.server.listen(0, "127.0.0.1");
    await once(mails.server, "listening");
    mails.address = `127.0.0.1:${mails.server.address().port}`;
    return mails;
  }

  async converse(socket) {
    const say = (line) => socket.write(`${line}\r\n`);
    say("220 mx.home.example ESMTP");
    let message = null;
    for await (const line of lines(socket)) {
      if (message === null) {
        const verb = line.slice(0, 4).toUpperCase();
        say(REPLIES[verb] ?? "250 2.0.0 fine");
        if (verb === "DATA") message = [];
        if (verb === "QUIT") return socket.end();
      } else if (line === ".") {
        this.taken.push(Buffer.from(message.join("\r\n"), "latin1"));
        message = null;
        say("250 2.0.0 taken");
      } else message.push(line.replace(/^\./, ""));
    }
  }

  close() {
    this.server.close();
  }
}

/** Byte by byte, without the ends of lines. */
async function* lines(socket) {
  let rest = "";
  for await (const piece of socket) {
    rest += piece.toString("latin1");
    const whole = rest.split("\r\n");
    rest = whole.pop();
    yield* whole;
  }
}

/** So that nothing is asked beyond this machine. */
export class NameServer {
  static async open() {
    const names = Object.assign(new NameServer(), { socket: createSocket("udp4") });
    names.socket.on("message", (query, { port, address }) => {
      // The question alone, up to the end of its name, its type and its class (RFC 1035, section 4.1.2).
      const question = query.subarray(12, query.indexOf(0, 12) + 5);
      // An answer to one question: there is no such name.
      const head = Buffer.from([query[0], query[1], 0x81, 0x83, 0, 1, 0, 0, 0, 0, 0, 0]);
      names.socket.send(Buffer.concat([head, question]), port, address);
    });
    names.socket.bind(0, "127.0.0.1");
    await once(names.socket, "listening");
    names.address = `127.0.0.1:${names.socket.address().port}`;
    return names;
  }

  close() {
    this.socket.close();
  }
}
