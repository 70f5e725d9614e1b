//! The Dutch system by its articles, one by one: every candidate of a bracket in the order of articles 3 and 4, judged by
//! article 2. Far too slow for real fields, and sharing nothing with the engine, whose pairings of small fields it judges.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use knotpost_tournaments::{Chances, Colour, Entry, Record, check_round, pair_round, random_tournament};

#[derive(Clone, Debug)]
struct Person {
    index: usize,
    score: u32,
    odd: bool,
    games: Vec<Colour>,
    wish: Option<Colour>,
    /// 0 none, 1 mild, 2 strong, 3 absolute.
    strength: u8,
    difference: i32,
    downfloat: [bool; 2],
    upfloat: [bool; 2],
    may_have_bye: bool,
    unplayed: usize,
    topscorer: bool,
    met: BTreeSet<usize>,
}

struct Judge {
    people: Vec<Person>,
    first_colour: Colour,
    bye_score: Option<u32>,
}

/// Failure values in the order of the criteria; less is better.
type Failures = Vec<Vec<u32>>;

/// Pairs and downfloaters.
type Candidate = (Vec<(usize, usize)>, Vec<usize>);

impl Judge {
    fn new(record: &Record, round: usize, present: &[usize]) -> Self {
        let mut people: Vec<Person> = present.iter().map(|&index| person(record, round, index)).collect();
        let was_there = |player: usize| {
            present.contains(&player) || (0..round).any(|past| record.players[player].entry(past).is_paired())
        };
        for person in &mut people {
            person.odd = (0..=person.index).filter(|&player| was_there(player)).count() % 2 == 1;
        }
        people.sort_by_key(|person| (Reverse(person.score), person.index));
        let mut judge = Self { people, first_colour: record.first_colour.unwrap(), bye_score: None };
        let all: Vec<usize> = (0..judge.people.len()).collect();
        if all.len() % 2 == 1 {
            let scores: BTreeSet<u32> = judge.people.iter().map(|person| person.score).collect();
            judge.bye_score = scores.into_iter().find(|&score| {
                let judge = Self { bye_score: Some(score), people: judge.people.clone(), ..judge };
                judge.can_complete(&all)
            });
        }
        judge
    }

    fn legal(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.people[a], &self.people[b]);
        let absolute = x.strength == 3 && y.strength == 3 && x.wish == y.wish;
        !x.met.contains(&y.index) && (!absolute || x.topscorer || y.topscorer)
    }

    /// Criterion 4 (with 5): these people can all be paired, or all but one of the score that gets the bye.
    fn can_complete(&self, people: &[usize]) -> bool {
        let Some((&first, others)) = people.split_first() else { return true };
        let without = |at: usize| -> Vec<usize> {
            others.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, &person)| person).collect()
        };
        if (0..others.len()).any(|at| self.legal(first, others[at]) && self.can_complete(&without(at))) {
            return true;
        }
        let person = &self.people[first];
        people.len() % 2 == 1
            && person.may_have_bye
            && Some(person.score) == self.bye_score
            && self.pairs_up(others)
    }

    fn pairs_up(&self, people: &[usize]) -> bool {
        let Some((&first, others)) = people.split_first() else { return true };
        (0..others.len()).any(|at| {
            let mut rest = others.to_vec();
            let other = rest.remove(at);
            self.legal(first, other) && self.pairs_up(&rest)
        })
    }

    fn scores(&self, people: &[usize]) -> Vec<u32> {
        let mut scores: Vec<u32> = people.iter().map(|&person| self.people[person].score).collect();
        scores.sort_unstable_by_key(|&score| Reverse(score));
        scores
    }

    /// Criteria 6 and 7 at their best: the fewest downfloaters, and their scores.
    fn best_floaters(
        &self,
        moved: &[usize],
        residents: &[usize],
        below: &[usize],
    ) -> Option<(usize, Vec<u32>)> {
        let mut best = None;
        self.try_floaters(moved, residents, &mut Vec::new(), &mut |floaters| {
            let found = (floaters.len(), self.scores(floaters));
            if best.as_ref().is_none_or(|best| found < *best)
                && self.can_complete(&[floaters, below].concat())
            {
                best = Some(found);
            }
        });
        best
    }

    fn try_floaters(
        &self,
        moved: &[usize],
        residents: &[usize],
        floaters: &mut Vec<usize>,
        visit: &mut impl FnMut(&[usize]),
    ) {
        let (first, moved, residents) = match (moved.split_first(), residents.split_first()) {
            (Some((&first, moved)), _) => (first, moved, residents),
            (None, Some((&first, residents))) => (first, moved, residents),
            (None, None) => return visit(floaters),
        };
        for at in 0..residents.len() {
            let mut rest = residents.to_vec();
            let other = rest.remove(at);
            if self.legal(first, other) {
                self.try_floaters(moved, &rest, floaters, visit);
            }
        }
        floaters.push(first);
        self.try_floaters(moved, residents, floaters, visit);
        floaters.pop();
    }

    /// The best candidate of a bracket: its pairs, the higher-ranked first, and its downfloaters.
    fn pair_bracket(
        &self,
        moved: &[usize],
        residents: &[usize],
        next: &[usize],
        below: &[usize],
    ) -> Candidate {
        let later = [next, below].concat();
        let (count, scores) = self.best_floaters(moved, residents, &later).unwrap();
        let pairs = (moved.len() + residents.len() - count) / 2;
        let top = residents.first().map_or(0, |&resident| self.people[resident].score);
        let limbo = scores.iter().filter(|&&score| score > top).count();
        let mut best: Option<(Failures, Candidate)> = None;
        for upper in subsets(moved, moved.len() - limbo) {
            for partners in arrangements(residents, upper.len()) {
                let moved_pairs: Vec<(usize, usize)> =
                    upper.iter().copied().zip(partners.iter().copied()).collect();
                if !moved_pairs.iter().all(|&(a, b)| self.legal(a, b)) {
                    continue;
                }
                let remainder: Vec<usize> =
                    residents.iter().copied().filter(|one| !partners.contains(one)).collect();
                for (first, second) in exchanges(&remainder, pairs - upper.len()) {
                    for partners in arrangements(&second, first.len()) {
                        let mut found = moved_pairs.clone();
                        found.extend(first.iter().copied().zip(partners.iter().copied()));
                        let paired: BTreeSet<usize> = found.iter().flat_map(|&(a, b)| [a, b]).collect();
                        let floaters: Vec<usize> = moved
                            .iter()
                            .chain(residents)
                            .copied()
                            .filter(|one| !paired.contains(one))
                            .collect();
                        if !found.iter().all(|&(a, b)| self.legal(a, b))
                            || !self.can_complete(&[floaters.clone(), later.clone()].concat())
                        {
                            continue;
                        }
                        let failures = self.judge(moved, &found, &floaters, next, below);
                        if best.as_ref().is_none_or(|(known, _)| failures < *known) {
                            best = Some((failures, (found, floaters)));
                        }
                    }
                }
            }
        }
        let (_, (found, floaters)) = best.unwrap();
        (found.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect(), floaters)
    }

    /// Criteria 6 to 21.
    fn judge(
        &self,
        moved: &[usize],
        pairs: &[(usize, usize)],
        floaters: &[usize],
        next: &[usize],
        below: &[usize],
    ) -> Failures {
        let number = |count: usize| vec![u32::try_from(count).unwrap()];
        let mut failures = vec![number(floaters.len()), self.scores(floaters)];
        if !next.is_empty() {
            let (count, scores) = self.best_floaters(floaters, next, below).unwrap();
            failures.extend([number(count), scores]);
        }
        let gets_bye = |&one: &usize| Some(self.people[one].score) == self.bye_score;
        failures.push(match floaters {
            [one] if gets_bye(one) && self.people[*one].may_have_bye => number(self.people[*one].unplayed),
            _ => Vec::new(),
        });
        let mut colours = [0_usize; 4];
        for &(a, b) in pairs {
            let (a, b) = (a.min(b), a.max(b));
            let colour = self.colour(a, b);
            let pair = [(&self.people[a], colour), (&self.people[b], colour.opposite())];
            let top = pair.iter().any(|(person, _)| person.topscorer);
            for (person, colour) in pair {
                let step = if colour == Colour::White { 1 } else { -1 };
                let denied = person.wish.is_some_and(|wish| wish != colour);
                colours[0] += usize::from(top && (person.difference + step).abs() > 2);
                let last_two = person.games.iter().rev().take(2).filter(|&&past| past == colour).count();
                colours[1] += usize::from(top && last_two == 2);
                colours[2] += usize::from(denied);
                colours[3] += usize::from(denied && person.strength == 2);
            }
        }
        failures.extend(colours.map(number));
        let is_moved = |one: usize| moved.contains(&one);
        let against_moved: Vec<(usize, usize)> =
            pairs.iter().map(|&(a, b)| (a.min(b), a.max(b))).filter(|&(a, _)| is_moved(a)).collect();
        for ago in [0, 1] {
            let residents = floaters.iter().filter(|&&one| !is_moved(one));
            failures.push(number(residents.filter(|&&one| self.people[one].downfloat[ago]).count()));
            failures
                .push(number(against_moved.iter().filter(|&&(_, b)| self.people[b].upfloat[ago]).count()));
        }
        for ago in [0, 1] {
            let apart = |a: usize, b: usize| self.people[a].score - self.people[b].score;
            let paired = against_moved
                .iter()
                .filter(|&&(a, _)| self.people[a].downfloat[ago])
                .map(|&(a, b)| apart(a, b));
            let floating = floaters.iter().filter(|&&one| is_moved(one) && self.people[one].downfloat[ago]);
            // A downfloater's difference is greater than any other.
            let mut differences: Vec<u32> =
                paired.chain(floating.map(|&one| 1000 + self.people[one].score)).collect();
            differences.sort_unstable_by_key(|&difference| Reverse(difference));
            failures.push(differences);
            let opponents = against_moved.iter().filter(|&&(_, b)| self.people[b].upfloat[ago]);
            let mut differences: Vec<u32> = opponents.map(|&(a, b)| apart(a, b)).collect();
            differences.sort_unstable_by_key(|&difference| Reverse(difference));
            failures.push(differences);
        }
        failures
    }

    /// Article 5.2: the colour of the higher-ranked.
    fn colour(&self, a: usize, b: usize) -> Colour {
        let (x, y) = (&self.people[a], &self.people[b]);
        let Some(wish) = x.wish else {
            return match y.wish {
                Some(other) => other.opposite(),
                None if x.odd => self.first_colour,
                None => self.first_colour.opposite(),
            };
        };
        if y.wish != Some(wish) {
            return wish;
        }
        if x.strength != y.strength {
            return if x.strength > y.strength { wish } else { wish.opposite() };
        }
        if x.strength == 3 && x.difference.abs() != y.difference.abs() {
            return if x.difference.abs() > y.difference.abs() { wish } else { wish.opposite() };
        }
        let mut past = x.games.iter().rev().zip(y.games.iter().rev());
        past.find(|(mine, theirs)| mine != theirs).map_or(wish, |(mine, _)| mine.opposite())
    }

    /// White and black of each board, and the bye.
    fn pair_round(&self) -> (BTreeSet<(usize, usize)>, Option<usize>) {
        let mut boards = BTreeSet::new();
        let mut moved: Vec<usize> = Vec::new();
        let scores: BTreeSet<Reverse<u32>> = self.people.iter().map(|person| Reverse(person.score)).collect();
        let scores: Vec<u32> = scores.into_iter().map(|Reverse(score)| score).collect();
        let of = |wanted: &dyn Fn(u32) -> bool| -> Vec<usize> {
            (0..self.people.len()).filter(|&one| wanted(self.people[one].score)).collect()
        };
        for (at, &score) in scores.iter().enumerate() {
            let next = scores.get(at + 1).copied();
            let (pairs, floaters) = self.pair_bracket(
                &moved,
                &of(&|other| other == score),
                &of(&|other| Some(other) == next),
                &of(&|other| next.is_some_and(|next| other < next)),
            );
            for (a, b) in pairs {
                let (x, y) = (self.people[a].index, self.people[b].index);
                boards.insert(if self.colour(a, b) == Colour::White { (x, y) } else { (y, x) });
            }
            moved = floaters;
        }
        (boards, moved.first().map(|&one| self.people[one].index))
    }
}

fn person(record: &Record, round: usize, index: usize) -> Person {
    let entry = |past: usize| record.players[index].entry(past);
    let entries: Vec<Entry> = (0..round).map(entry).collect();
    let games: Vec<Colour> =
        entries.iter().filter(|entry| entry.met().is_some()).filter_map(|entry| entry.colour()).collect();
    let whites = games.iter().filter(|&&colour| colour == Colour::White).count();
    let difference = i32::try_from(2 * whites).unwrap() - i32::try_from(games.len()).unwrap();
    let repeated = games.len() > 1 && games[games.len() - 1] == games[games.len() - 2];
    let last = games.last().map(|colour| colour.opposite());
    let by_difference = if difference > 0 { Colour::Black } else { Colour::White };
    let (wish, strength) = match (games.len(), difference.abs()) {
        (0, _) => (None, 0),
        (_, 2..) => (Some(by_difference), 3),
        _ if repeated => (last, 3),
        (_, 1) => (Some(by_difference), 2),
        _ => (last, 1),
    };
    let score = |player: usize, round: usize| record.points_before(player, round).tenths();
    let float = |ago: usize, up: bool| {
        round.checked_sub(ago).is_some_and(|past| match entries[past].met() {
            Some(other) if up => score(index, past) < score(other, past),
            Some(other) => score(index, past) > score(other, past),
            None => !up && score(index, past + 1) > score(index, past),
        })
    };
    let gained_ten =
        |past: usize| entries[past].met().is_none() && score(index, past + 1) - score(index, past) >= 10;
    Person {
        index,
        score: score(index, round),
        odd: false,
        wish,
        strength,
        difference,
        downfloat: [float(1, false), float(2, false)],
        upfloat: [float(1, true), float(2, true)],
        may_have_bye: !(0..round).any(gained_ten),
        unplayed: round - games.len(),
        topscorer: record.rounds == Some(round + 1)
            && 2 * score(index, round) > 10 * u32::try_from(round).unwrap(),
        met: entries.iter().filter_map(|entry| entry.met()).collect(),
        games,
    }
}

/// All subsets of a size, those with the smaller differing element first.
fn subsets(items: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for at in 0..items.len() {
        for mut rest in subsets(&items[at + 1..], size - 1) {
            rest.insert(0, items[at]);
            found.push(rest);
        }
    }
    found
}

/// All ordered choices of a size, in lexicographic order.
fn arrangements(items: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for at in 0..items.len() {
        let mut others = items.to_vec();
        let first = others.remove(at);
        for mut rest in arrangements(&others, size - 1) {
            rest.insert(0, first);
            found.push(rest);
        }
    }
    found
}

/// Both halves of a homogeneous bracket, first as they are, then after each exchange in the order of article 4.3.
fn exchanges(items: &[usize], upper: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let number = |item: usize| items.iter().position(|&other| other == item).unwrap();
    let (first, second) = items.split_at(upper);
    let mut found = Vec::new();
    for size in 0..=upper.min(second.len()) {
        for down in subsets(first, size) {
            for up in subsets(second, size) {
                found.push((down.clone(), up));
            }
        }
    }
    found.sort_by_key(|(down, up)| {
        let sum = |items: &[usize]| items.iter().map(|&item| number(item)).sum::<usize>();
        let down_from_highest: Vec<Reverse<usize>> =
            down.iter().rev().map(|&item| Reverse(number(item))).collect();
        let up_from_lowest: Vec<usize> = up.iter().map(|&item| number(item)).collect();
        (down.len(), sum(up) - sum(down), down_from_highest, up_from_lowest)
    });
    found
        .into_iter()
        .map(|(down, up)| {
            let mut halves = (Vec::new(), Vec::new());
            for &item in items {
                let is_upper = up.contains(&item) || (first.contains(&item) && !down.contains(&item));
                if is_upper { halves.0.push(item) } else { halves.1.push(item) }
            }
            halves
        })
        .collect()
}

fn compare(record: &Record) {
    for round in 0..record.paired_rounds() {
        let present: Vec<usize> = (0..record.players.len())
            .filter(|&player| record.players[player].entry(round).is_paired())
            .collect();
        let (boards, bye) = Judge::new(record, round, &present).pair_round();
        let found = pair_round(record, round, &present).unwrap();
        assert_eq!(
            found.boards.iter().copied().collect::<BTreeSet<_>>(),
            boards,
            "{}, round {}",
            record.title,
            round + 1
        );
        assert_eq!(found.bye, bye, "{}, round {}", record.title, round + 1);
        assert_eq!(check_round(record, round).1.unwrap(), found);
    }
}

#[test]
fn small_fields_are_paired_as_the_articles_say() {
    for seed in 0..200 {
        let players = 4 + seed as usize % 5;
        let chances = Chances { draws: 30, forfeits: 8, byes: if seed % 2 == 0 { 0 } else { 12 } };
        compare(&random_tournament(players, players - 2, seed, chances));
    }
}

#[test]
fn large_brackets_of_few_scores_are_paired_as_the_articles_say() {
    for seed in 0..12 {
        compare(&random_tournament(9, 3, 1000 + seed, Chances { draws: 90, forfeits: 0, byes: 0 }));
    }
}
