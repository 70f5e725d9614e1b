#!/usr/bin/env python3
"""Pictures of the server's mails as browsers show them, for people to look at.

    screenshots.py KNOTPOST FOLDER    play a little with this program on a
                                      server of its own, then photograph what
                                      its players were mailed: wide, narrow,
                                      dark, and with pictures blocked

Needs Chromium. Nothing is judged here but that there is something to see.
"""

import base64
import email.policy
import html
import json
import mailbox
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PLAYERS = ("ann", "bob", "cleo")
GAMES = {"osbox": "", "osbo": "", "obsidio": "", "boxilies": ""}
MOVES = 7
WIDTHS = {"wide": 1000, "narrow": 360}


class Server:
    """A server on a folder of its own, its mail in a Maildir."""

    def __init__(self, program: str, folder: pathlib.Path):
        self.data = folder / "data"
        settings = {
            "SERVER__DATA": str(self.data),
            "SERVER__ADDRESS": "games@knotpost.example",
            "HTTP__LISTEN": "127.0.0.1:0",
            "SMTP__LISTEN": "127.0.0.1:0",
            "LIMITS__ENABLED": "false",
        }
        environment = {name: value for name, value in os.environ.items() if not name.startswith("KNOTPOST_")}
        environment.update({f"KNOTPOST_{name}": value for name, value in settings.items()})
        self.process = subprocess.Popen([program, "serve"], env=environment, cwd=folder)
        ports = self.data / "ports.json"
        for _ in range(300):
            if ports.exists():
                break
            time.sleep(0.1)
        self.http = json.loads(ports.read_text())["http"]

    def ask(self, path: str, command: str | None = None, body: str = "") -> dict:
        data = None if command is None else json.dumps({"command": command, "body": body}).encode()
        request = urllib.request.Request(f"http://{self.http}{path}", data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            sys.exit(f"screenshots: {command or path}: {refused.read().decode()}")

    def say(self, command: str, body: str = "") -> dict:
        return self.ask("/commands", command, body)

    def mails(self, count: int) -> list:
        box = self.data / "mail" / "out"
        for _ in range(600):
            found = list((box / "new").glob("*")) if box.exists() else []
            if len(found) >= count:
                break
            time.sleep(0.1)
        factory = lambda file: email.message_from_binary_file(file, policy=email.policy.default)
        return sorted(mailbox.Maildir(box, factory=factory, create=False), key=lambda mail: str(mail["date"]))

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def play(server: Server) -> None:
    for name in PLAYERS:
        server.say(f"signup {name} {name}-secret {name}@{name}.example")
    for game, options in GAMES.items():
        server.say(f"{game} challenge ann bob {options}", "Shall we?\nGood luck!")
        for turn in range(MOVES):
            sheet = server.say(f"{game} show 101")["replies"][0]["text"]
            mover = re.search(r"^It is (\w+)'s turn", sheet, re.MULTILINE)
            example = re.search(rf"{game} move 101 \w+ PASSWORD (\S+)", sheet)
            if mover is None or example is None:
                break
            words = "A longer thought, which goes on for a while, about where this ribbon leads." if turn == MOVES - 1 else ""
            server.say(f"{game} move 101 {mover[1]} {mover[1]}-secret {example[1]}", words)


def page_of(mail, with_pictures: bool) -> str | None:
    page = mail.get_body(("html",))
    if page is None:
        return None
    text = page.get_content()
    for part in mail.walk():
        if part.get_content_type() == "image/png":
            name = part["content-id"].strip("<> \n")
            data = base64.b64encode(part.get_payload(decode=True)).decode()
            text = text.replace(f"cid:{name}", f"data:image/png;base64,{data}" if with_pictures else "cid:gone")
    return text


def photograph(page: str, picture: pathlib.Path, width: int, dark: bool) -> None:
    with tempfile.TemporaryDirectory() as place:
        # The smallest window of a browser is wider than a phone: the mail stands in a frame.
        inner = pathlib.Path(place) / "mail.html"
        inner.write_text(page, encoding="utf-8")
        outer = pathlib.Path(place) / "frame.html"
        outer.write_text(
            f'<meta name="color-scheme" content="{"dark" if dark else "light"}"><body style="margin:0">'
            f'<iframe src="mail.html" style="border:0;width:{width}px;height:2400px"></iframe>',
            encoding="utf-8",
        )
        command = [
            shutil.which("chromium") or "chromium", "--headless", "--no-sandbox", "--disable-gpu",
            "--hide-scrollbars", "--allow-file-access-from-files", f"--window-size={max(width, 500)},2400",
            f"--user-data-dir={place}/profile", f"--screenshot={picture}",
        ]
        command += ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
        subprocess.run([*command, outer.as_uri()], check=True, timeout=120, capture_output=True)


def main() -> None:
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        server = Server(program, pathlib.Path(place))
        try:
            play(server)
            time.sleep(3)
            mails = server.mails(len(PLAYERS) + len(GAMES) * 2)
        finally:
            server.stop()
    chosen = {}
    for mail in mails:
        kind = re.sub(r"[^a-z0-9]+", "-", str(mail["subject"]).lower()).strip("-")
        if str(mail["to"]).startswith("ann") or kind.startswith("welcome"):
            chosen[kind] = mail
    for kind, mail in chosen.items():
        page = page_of(mail, True)
        if page is None:
            sys.exit(f"screenshots: {kind} has no page")
        (folder / f"{kind}.html").write_text(page, encoding="utf-8")
        (folder / f"{kind}.txt").write_text(mail.get_body(("plain",)).get_content(), encoding="utf-8")
        for name, width in WIDTHS.items():
            for dark in (False, True):
                photograph(page, folder / f"{kind}-{name}{'-dark' if dark else ''}.png", width, dark)
        photograph(page_of(mail, False), folder / f"{kind}-blocked.png", 600, False)
        text = f'<pre style="font:16px/1.4 sans-serif;white-space:pre-wrap">{html.escape((folder / f"{kind}.txt").read_text())}</pre>'
        photograph(text, folder / f"{kind}-text.png", 600, False)
    print(f"{len(chosen)} mails in {folder}")


main()
