// As much of MIME as it takes to read our own letters: header fields and the plain text.

/** The fields and the plain text of a letter. */
export function readLetter(bytes) {
  const { fields, body } = split(bytes.toString("latin1"));
  return {
    to: fields.to ?? "",
    subject: words(fields.subject ?? ""),
    replyTo: (fields["reply-to"] ?? fields.from ?? "").replace(/.*<|>.*/g, ""),
    leaving: fields["list-unsubscribe"] ?? "",
    text: plain(fields, body) ?? "",
  };
}

/** The path of the page of this kind that a letter leads to, if it does: `confirm`, `reset`, `magic`, `unsubscribe`. */
export function linkIn(letter, kind) {
  return new RegExp(`https?://[^/\\s]+(/${kind}/[^\\s>]+)`).exec(letter.leaving + letter.text)?.[1];
}

function split(text) {
  const [, head, body] = /^([^]*?)\r?\n\r?\n([^]*)$/.exec(text) ?? ["", text, ""];
  const fields = {};
  for (const line of head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (name) fields[name.toLowerCase()] ??= value;
  }
  return { fields, body };
}

function plain(fields, body) {
  const type = fields["content-type"] ?? "text/plain";
  if (/^multipart\//i.test(type)) {
    const [, mark] = /boundary="?([^";]+)"?/i.exec(type) ?? [];
    for (const piece of body.split(`--${mark}`).slice(1, -1)) {
      const part = split(piece.replace(/^\r?\n/, ""));
      const text = plain(part.fields, part.body);
      if (text !== undefined) return text;
    }
    return undefined;
  }
  if (!/^text\/plain/i.test(type)) return undefined;
  const coding = (fields["content-transfer-encoding"] ?? "").toLowerCase();
  const bytes = coding === "base64" ? Buffer.from(body, "base64") : Buffer.from(coding === "quoted-printable" ? unquoted(body) : body, "latin1");
  return bytes.toString("utf8").replace(/\r\n/g, "\n");
}

function unquoted(text) {
  return text.replace(/=\r?\n/g, "").replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

/** Encoded words of a field (RFC 2047). */
function words(field) {
  return field.replace(/=\?utf-8\?([bq])\?([^?]*)\?=(\s+(?==\?))?/gi, (_, kind, text) =>
    Buffer.from(kind.toLowerCase() === "b" ? text : unquoted(text.replace(/_/g, " ")), kind.toLowerCase() === "b" ? "base64" : "latin1").toString("utf8"));
}
