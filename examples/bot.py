#!/usr/bin/env python3
"""A program that plays every game of a Knotpost server; Python alone, nothing to install.

    python3 bot.py https://games.example KEY [--only GAME ...] [--games N]

KEY is a key with the scope `bot`, of an account whose owner has said that a program plays for it. The
program takes every challenge, makes a random legal move on each of its turns, and agrees to whatever is
proposed. With --only it declines challenges of other games, with --games N it ends after N games. Replace
`choose` by something better.
"""

import argparse
import http.client
import json
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT = 60  # The server says something every 15 seconds.
LATER = (429, 500, 502, 503, 504)  # Asking again helps.


class Server:
    def __init__(self, url: str, key: str):
        self.url = url.rstrip("/")
        self.key = key

    def open(self, path: str, body: object = None, headers: dict | None = None):
        headers = {"Authorization": f"Bearer {self.key}", **(headers or {})}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        return urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers), timeout=TIMEOUT)

    def ask(self, path: str, body: object = None) -> dict:
        """Asks until there is an answer; what the server refuses for good raises."""
        while True:
            try:
                with self.open(path, body) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code not in LATER:
                    raise
                time.sleep(int(error.headers.get("Retry-After", 5)))
            except (OSError, http.client.HTTPException):
                time.sleep(1)

    def act(self, game: str, number: int, what: str, body: object) -> None:
        """Does something on a board. Refused is what comes too late; another event tells what there is to do."""
        try:
            self.ask(f"/api/v1/boards/{game}/{number}/{what}", body)
        except urllib.error.HTTPError as error:
            print(f"{game} {number}: refused, {error.code} {error.read().decode(errors='replace')}", flush=True)

    def events(self):
        """Event after event, (name, data). Connects again whenever the connection ends; none is lost."""
        last = ""
        while True:
            try:
                with self.open("/api/v1/bot/events", headers={"Last-Event-ID": last} if last else {}) as stream:
                    name, data = "", ""
                    for line in stream:
                        field, _, value = line.decode().rstrip("\r\n").partition(": ")
                        if field == "event":
                            name = value
                        elif field == "data":
                            data = value
                        elif field == "id":
                            last = value
                        elif not field and data:  # An empty line ends an event.
                            yield name, json.loads(data)
                            name, data = "", ""
                time.sleep(1)
            except urllib.error.HTTPError as error:
                if error.code not in LATER:
                    sys.exit(f"the server refuses: {error.code} {error.read().decode(errors='replace')}")
                time.sleep(int(error.headers.get("Retry-After", 5)))
            except (OSError, http.client.HTTPException):
                time.sleep(1)


def choose(board: dict, options: list[str]) -> str:
    """One of these moves, or of these beginnings of moves. `board` has the position, the scores and all moves so far."""
    return random.choice(options)


def make_move(server: Server, place: str, board: dict) -> str | None:
    """A move; nothing when there is none to make."""
    legal = server.ask(f"{place}/legal")
    options = legal["legal"] or legal["words"]
    move = choose(board, options) if options else None
    # A move of Osbo has parts, of which some are listed at a time: `dice` tells how many it has.
    while move in legal["legal"] and "dice" in legal:
        legal = server.ask(f"{place}/legal?begun={urllib.parse.quote(move)}")
        if not legal["legal"]:
            break
        move = choose(board, legal["legal"])
    return move


def take_turn(server: Server, game: str, number: int, only: list[str]) -> None:
    if only and game not in only:
        # In the first round that declines the challenge.
        server.act(game, number, "moves", {"move": "resign"})
        return
    place = f"/api/v1/boards/{game}/{number}"
    try:
        board = server.ask(place)
        move = make_move(server, place, board) if board["state"] == "active" else None
    except urllib.error.HTTPError as error:
        # The board was taken away, or has changed while the move was made.
        print(f"{game} {number}: {error.code} {error.read().decode(errors='replace')}", flush=True)
        return
    if move:
        # With its number a move is made once, however often it is sent.
        server.act(game, number, "moves", {"move": move, "number": board["ply"] + 1})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("--only", nargs="+", metavar="GAME", default=[], help="play these games alone")
    parser.add_argument("--games", type=int, default=0, help="end after so many games")
    wanted = parser.parse_args()
    server = Server(wanted.url, wanted.key)
    finished = set()
    for name, data in server.events():
        game, number = data["game"], data["number"]
        print(f"{game} {number}: {name}, {data['ply']} moves", flush=True)
        if name == "turn":
            take_turn(server, game, number, wanted.only)
        elif name == "proposal":
            server.act(game, number, "moves", {"move": "accept"})
        elif name == "start":
            server.act(game, number, "chat", {"text": "Hello, I am a program."})
        elif name == "over":
            # An event may come twice.
            finished.add((game, number))
            if len(finished) == wanted.games:
                return


if __name__ == "__main__":
    main()
