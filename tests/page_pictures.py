#!/usr/bin/env python3
"""Pictures of every page, narrow and wide, light and dark, to be looked at.

    tests/page_pictures.py PROGRAM FOLDER

PROGRAM is a built `knotpost`. It is started on a folder of its own and stopped again; the pictures go into FOLDER.
Needs chromium and chromium-driver (Debian). Says which pages scroll sideways, which none should.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

WIDTHS = {"narrow": 390, "wide": 1280}
GAMES = {
    "osbox": ["f1", "e9", "d2", "o10", "k3", "a11"],
    "osbo": [],
    "obsidio": ["c3", "swap"],
    "boxilies": [None, None],
}
PAGES = {
    "home": "/", "osbox-choose": "/boards/osbox/101", "osbox-entry": "/boards/osbox/101?choose=f",
    "osbox-preview": "/boards/osbox/101?choose=f2", "osbo": "/boards/osbo/101", "obsidio": "/boards/obsidio/101",
    "boxilies": "/boards/boxilies/101", "rules": "/games/osbo", "challenge": "/challenge?game=osbox",
    "standings": "/standings/osbox", "user": "/users/ann", "settings": "/settings", "help": "/help/tutorial",
}
ADMINISTRATION = {
    "admin": "/admin", "admin-boards": "/admin/boards", "admin-board": "/admin/boards/osbox/101",
    "admin-eyes": "/admin/boards/boxilies/101?seat=1", "admin-users": "/admin/users", "admin-user": "/admin/users/bob",
    "admin-inbox": "/admin/inbox", "admin-received": "/admin/inbox/1", "admin-outbox": "/admin/outbox",
    "admin-outgoing": "/admin/outbox/1", "admin-jobs": "/admin/jobs", "admin-audit": "/admin/audit",
    "admin-broadcast": "/admin/broadcast", "admin-refused": "/admin/users/nobody", "paused": "/boards/obsidio/101",
}
STRANGERS = {"login": "/login", "signup": "/signup", "start": "/"}


def ask(url, data=None, method=None):
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def command(site, line, body=""):
    try:
        ask(site + "/commands", {"command": line, "body": body})
    except urllib.error.HTTPError as error:
        sys.exit(f"{line}: {error.read().decode()}")


def play(site):
    for name in ("ann", "bob"):
        command(site, f"signup {name} {name}-secret {name}@{name}.example")
    for game, moves in GAMES.items():
        command(site, f"{game} challenge ann bob", "Have fun!")
        for turn, move in enumerate(moves):
            name = ("ann", "bob")[turn % 2]
            if move is None:  # the stones are dealt
                legal = ask(f"{site}/api/v1/boards/{game}/101/legal")["legal"]
                move = legal[(turn * 57 + 20) % len(legal)]
            command(site, f"{game} move 101 {name} {name}-secret {move}", "Your turn." if turn == 1 else "")
    command(site, "osbox chat 101 bob bob-secret", "Nice knot. I had not seen that one coming.")


def administer(program, place):
    """Makes ann an administrator, and gives the administration something to show."""
    mail = "From: ann@ann.example\nTo: pbmserv@localhost\nSubject: osbox mvoe 101 ann ann-secret g3\n\nSee you!\n"
    subprocess.run([program, "deliver"], cwd=place, input=mail, text=True, check=True)
    for words in ("user grant ann", "board pause obsidio 101 --why Asked-for-by-both.", "user suspend nobody"):
        subprocess.run([program, "admin", *words.split()], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)


class Browser:
    def __init__(self, driver):
        arguments = ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
        wish = {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}
        self.url = driver + "/session/" + ask(driver + "/session", {"capabilities": wish})["value"]["sessionId"]

    def devtools(self, command, **parameters):
        return ask(self.url + "/goog/cdp/execute", {"cmd": command, "params": parameters})["value"]

    def script(self, text):
        return ask(self.url + "/execute/sync", {"script": text, "args": []})["value"]

    def open(self, page):
        ask(self.url + "/url", {"url": page})

    def look(self, width, scheme):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def picture(self):
        return base64.b64decode(self.devtools("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def close(self):
        ask(self.url, method="DELETE")


def take(browser, site, pages, folder):
    for width_name, width in WIDTHS.items():
        for scheme in ("light", "dark"):
            browser.look(width, scheme)
            for name, path in pages.items():
                browser.open(site + path)
                surplus = browser.script("return document.documentElement.scrollWidth - innerWidth")
                if surplus > 0:
                    print(f"{name} {width_name}: {surplus} px too wide")
                (folder / f"{name}-{width_name}-{scheme}.png").write_bytes(browser.picture())


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "knotpost.toml").write_text(
            '[http]\nlisten = "127.0.0.1:0"\n[smtp]\nlisten = ""\n[limits]\nenabled = false\n'
        )
        server = subprocess.Popen([program], cwd=place, stdout=subprocess.DEVNULL)
        driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            port = next(found for line in driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))
            ports = place / "data/ports.json"
            while not ports.exists():
                time.sleep(0.1)
            site = "http://" + json.loads(ports.read_text())["http"]
            play(site)
            browser = Browser(f"http://127.0.0.1:{port.group(1)}")
            take(browser, site, STRANGERS, folder)
            browser.open(site + "/login")
            browser.script(
                "userid.value = 'ann'; password.value = 'ann-secret'; document.querySelector('form.card button').click()"
            )
            time.sleep(2)
            take(browser, site, PAGES, folder)
            administer(program, place)
            take(browser, site, ADMINISTRATION, folder)
            browser.close()
        finally:
            driver.terminate()
            server.terminate()
            server.wait(20)
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main()
