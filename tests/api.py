#!/usr/bin/env python3
"""Holds the server to its own description of the API.

Starts a fresh server with players and boards of every game, and lets
schemathesis ask whatever `/api/openapi.json` describes: examples, what stands at
the edges of each schema, what is outside of them, and what chance makes of it.
Statuses, media types, header fields and bodies must be those described; what is
wrong must be refused, and nothing may fail in the server. The seed is fixed.
Before that a player switches their feeds on, and readers of Atom and iCalendar that
know nothing of us read them.

    tests/api.py [--examples N]      with N random requests for each address

KNOTPOST_BIN names the program, KNOTPOST_TEST_SCHEMATHESIS the folder with
schemathesis and icalendar (without it, Python must find them by itself).
"""

import argparse
import base64
import datetime
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import xml.etree.ElementTree

if folder := os.environ.get("KNOTPOST_TEST_SCHEMATHESIS"):
    sys.path.insert(0, folder)
ROOT = pathlib.Path(__file__).resolve().parent.parent
SEED = 1
# Whoever watches a board never gets to the end of the answer: `web/following.rs` tests it.
ENDLESS = "/api/v1/boards/{game}/{number}/events"
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
]
PLAYERS = ["ann", "bob", "ada"]
BOARDS = [
    ["osbox challenge -size=3 ann bob", "osbox move 101 ann ann-secret f1"],
    ["osbox challenge -size=4 ada bob", "osbox move 102 ada ada-secret resign"],
    ["osbo challenge ann ada"],
    ["obsidio challenge ada ann"],
    ["boxilies challenge ann bob"],
    ["osbox challenge ada ann bob"],
]


class Server:
    """A server on a folder of its own, with nothing of the caller's settings."""

    def __init__(self, program: str, folder: pathlib.Path):
        self.program, self.folder = program, folder
        self.settings = {name: value for name, value in os.environ.items() if not name.startswith("KNOTPOST_")}
        self.settings |= {
            "KNOTPOST_HTTP__LISTEN": "127.0.0.1:0",
            "KNOTPOST_SMTP__LISTEN": "127.0.0.1:0",
            "KNOTPOST_LIMITS__ENABLED": "false",
            "NO_COLOR": "1",
        }
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen([program], cwd=folder, env=self.settings, stdout=self.log, stderr=self.log)
        self.url = "http://" + self.ports()["http"]

    def ports(self) -> dict:
        place = self.folder / "data" / "ports.json"
        for _ in range(600):
            if place.exists() and place.read_text():
                return json.loads(place.read_text())
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        sys.exit(f"api: the server did not start:\n{(self.folder / 'log').read_text()}")

    def shell(self, *words: str, stdin: str = "") -> None:
        command = [self.program, *words]
        subprocess.run(command, cwd=self.folder, env=self.settings, check=True, input=stdin, text=True,
                       stdout=subprocess.DEVNULL)

    def post(self, path: str, body: bytes, headers: dict) -> bytes:
        request = urllib.request.Request(self.url + path, body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=30)


def basic(userid: str) -> str:
    return "Basic " + base64.b64encode(f"{userid}:{userid}-secret".encode()).decode()


def furnish(server: Server) -> str:
    """Players, boards, and the key of an administrator who plays as well."""
    for name in PLAYERS:
        server.shell("admin", "user", "add", name, f"{name}@example.org", stdin=f"{name}-secret\n")
    server.shell("admin", "user", "grant", "ada")
    for lines in BOARDS:
        for line in lines:
            server.post("/commands", line.encode(), {"Content-Type": "text/plain"})
    wish = json.dumps({"name": "everything", "scopes": ["read", "play", "admin"]}).encode()
    headers = {"Authorization": basic("ada"), "Content-Type": "application/json"}
    return json.loads(server.post("/api/v1/tokens", wish, headers))["token"]


def ask(server: Server, examples: int, checks: list[str], *more: str) -> int:
    """Lets schemathesis loose on the server; returns its exit code."""
    settings = dict(os.environ)
    if folder := settings.get("KNOTPOST_TEST_SCHEMATHESIS"):
        settings["PYTHONPATH"] = folder
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/api/openapi.json",
        "--checks", ",".join(checks), "--phases", "examples,coverage,fuzzing",
        "--max-examples", str(examples), "--seed", str(SEED), "--generation-database", "none",
        "--suppress-health-check", "all", "--request-timeout", "20", "--exclude-path", ENDLESS,
        "--warnings", "off", "--no-color", *more,
    ]
    return subprocess.run(command, cwd=server.folder, env=settings, stdin=subprocess.DEVNULL).returncode


def log_in(server: Server, userid: str) -> urllib.request.OpenerDirector:
    """A browser without scripts that somebody has logged in with."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.addheaders = [("Origin", server.url)]
    fill_in(browser, f"{server.url}/login", userid=userid, password=f"{userid}-secret")
    return browser


def fill_in(browser: urllib.request.OpenerDirector, page: str, **fields: str) -> str:
    with browser.open(page, urllib.parse.urlencode(fields).encode(), timeout=30) as answer:
        return answer.read().decode()


def read_feeds(server: Server) -> None:
    """A player's feeds, as a feed reader and a calendar read them."""
    import icalendar

    page = fill_in(log_in(server, "bob"), f"{server.url}/settings", act="new_feeds")
    places = re.findall(r'readonly value="[^"]*(/api/v1/users/bob/[^"]*)"', html.unescape(page))
    turns, deadlines = (urllib.request.urlopen(server.url + place, timeout=30).read() for place in places)
    atom = "{http://www.w3.org/2005/Atom}"
    feed = xml.etree.ElementTree.fromstring(turns)
    entries = feed.findall(f"{atom}entry")
    calendar = icalendar.Calendar.from_ical(deadlines)
    events = calendar.walk("VEVENT")
    assert len(entries) == len(events) == 1, (turns, deadlines)
    for element in [feed, *entries]:
        for name in ["id", "title", "updated"]:
            assert len(element.findall(atom + name)) == 1 and element.find(atom + name).text, name
        datetime.datetime.strptime(element.find(f"{atom}updated").text, "%Y-%m-%dT%H:%M:%SZ")
        assert element.find(f"{atom}link[@rel='alternate']").get("href")
    assert feed.find(f"{atom}author/{atom}name").text
    event, [alarm] = events[0], events[0].walk("VALARM")
    days = (event.start - event["DTSTAMP"].dt).total_seconds() / 86400
    assert event.start.tzname() == "UTC" and days == 21, event
    assert not calendar.errors and not event.errors and not alarm.errors
    assert alarm["TRIGGER"].dt == datetime.timedelta(days=-1)
    assert event["URL"] == entries[0].find(f"{atom}link").get("href")
    print("a feed reader and a calendar read what waits for a player")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--examples", type=int, default=4)
    arguments.add_argument("--only", help="one path")
    options = arguments.parse_args()
    program = os.environ.get("KNOTPOST_BIN")
    if not program:
        target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
        program = str(pathlib.Path(target).resolve() / "debug" / "knotpost")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="knotpost-api."))
    server = Server(program, folder)
    try:
        key = furnish(server)
        read_feeds(server)
        only = ["--include-path", options.only] if options.only else []
        failed = ask(server, options.examples, CHECKS, "-H", f"Authorization: Bearer {key}", *only)
        if not options.only:
            # Keys are made and ended with the password alone.
            # Without one nobody gets at them; the administration is not even there, which `web/keys.rs` tests.
            checks = [*CHECKS, "ignored_auth"]
            failed |= ask(server, options.examples, checks, "--include-tag", "Keys", "-H", f"Authorization: {basic('ada')}")
    finally:
        stopped = server.stop()
    if failed or stopped:
        print(f"api: the server ended with {stopped}; its log and data are in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
