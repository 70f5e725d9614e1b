"""Counts tables again with tiebreak-core: a table a line of JSON in, its differences a line of JSON out.

  {"mode": "swiss" or "round_robin", "rounds": N,
   "players": [{"points": P, "games": [[OPPONENT or -1, SCORE, COLOUR, KIND], …]}, …],
   "lists": [{"codes": [CODE, …], "order": [PLAYER, …], "values": [[VALUE, …], …]}, …]}

Players are numbered from 0; points and scores are in tenths, values in hundredths, in the order of the codes, the direct
encounter left out.
"""

import json
import sys

from tiebreak_core import GameRecord, PlayerTiebreakData, rank_standings_strict

CRITERIA = {
    "DE": "direct_encounter",
    "SB": "sonneborn_berger",
    "WIN": "wins",
    "BH": "buchholz",
    "BH/C1": "buchholz_cut1",
}


def count(table):
    players = {
        number: PlayerTiebreakData(
            number,
            1500,
            player["points"] / 10,
            [
                GameRecord(opponent, 1500, score / 10, colour, number_of_round, kind=kind)
                for number_of_round, (opponent, score, colour, kind) in enumerate(player["games"], 1)
            ],
        )
        for number, player in enumerate(table["players"])
    }
    differences = []
    for one in table["lists"]:
        ranked = rank_standings_strict(
            players,
            [CRITERIA[code] for code in one["codes"]],
            total_rounds=table["rounds"],
            ruleset="fide-2026",
            mode=table["mode"],
        ).players
        order = [player.player_id for player in ranked]
        if order != one["order"]:
            differences.append(f"{one['codes']}: {one['order']} here, {order} there")
        for player in ranked:
            codes = [code for code in one["codes"] if code != "DE"]
            there = [round(player.values[CRITERIA[code]] * 100) for code in codes]
            here = one["values"][player.player_id]
            if here != there:
                differences.append(f"player {player.player_id}, {codes}: {here} here, {there} there")
    return differences


for line in sys.stdin:
    print(json.dumps(count(json.loads(line))))
