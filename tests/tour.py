#!/usr/bin/env python3
"""The tour of the README as data: its blocks, and what must come of them.

    tour.py blocks README              print the marked blocks in order
    tour.py check TOUR OUTPUT DATA     judge a finished tour: the script that
                                       ran, what it printed, the data folder

What is expected is computed from the README's own moves by `knotpost play`;
only the result is written down here a second time.
"""

import email.policy
import json
import mailbox
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^<!-- tour:(\d+) -->\n```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MATCH = re.compile(r"^match (\d+) \d+ (.+)$", re.MULTILINE)

PLAYERS = {"ann": "ann@example.org", "bob": "bob@example.org"}
SECRETS = ("ann-secret", "bob-secret")
WINNER, SCORES, MARGIN = 2, [4, 8], 4


def blocks(readme: pathlib.Path) -> str:
    """The marked blocks as one script; numbers must run from 1."""
    found = BLOCK.findall(readme.read_text(encoding="utf-8"))
    numbers = [int(number) for number, _ in found]
    if not numbers or numbers != list(range(1, len(numbers) + 1)):
        sys.exit(f"tour: the marks in {readme} are numbered {numbers}")
    return "\n".join(text for _, text in found)


class Judge:
    """Counts what is as it should be and prints what is not."""

    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, what: str, seen, expected) -> None:
        if seen == expected:
            self.passed += 1
        else:
            self.failed += 1
            print(f"tour: {what}: expected {expected!r}, saw {seen!r}")


def replay(moves: list[str]) -> list[dict]:
    """What the rules alone say of these moves, one entry for each ply."""
    command = ["knotpost", "play", "osbox", "-size=3", *moves, "--json"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in printed.splitlines()]


def read_mails(data: pathlib.Path) -> list:
    """All mails that left the server."""
    folder = mailbox.Maildir(data / "mail" / "out", create=False)
    return [email.message_from_bytes(folder.get_bytes(key), policy=email.policy.default) for key in folder.keys()]


def text_of(mail) -> str:
    return mail.get_body(preferencelist=("plain",)).get_content()


def reader_of(mail) -> str:
    return mail["To"].addresses[0].addr_spec


def mails_to(mails: list, address: str, subject: str) -> list:
    return [mail for mail in mails if reader_of(mail) == address and re.fullmatch(subject, mail["Subject"])]


def check_game(judge: Judge, mails: list, board: str, moves: list[str]) -> None:
    plies = replay(moves)
    last = plies[-1]
    judge.expect(f"board {board}: over", last["over"], True)
    judge.expect(f"board {board}: scores by the rules", last["scores"], SCORES)
    judge.expect(f"board {board}: winners by the rules", last["result"]["winners"], [WINNER])
    judge.expect(f"board {board}: a capture happened", any(ply["gain"] for ply in plies), True)

    for player, address in PLAYERS.items():
        new = mails_to(mails, address, rf"New Osbox Board {board} ann")
        after_moves = mails_to(mails, address, rf"Osbox Board {board}( \w+)?( \*\*)?")
        finals = mails_to(mails, address, rf"Osbox Board {board}")
        judge.expect(f"board {board}: challenges mailed to {player}", len(new), 1)
        judge.expect(f"board {board}: boards mailed to {player}", len(after_moves), len(moves))
        judge.expect(f"board {board}: last boards mailed to {player}", len(finals), 1)
        for final in finals:
            words = " ".join(text_of(final).split())
            judge.expect(
                f"board {board}: the end as told to {player}",
                f"Game won by bob by {MARGIN} points." in words,
                True,
            )
            standing = [int(score) for score in re.findall(r"\b(?:Horz ann|Vert bob) (\d+) \(", words)]
            judge.expect(f"board {board}: the scores as told to {player}", standing, SCORES)
            listed = all(re.search(rf"\b{number} {move}\b", words) for number, move in enumerate(moves, 1))
            judge.expect(f"board {board}: every move in the last mail to {player}", listed, True)


def check_mails(judge: Judge, mails: list) -> None:
    for mail in mails:
        what = f"mail '{mail['Subject']}' to {mail['To']}"
        whole = mail.as_string()
        judge.expect(f"{what}: tells machines what it is", (mail["Auto-Submitted"] or "no") != "no", True)
        judge.expect(f"{what}: has an id and a date", bool(mail["Message-ID"] and mail["Date"]), True)
        judge.expect(f"{what}: holds no password", [word for word in SECRETS if word in whole], [])
        others = [address for address in PLAYERS.values() if address != reader_of(mail) and address in whole]
        judge.expect(f"{what}: holds nobody else's address", others, [])


def check(script: str, output: str, data: pathlib.Path) -> None:
    judge = Judge()
    mails = read_mails(data)
    games = dict((board, moves.split()) for board, moves in MATCH.findall(script))
    judge.expect("boards played", sorted(games), ["101", "102"])
    # The first two moves of board 101 are made one by one before the rest.
    games["101"] = games["102"][:2] + games["101"]
    for board, moves in games.items():
        judge.expect(f"board {board}: the same game", moves, games["102"])
        check_game(judge, mails, board, moves)
    check_mails(judge, mails)
    for player, address in PLAYERS.items():
        about = [mail["Subject"] for mail in mails if reader_of(mail) == address and "Board" not in mail["Subject"]]
        judge.expect(f"mails to {player} beside the boards", len(about), 1)
    judge.expect("ann's good wishes reach bob", any(
        reader_of(mail) == PLAYERS["bob"] and "Good luck, bob!" in text_of(mail) for mail in mails), True)
    judge.expect("the mailbox opens with its key", "<h1>Mailbox</h1>" in output, True)
    judge.expect("ports.json is gone", (data / "ports.json").exists(), False)
    judge.expect("the illegal move was refused", "`b12` cannot be played: entry 12" in output, True)
    if judge.failed:
        print(output)
    print(f"tour: {judge.passed} passed, {judge.failed} failed")
    sys.exit(1 if judge.failed else 0)


def main() -> None:
    match sys.argv[1:]:
        case ["blocks", readme]:
            print(blocks(pathlib.Path(readme)))
        case ["check", script, output, data]:
            check(pathlib.Path(script).read_text(), pathlib.Path(output).read_text(), pathlib.Path(data))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
