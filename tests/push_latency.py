#!/usr/bin/env python3
"""How long after a move its push is at the browser's push service, on an idle server.

    tests/push_latency.py PROGRAM [MOVES]

Starts the server with default settings in a folder of its own, subscribes a browser of each player at a push service that is
part of this program, and plays over HTTP, the next move as soon as the push about the last one is there. Prints
milliseconds from the answer to a move, which is sent once it is committed, and from its request. Nothing is asserted.
"""

import http.server
import pathlib
import queue
import sys
import tempfile
import threading
import time

from measuring import PATIENCE, Client, Server, told

# The receiver of RFC 8291, section 5.
KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}
PLAYERS = ("ann", "bob")

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


def play(client: Client, moves: int) -> tuple[list[float], list[float]]:
    """Plays board after board; returns the seconds from each answer, and from each request."""
    after_answer, after_request = [], []
    while len(after_answer) < moves:
        board = client.challenge(*PLAYERS)
        # Both are told of a new board, and of the end of the one before.
        while True:
            try:
                Service.arrivals.get(timeout=2)
            except queue.Empty:
                break
        state = {"state": "active", "to_move": ["ann"]}
        while len(after_answer) < moves:
            [mover] = state["to_move"]
            legal = client.json(f"/api/v1/boards/osbox/{board}/legal")
            line = f"osbox move {board} {mover} {mover}-secret {legal['legal'][0]}"
            begun = time.monotonic()
            client.command(line)
            answered = time.monotonic()
            state = client.json(f"/api/v1/boards/osbox/{board}")
            if state["state"] != "active":
                break
            whom, arrived = Service.arrivals.get(timeout=PATIENCE)
            if [whom] != state["to_move"]:
                sys.exit(f"a push for {whom} after a move of {mover}")
            after_answer.append(max(0.0, arrived - answered))
            after_request.append(arrived - begun)
    return after_answer, after_request


def main() -> None:
    program, moves = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 500
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as data, Server(str(program), data, WEBHOOKS__ALLOW_PRIVATE="true") as server:
        client = Client(server.address)
        for user in PLAYERS:
            client.command(f"signup {user} {user}-secret {user}@example.org")
            browser = Client(server.address)
            browser.form("/login", userid=user, password=f"{user}-secret")
            endpoint = f"http://127.0.0.1:{service.server_port}/{user}"
            browser.form("/settings", act="new_browser", endpoint=endpoint, **KEYS)
        after_answer, after_request = play(client, moves)
    service.shutdown()
    print(f"{len(after_answer)} pushes")
    print(told("from the answer", after_answer))
    print(told("from the request", after_request))


main()
