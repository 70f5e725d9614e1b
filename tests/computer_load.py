#!/usr/bin/env python3
"""How long people's moves take while computer players think, beside a server on which none does.

    tests/computer_load.py PROGRAM [BOARDS [ROUNDS [LEVEL]]]

Two servers with default settings in folders of their own. On one, BOARDS boards wait for the move of a computer player; the
other has none. By turns one is stopped and people move on the other, four at a time. Prints milliseconds of their moves,
the ratio of the 99th percentiles, and the memory of both servers. Nothing is asserted.
"""

import pathlib
import re
import signal
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from measuring import Client, Server, part, told

PLAYERS = ("ann", "bob")
CLIENTS = 4
MOVES = 50


def play(server: Server) -> list[float]:
    """Plays the first moves of a new board; returns the seconds of each."""
    client = Client(server.address)
    board = client.challenge(*PLAYERS)
    seconds = []
    while len(seconds) < MOVES:
        state = client.json(f"/api/v1/boards/osbox/{board}")
        if state["state"] != "active":
            break
        [mover] = state["to_move"]
        legal = client.json(f"/api/v1/boards/osbox/{board}/legal")["legal"]
        line = f"osbox move {board} {mover} {mover}-secret {legal[len(seconds) % len(legal)]}"
        begun = time.monotonic()
        client.command(line)
        seconds.append(time.monotonic() - begun)
    return seconds


def measure(server: Server, other: Server) -> list[float]:
    other.process.send_signal(signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(CLIENTS) as people:
            return [one for seconds in people.map(play, [server] * CLIENTS) for one in seconds]
    finally:
        other.process.send_signal(signal.SIGCONT)


def memory(server: Server) -> str:
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    now, most = (int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) // 1024 for name in ("VmRSS", "VmHWM"))
    return f"{now} MiB now, {most} MiB at most"


def gauge(server: Server, name: str) -> int:
    """What one of the server's metrics without labels says; -1 where it is not told."""
    found = re.search(rf"^{name} (\d+)", Client(server.address).ask("GET", "/metrics")[1], re.MULTILINE)
    return int(found[1]) if found else -1


def main() -> None:
    program = str(pathlib.Path(sys.argv[1]).resolve())
    boards, rounds, level = (int(text) for text in (sys.argv[2:] + ["1000", "10", "8"][len(sys.argv) - 2 :]))
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        with Server(program, one) as without, Server(program, two) as beside:
            for server in (without, beside):
                client = Client(server.address)
                for user in PLAYERS:
                    client.command(f"signup {user} {user}-secret {user}@example.org")
            for _ in range(boards):
                client.challenge(f"knotbot-{level}", "ann")
            # What is measured is people beside thinking, not beside the mails of a thousand challenges.
            while gauge(beside, "knotpost_outbox_waiting") > 0:
                time.sleep(1)
            alone, busy, ratios = [], [], []
            for at in range(rounds + 1):
                pair = measure(without, beside), measure(beside, without)
                if at == 0:
                    continue  # The first round warms up both.
                alone += pair[0]
                busy += pair[1]
                ratios.append(part(pair[1], 0.99) / part(pair[0], 0.99))
            print(f"{boards} boards of level {level}, {len(busy)} moves of people on each side")
            print(told("no computer player", alone))
            print(told("beside computer players", busy))
            print(f"p99, by rounds: {statistics.median(ratios):.2f} times as long; of all: "
                  f"{part(busy, 0.99) / part(alone, 0.99):.2f} times")
            print(f"memory: {memory(without)}; beside computer players {memory(beside)}; still to move: "
                  f"{gauge(beside, 'knotpost_bot_turns_waiting')}")


main()
