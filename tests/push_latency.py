#!/usr/bin/env python3
"""How long after a move its push is at the browser's push service, on an idle server.

    tests/push_latency.py PROGRAM [MOVES]

Starts the server with default settings in a folder of its own, subscribes a browser of each player at a push service that is
part of this program, and plays over HTTP, the next move as soon as the push about the last one is there. Prints
milliseconds from the answer to a move, which is sent once it is committed, and from its request. Nothing is asserted.
"""

import http.client
import http.server
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

# The receiver of RFC 8291, section 5.
KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}
PLAYERS = ("ann", "bob")
PATIENCE = 20


class Service(http.server.BaseHTTPRequestHandler):
    """A push service: notes when a message begins to arrive, and for whom."""

    arrivals: "queue.Queue[tuple[str, float]]" = queue.Queue()

    def do_POST(self) -> None:
        now = time.monotonic()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.arrivals.put((self.path.strip("/"), now))

    def log_message(self, *_) -> None:
        pass


class Client:
    """One connection that stays open."""

    def __init__(self, address: str):
        self.connection = http.client.HTTPConnection(address, timeout=PATIENCE)
        self.cookie = ""

    def ask(self, method: str, path: str, body: str = "", kind: str = "text/plain") -> tuple[int, str]:
        headers = {"Content-Type": kind, "Accept": "application/json", "Sec-Fetch-Site": "same-origin"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        self.connection.request(method, path, body.encode(), headers)
        answer = self.connection.getresponse()
        if set_cookie := answer.getheader("Set-Cookie"):
            self.cookie = set_cookie.split(";")[0]
        return answer.status, answer.read().decode()

    def form(self, path: str, **fields: str) -> None:
        body = urllib.parse.urlencode(fields)
        status, text = self.ask("POST", path, body, "application/x-www-form-urlencoded")
        if status not in (200, 303):
            sys.exit(f"{path}: {status} {text[:400]}")

    def command(self, line: str) -> None:
        status, text = self.ask("POST", "/commands", line)
        if status != 200:
            sys.exit(f"{line}: {status} {text[:400]}")


def start(program: str, data: str) -> tuple[subprocess.Popen, str]:
    settings = {
        "KNOTPOST_SERVER__DATA": data,
        "KNOTPOST_HTTP__LISTEN": "127.0.0.1:0",
        "KNOTPOST_SMTP__LISTEN": "",
        "KNOTPOST_WEBHOOKS__ALLOW_PRIVATE": "true",
        "KNOTPOST_LIMITS__ENABLED": "false",
        "KNOTPOST_LOG__LEVEL": "warn",
    }
    command = [program, "serve"]
    server = subprocess.Popen(command, env={**os.environ, **settings}, cwd=data, stdout=subprocess.PIPE, text=True)
    for line in server.stdout:
        if found := re.search(r"Web page\s+http://(\S+?)/", line):
            threading.Thread(target=server.stdout.read, daemon=True).start()
            return server, found[1]
    sys.exit("the server ended at its start")


def play(client: Client, moves: int) -> tuple[list[float], list[float]]:
    """Plays board after board; returns the seconds from each answer, and from each request."""
    after_answer, after_request = [], []
    while len(after_answer) < moves:
        client.command("osbox challenge ann bob -size=6")
        # Both are told of a new board, and of the end of the one before.
        while True:
            try:
                Service.arrivals.get(timeout=2)
            except queue.Empty:
                break
        boards = json.loads(client.ask("GET", "/api/v1/boards?game=osbox&state=active")[1])
        board = max(one["number"] for one in boards["boards"])
        state = {"state": "active", "to_move": ["ann"]}
        while len(after_answer) < moves:
            [mover] = state["to_move"]
            legal = json.loads(client.ask("GET", f"/api/v1/boards/osbox/{board}/legal")[1])
            line = f"osbox move {board} {mover} {mover}-secret {legal['legal'][0]}"
            begun = time.monotonic()
            client.command(line)
            answered = time.monotonic()
            state = json.loads(client.ask("GET", f"/api/v1/boards/osbox/{board}")[1])
            if state["state"] != "active":
                break
            whom, arrived = Service.arrivals.get(timeout=PATIENCE)
            if [whom] != state["to_move"]:
                sys.exit(f"a push for {whom} after a move of {mover}")
            after_answer.append(max(0.0, arrived - answered))
            after_request.append(arrived - begun)
    return after_answer, after_request


def told(name: str, seconds: list[float]) -> str:
    ordered = sorted(seconds)
    part = lambda share: 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return f"{name:<16} p50 {part(0.5):6.1f}  p90 {part(0.9):6.1f}  p99 {part(0.99):6.1f}  worst {1000 * ordered[-1]:6.1f} ms"


def main() -> None:
    program, moves = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 500
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as data:
        server, address = start(str(program), data)
        try:
            client = Client(address)
            for user in PLAYERS:
                client.command(f"signup {user} {user}-secret {user}@example.org")
                browser = Client(address)
                browser.form("/login", userid=user, password=f"{user}-secret")
                endpoint = f"http://127.0.0.1:{service.server_port}/{user}"
                browser.form("/settings", act="new_browser", endpoint=endpoint, **KEYS)
            after_answer, after_request = play(client, moves)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)
            service.shutdown()
    print(f"{len(after_answer)} pushes")
    print(told("from the answer", after_answer))
    print(told("from the request", after_request))


main()
