"""What the scripts that measure a server share: a server in a folder of its own, clients, figures."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.parse

PATIENCE = 20


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

    def json(self, path: str):
        status, text = self.ask("GET", path)
        if status != 200:
            sys.exit(f"{path}: {status} {text[:400]}")
        return json.loads(text)

    def form(self, path: str, **fields: str) -> None:
        body = urllib.parse.urlencode(fields)
        status, text = self.ask("POST", path, body, "application/x-www-form-urlencoded")
        if status not in (200, 303):
            sys.exit(f"{path}: {status} {text[:400]}")

    def command(self, line: str) -> str:
        status, text = self.ask("POST", "/commands", line)
        if status != 200:
            sys.exit(f"{line}: {status} {text[:400]}")
        return text

    def challenge(self, *players: str) -> int:
        """A new board of Osbox; its number."""
        return int(re.search(r"Osbox Board (\d+)", self.command(f"osbox challenge {' '.join(players)} -size=6"))[1])


class Server:
    """A server with default settings, but for limits and those given."""

    def __init__(self, program: str, data: str, **settings: str):
        settings = {
            "SERVER__DATA": data,
            "HTTP__LISTEN": "127.0.0.1:0",
            "SMTP__LISTEN": "",
            "LIMITS__ENABLED": "false",
            "LOG__LEVEL": "warn",
            **settings,
        }
        environment = {**os.environ, **{f"KNOTPOST_{name}": value for name, value in settings.items()}}
        self.process = subprocess.Popen(
            [program, "serve"], env=environment, cwd=data, stdout=subprocess.PIPE, text=True
        )
        for line in self.process.stdout:
            if found := re.search(r"Web page\s+http://(\S+?)/", line):
                self.address = found[1]
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return
        sys.exit("the server ended at its start")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


def part(seconds: list[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def told(name: str, seconds: list[float]) -> str:
    p50, p90, p99 = (1000 * part(seconds, share) for share in (0.5, 0.9, 0.99))
    return f"{name:<24} p50 {p50:7.2f}  p90 {p90:7.2f}  p99 {p99:7.2f}  worst {1000 * max(seconds):7.2f} ms"
