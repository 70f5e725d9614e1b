//! A tournament in words and tables: functions of its view, for mails and pages alike.

use crate::boards::Games;
use serde::Serialize;

use super::view::{
    PairingSeat, PairingState, TournamentLine, TournamentPairing, TournamentPlayer, TournamentView,
    takes_entries,
};
use crate::app::App;
use crate::boards::time::length;
use crate::replies::{Column, Content, Fact, Facts, Table};
use knotpost_commands::TournamentPart;
use knotpost_model::{Moment, PlayerState, TournamentForm, TournamentName, TournamentState};

/// Players of the largest group that is shown as a crosstable: as many fit into 72 columns.
const MOST_CROSSED: usize = 12;
/// Players of the largest table that a mail shows whole.
const MOST_MAILED: usize = 40;
/// Rows of a larger one in a mail: from the top, and on either side of the reader.
const TOP: usize = 20;
const AROUND: usize = 3;
/// Games of a ladder that are over and still shown.
const MOST_OVER: usize = 10;
/// Userids in a crosstable are cut after this many characters.
const NAME: usize = 16;

/// A group in a round: its table, and its pairings.
#[derive(Clone, Debug)]
pub struct ShownGroup {
    pub group: String,
    pub round: u32,
    /// `Group a, round 1`
    pub heading: String,
    /// Places, points and tie-breaks, with the results: of everybody against everybody for a small group, of all rounds
    /// in a Swiss tournament.
    pub standings: Table,
    /// Column of the first opponent; `None`: there are too many, or not everybody meets everybody.
    pub crosses: Option<usize>,
    /// Players with a board each row, its number and result.
    pub pairings: Table,
}

/// One tournament, as the answer to a command.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    name: TournamentName,
    title: String,
    description: String,
    takes_entries: bool,
    is_ladder: bool,
    /// Somebody has entered, and it has not begun.
    has_entrants: bool,
    #[serde(skip)]
    done: Option<String>,
    #[serde(skip)]
    terms: String,
    #[serde(skip)]
    state: String,
    #[serde(skip)]
    entrants: Vec<String>,
    #[serde(skip)]
    groups: Vec<ShownGroup>,
    #[serde(skip)]
    changes: Vec<String>,
    #[serde(skip)]
    legend: &'static str,
}

impl Content for Shown {
    const TEMPLATE: &'static str = "tournament";

    fn facts(&self) -> Facts {
        let group = |group: &ShownGroup| {
            Facts::of(&serde_json::json!({ "heading": group.heading }))
                .table("standings", group.standings.clone())
                .table("pairings", group.pairings.clone())
        };
        Facts::of(self)
            .prose("done", self.done.clone())
            .prose("terms", self.terms.clone())
            .prose("state", self.state.clone())
            .with("entrants", Fact::Words(self.entrants.clone()))
            .with("groups", Fact::Parts(self.groups.iter().map(group).collect()))
            .with(
                "changes",
                Fact::Parts(
                    self.changes
                        .iter()
                        .map(|line| Facts::of(&serde_json::json!({})).prose("line", line.clone()))
                        .collect(),
                ),
            )
            .prose("legend", Some(self.legend.to_owned()).filter(|legend| !legend.is_empty()))
    }
}

impl Shown {
    /// `done`: what the reader did to it, as a sentence.
    pub(crate) fn of(
        app: &App,
        view: &TournamentView,
        part: Option<&TournamentPart>,
        done: Option<String>,
    ) -> Self {
        let is_open = view.line.state == TournamentState::Open;
        let entrants: Vec<String> =
            view.players.iter().filter(|_| is_open).map(|player| player.userid.clone()).collect();
        Self {
            name: view.line.name,
            title: view.line.title.clone(),
            description: view.description.clone(),
            takes_entries: takes_entries(view.line.form, view.line.state),
            is_ladder: view.line.form == TournamentForm::Ladder
                && view.line.state == TournamentState::Running,
            has_entrants: !entrants.is_empty(),
            done,
            terms: terms_text(&app.games, view),
            state: state_text(view),
            entrants,
            groups: group_tables(view, part),
            changes: view.changes.clone(),
            legend: legend(view),
        }
    }

    /// False if a group was named that there is not.
    pub(crate) fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }
}

/// The terms in sentences.
pub fn terms_text(games: &Games, view: &TournamentView) -> String {
    let (terms, line) = (&view.terms, &view.line);
    let title = games.find(&line.game).map_or(line.game.as_str(), |game| game.meta().title);
    let options =
        if terms.game_options.is_empty() { String::new() } else { format!(" ({})", terms.game_options) };
    let boards = if terms.games == 2 { ", on two boards with the seats exchanged" } else { "" };
    let mut told = vec![match line.form {
        TournamentForm::Ladder => format!(
            "A ladder of {title}{options}, which never ends: whoever wins against somebody above takes their place. A \
             challenge reaches {} up.",
            counted(u32::from(terms.window()), "place")
        ),
        TournamentForm::League => format!(
            "A league of {title}{options}: in each season everybody of a division meets everybody{boards}. A division has \
             {} players; after a season {}. The next season begins {} later.",
            terms.group,
            match terms.moving() {
                1 => "the first goes up, and the last goes down".to_owned(),
                moving => format!("the first {moving} go up, and the last {moving} go down"),
            },
            length(terms.pause())
        ),
        TournamentForm::RoundRobin => {
            format!("A round robin of {title}{options}: everybody meets everybody{boards}.")
        }
        TournamentForm::Swiss => {
            let rounds = match line.rounds.or(terms.rounds.map(u32::from)) {
                Some(rounds) => format!("in {rounds} rounds"),
                None => "in each round".to_owned(),
            };
            format!(
                "A Swiss tournament of {title}{options}: {rounds} players of equal points meet, nobody the same opponent \
                 twice{boards}."
            )
        }
    }];
    if terms.games == 2 {
        match line.form {
            TournamentForm::Swiss => {
                told.push("Who has more points on both boards wins the pairing.".to_owned());
            }
            TournamentForm::Ladder => told.push(
                "It is played on two boards with the seats exchanged, and who has more points wins it."
                    .to_owned(),
            ),
            TournamentForm::RoundRobin | TournamentForm::League => {}
        }
    }
    if terms.maximum > terms.group && line.form == TournamentForm::RoundRobin {
        told.push(format!(
            "With more than {} players there are several groups; {} to the next round, until one group is left.",
            terms.group,
            match terms.advance {
                1 => "the first of each goes on".to_owned(),
                advance => format!("the first {advance} of each go on"),
            }
        ));
    }
    told.push(match line.form {
        TournamentForm::Ladder => format!("It takes up to {} players.", terms.maximum),
        TournamentForm::RoundRobin | TournamentForm::Swiss | TournamentForm::League => {
            format!("It takes {} players.", range(terms.minimum, terms.maximum))
        }
    });
    if let Some(level) = terms.fill {
        told.push(format!("Computer players of level {level} take places that stay free."));
    }
    if terms.closed {
        told.push("Only players whom the director admits can enter.".to_owned());
    }
    told.push(format!(
        "Who makes no move for {} loses the game, with a reminder after {}.",
        length(terms.forfeit),
        length(terms.nag)
    ));
    if let Some(total) = terms.total {
        told.push(format!("A player has {} for all moves of a game.", length(total)));
    }
    told.push(if line.form == TournamentForm::Ladder {
        "Whoever loses a game on time leaves the ladder.".to_owned()
    } else {
        format!(
            "Games that are not over {} after the start of a {} are decided then: who has used less time wins.",
            length(terms.round),
            if line.form == TournamentForm::League { "season" } else { "round" },
        )
    });
    if !terms.rated {
        told.push("The games are not rated.".to_owned());
    }
    if terms.repeat {
        told.push("When it starts, the next one with the same terms takes entries.".to_owned());
    }
    told.push(match &line.director {
        Some(director) => format!("The director is {director}."),
        None => "The administrators of this server direct it.".to_owned(),
    });
    told.join(" ")
}

/// `1 place`, `3 places`
fn counted(count: u32, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn range(least: u16, most: u16) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// The state, and what comes next and when, in sentences.
pub fn state_text(view: &TournamentView) -> String {
    let line = &view.line;
    let mut told = match line.state {
        TournamentState::Open => {
            let entered = format!("It is open: {} of {} players have entered.", line.entered, line.maximum);
            let start = match line.starts {
                None => format!("It starts when {} have entered.", line.maximum),
                Some(at) => format!(
                    "It starts on {}, or earlier when {} have entered; with fewer than {} it is put off by a week.",
                    at.to_readable(),
                    line.maximum,
                    line.minimum
                ),
            };
            format!("{entered} {start}")
        }
        TournamentState::Running if line.form == TournamentForm::Ladder => match view.as_of {
            Some(at) => format!("This is how it stood at {}.", at.to_readable()),
            None => format!(
                "It is being played, by {}. Who enters begins at the bottom.",
                counted(line.entered, "player")
            ),
        },
        TournamentState::Running if line.form == TournamentForm::League => match (line.deadline, line.starts)
        {
            (None, Some(at)) => {
                format!("Season {} is over. The next one begins on {}.", line.round, at.to_readable())
            }
            (deadline, _) => format!(
                "Season {} is being played{}. Who enters now plays from the next one on.",
                line.round,
                deadline.map(|at| format!(", until {} at the latest", at.to_readable())).unwrap_or_default()
            ),
        },
        TournamentState::Running => {
            let of = line.rounds.map(|rounds| format!(" of {rounds}")).unwrap_or_default();
            let until = line.deadline.map(|at| format!(", until {} at the latest", at.to_readable()));
            if line.round == 0 {
                return "The first round is being paired.".to_owned();
            }
            let next = match line.form {
                _ if line.rounds == Some(line.round) => "Then it is over.".to_owned(),
                TournamentForm::Swiss => "Then the next round is paired.".to_owned(),
                TournamentForm::RoundRobin | TournamentForm::Ladder | TournamentForm::League => {
                    format!("Then the first {} of each group go on.", view.terms.advance)
                }
            };
            format!("Round {}{of} is being played{}. {next}", line.round, until.unwrap_or_default())
        }
        TournamentState::Over => {
            let winners: Vec<&str> = view
                .players
                .iter()
                .filter(|player| player.place == Some(1))
                .map(|player| player.userid.as_str())
                .collect();
            match winners.as_slice() {
                [] => "It is over.".to_owned(),
                winners => format!("It is over, and was won by {}.", winners.join(" and ")),
            }
        }
        TournamentState::Cancelled => "It was cancelled.".to_owned(),
    };
    if let Some(next) = view.next {
        told = format!("{told} {next} takes entries with the same terms.");
    }
    told
}

/// Players or rounds of a tournament in a list, and the day of its start, deadline or end.
pub fn standing(line: &TournamentLine) -> (String, String) {
    let day = |at: Option<Moment>| {
        at.map(|at| at.to_rfc3339().split('T').next().unwrap_or_default().to_owned()).unwrap_or_default()
    };
    match line.state {
        TournamentState::Running if line.form == TournamentForm::Ladder => {
            (line.entered.to_string(), String::new())
        }
        TournamentState::Running if line.form == TournamentForm::League => {
            (format!("{}, season {}", line.entered, line.round), day(line.deadline.or(line.starts)))
        }
        TournamentState::Open => {
            let until = if line.starts.is_some() { day(line.starts) } else { "full".to_owned() };
            (format!("{}/{}", line.entered, line.maximum), until)
        }
        TournamentState::Running => {
            let rounds = line.rounds.map_or(String::new(), |rounds| format!("/{rounds}"));
            (format!("{}, round {}{rounds}", line.entered, line.round), day(line.deadline))
        }
        TournamentState::Over | TournamentState::Cancelled => (line.entered.to_string(), day(line.ended)),
    }
}

/// A player's line of a table.
struct Standing<'a> {
    player: &'a TournamentPlayer,
    /// Points in this round and group, without games that count for nobody.
    points: f64,
}

/// The groups of a tournament by round, the last round first; of a Swiss tournament one round alone, since its table has
/// the results of all rounds.
pub fn group_tables(view: &TournamentView, part: Option<&TournamentPart>) -> Vec<ShownGroup> {
    if view.line.form == TournamentForm::Swiss {
        return swiss_table(view, part).into_iter().collect();
    }
    if view.line.form == TournamentForm::Ladder {
        return ladder_table(view, part).into_iter().collect();
    }
    // Earlier seasons of a league are shown by their numbers.
    let season = (view.line.form == TournamentForm::League).then_some(view.line.round);
    let mut groups: Vec<(u32, &str)> = Vec::new();
    for pairing in &view.pairings {
        let key = (pairing.round, pairing.group.as_str());
        let is_wanted = match part {
            None => season.is_none_or(|season| season == pairing.round),
            Some(TournamentPart::Group(group)) => {
                *group == pairing.group && season.is_none_or(|season| season == pairing.round)
            }
            Some(TournamentPart::Round(round)) => *round == pairing.round,
        };
        if is_wanted && !groups.contains(&key) {
            groups.push(key);
        }
    }
    groups.sort_by(|one, other| {
        other.0.cmp(&one.0).then(one.1.len().cmp(&other.1.len())).then(one.1.cmp(other.1))
    });
    groups.into_iter().map(|(round, group)| shown_group(view, round, group)).collect()
}

/// A group as a mail to one of its players shows it: of many players the first, and those around the reader.
pub(super) fn excerpt(group: &ShownGroup, reader: &TournamentPlayer) -> ShownGroup {
    let rows = &group.standings.rows;
    let mut shown = group.clone();
    if rows.len() <= MOST_MAILED {
        return shown;
    }
    let own = name(reader);
    let own = rows.iter().position(|row| row.get(1) == Some(&own)).unwrap_or_default();
    let (from, to) = (own.saturating_sub(AROUND).max(TOP), (own + AROUND + 1).min(rows.len()));
    let gap = || {
        let cells = group.standings.columns.len();
        ["…".to_owned()]
            .into_iter()
            .chain(std::iter::repeat_n(String::new(), cells.saturating_sub(1)))
            .collect()
    };
    shown.standings.rows.truncate(TOP);
    if from > TOP {
        shown.standings.rows.push(gap());
    }
    shown.standings.rows.extend(rows.get(from..to).unwrap_or_default().iter().cloned());
    if from.max(to) < rows.len() {
        shown.standings.rows.push(gap());
    }
    shown
}

/// The places of a ladder, the games that are played, and the latest others. `None`: another group is asked for.
fn ladder_table(view: &TournamentView, part: Option<&TournamentPart>) -> Option<ShownGroup> {
    let group = view.players.first()?.group.clone().unwrap_or_default();
    if matches!(part, Some(TournamentPart::Group(other)) if *other != group) {
        return None;
    }
    let mut columns = vec![Column::of_numbers("#", 2), Column::of_words("Player", 6)];
    if view.as_of.is_none() {
        columns.extend(["Won", "Tied", "Lost"].map(|title| Column::of_numbers(title, 3)));
    }
    let row = |player: &TournamentPlayer| {
        let place = player.place.map(|place| place.to_string()).unwrap_or_default();
        let ends = [player.won, player.tied, player.lost].map(|count| count.to_string());
        [place, name(player)].into_iter().chain(ends).take(columns.len()).collect()
    };
    let rows = view.players.iter().map(row).collect();
    let is_over = |pairing: &&TournamentPairing| pairing.state == PairingState::Over;
    let over = view.pairings.iter().filter(is_over).count();
    let mut latest = view.pairings.iter().filter(is_over).skip(over.saturating_sub(MOST_OVER)).collect();
    let mut pairings: Vec<&TournamentPairing> =
        view.pairings.iter().filter(|pairing| !is_over(pairing)).collect();
    pairings.append(&mut latest);
    Some(ShownGroup {
        group,
        round: view.line.round,
        heading: "The ladder".to_owned(),
        standings: Table { columns, rows },
        crosses: None,
        pairings: pairing_table(view, &pairings),
    })
}

fn shown_group(view: &TournamentView, round: u32, group: &str) -> ShownGroup {
    let pairings: Vec<&TournamentPairing> =
        view.pairings.iter().filter(|pairing| pairing.round == round && pairing.group == group).collect();
    let standings = standings(view, &pairings);
    let crosses = (standings.len() <= MOST_CROSSED).then_some(2);
    // Tie-breaks are those of the round that is played or was the last.
    let is_last = view.pairings.iter().all(|pairing| pairing.round <= round);
    ShownGroup {
        group: group.to_owned(),
        round,
        heading: match view.line.form {
            TournamentForm::League => format!("Division {group}, season {round}"),
            TournamentForm::RoundRobin | TournamentForm::Swiss | TournamentForm::Ladder => {
                format!("Group {group}, round {round}")
            }
        },
        standings: standing_table(view, &standings, &pairings, crosses.is_some(), is_last),
        crosses,
        pairings: pairing_table(view, &pairings),
    }
}

/// The table after the last round that is in the view, and the pairings of that round. `None`: there is none yet, or a group
/// is asked for that there is not.
fn swiss_table(view: &TournamentView, part: Option<&TournamentPart>) -> Option<ShownGroup> {
    let last = view.pairings.iter().max_by_key(|pairing| pairing.round)?;
    if matches!(part, Some(TournamentPart::Group(group)) if *group != last.group) {
        return None;
    }
    let round = last.round;
    let pairings: Vec<&TournamentPairing> =
        view.pairings.iter().filter(|pairing| pairing.round == round).collect();
    let mut columns = vec![
        Column::of_numbers("#", 2),
        Column::of_words("Player", 6),
        Column::of_numbers("No", 2),
        Column::of_words("Results", 7),
        Column::of_numbers("Pts", 3),
    ];
    columns.extend(view.tiebreaks.iter().map(|code| Column::of_numbers(code, 2)));
    let row = |player: &TournamentPlayer| {
        let shown = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let results: Vec<String> = (1..=round).map(|round| swiss_result(view, player, round)).collect();
        let mut row = vec![
            shown(player.place),
            name(player),
            shown(player.number),
            results.join(" "),
            player.points.map(number).unwrap_or_default(),
        ];
        row.extend(player.tiebreaks.iter().copied().map(number));
        row
    };
    Some(ShownGroup {
        group: last.group.clone(),
        round,
        heading: format!("Round {round}"),
        standings: Table { columns, rows: view.players.iter().map(row).collect() },
        crosses: None,
        pairings: pairing_table(view, &pairings),
    })
}

/// Opponent, seat and result of a player in a round: `12w1`, `7b½`, `+bye`; `-` without a pairing.
fn swiss_result(view: &TournamentView, player: &TournamentPlayer, round: u32) -> String {
    let own = view.pairings.iter().find(|pairing| {
        pairing.round == round && pairing.seats.iter().any(|seat| seat.userid == player.userid)
    });
    let Some(own) = own else { return "-".to_owned() };
    let [first, second] = own.seats.as_slice() else {
        return bye_sign(own).to_owned();
    };
    let (opponent, colour) = if first.userid == player.userid { (second, 'w') } else { (first, 'b') };
    let opponent = view.players.iter().find(|other| other.userid == opponent.userid);
    let opponent = opponent.and_then(|other| other.number).map(|number| number.to_string());
    format!("{}{colour}{}", opponent.unwrap_or_default(), result_sign(own, &player.userid))
}

/// A bye by its points: for the odd one, or for one who is away.
fn bye_sign(pairing: &TournamentPairing) -> &'static str {
    match pairing.seats.first().and_then(|seat| seat.points) {
        Some(points) if points >= 1.0 => "+bye",
        Some(points) if points > 0.0 => "½bye",
        _ => "-",
    }
}

/// In order of points, then of place.
fn standings<'a>(view: &'a TournamentView, pairings: &[&TournamentPairing]) -> Vec<Standing<'a>> {
    let is_in = |player: &&TournamentPlayer| {
        pairings.iter().any(|pairing| seat_of(pairing, &player.userid).is_some())
    };
    let of = |player: &'a TournamentPlayer| {
        let counted = pairings.iter().filter(|pairing| counts(view, pairing));
        // The sum of no numbers would be -0.
        let points = counted.filter_map(|pairing| seat_of(pairing, &player.userid)?.points);
        let points = points.fold(0.0, |sum, points| sum + points);
        Standing { player, points }
    };
    let mut standings: Vec<Standing<'a>> = view.players.iter().filter(is_in).map(of).collect();
    standings.sort_by(|one, other| other.points.total_cmp(&one.points));
    standings
}

/// False if one of them left early.
fn counts(view: &TournamentView, pairing: &TournamentPairing) -> bool {
    let left_early =
        |userid: &str| view.players.iter().any(|player| player.userid == userid && !player.counts);
    !pairing.seats.iter().any(|seat| left_early(&seat.userid))
}

fn seat_of<'a>(pairing: &'a TournamentPairing, userid: &str) -> Option<&'a PairingSeat> {
    pairing.seats.iter().find(|seat| seat.userid == userid)
}

fn standing_table(
    view: &TournamentView,
    standings: &[Standing<'_>],
    pairings: &[&TournamentPairing],
    is_crossed: bool,
    is_last: bool,
) -> Table {
    let tiebreaks: &[String] = if is_last { &view.tiebreaks } else { &[] };
    let mut columns = vec![Column::of_numbers("#", 2), Column::of_words("Player", 6)];
    if is_crossed {
        columns.extend((1..=standings.len()).map(|number| Column::of_words(&number.to_string(), 1)));
    }
    columns.push(Column::of_numbers("Pts", 3));
    columns.extend(tiebreaks.iter().map(|code| Column::of_numbers(code, 2)));
    let mut rows = Vec::new();
    for (index, standing) in standings.iter().enumerate() {
        let player = standing.player;
        let place = if is_last { player.place } else { u32::try_from(index + 1).ok() };
        let mut row = vec![place.map(|place| place.to_string()).unwrap_or_default(), name(player)];
        if is_crossed {
            row.extend(standings.iter().map(|other| crossed(view, pairings, player, other.player)));
        }
        row.push(number(standing.points));
        row.extend(
            tiebreaks
                .iter()
                .enumerate()
                .map(|(place, _)| player.tiebreaks.get(place).copied().map(number).unwrap_or_default()),
        );
        rows.push(row);
    }
    Table { columns, rows }
}

/// Userid with a mark: a computer player, or out of the tournament.
fn name(player: &TournamentPlayer) -> String {
    let mut name: String = player.userid.chars().take(NAME).collect();
    if player.bot {
        name.push_str(" (bot)");
    }
    if player.state == PlayerState::Withdrawn && !player.bot {
        name.push_str(" (out)");
    }
    name
}

fn crossed(
    view: &TournamentView,
    pairings: &[&TournamentPairing],
    one: &TournamentPlayer,
    other: &TournamentPlayer,
) -> String {
    if one.userid == other.userid {
        return "*".to_owned();
    }
    let met = pairings
        .iter()
        .find(|pairing| seat_of(pairing, &one.userid).is_some() && seat_of(pairing, &other.userid).is_some());
    let Some(met) = met else { return String::new() };
    let sign = result_sign(met, &one.userid);
    if counts(view, met) { sign } else { format!("({sign})") }
}

/// Explains the signs of the tables.
pub fn legend(view: &TournamentView) -> &'static str {
    match view.line.form {
        TournamentForm::RoundRobin | TournamentForm::League => OF_GROUPS,
        TournamentForm::Ladder => "",
        TournamentForm::Swiss if view.terms.games > 1 => OF_SWISS_ON_TWO_BOARDS,
        TournamentForm::Swiss => OF_SWISS,
    }
}

macro_rules! of_swiss {
    ($first:literal) => {
        concat!(
            "Results are the number of the opponent, w for seat 1 or b for seat 2, and 1 for a win, ½ a tie, 0 a loss, or \
             . for what is not over; + and - were decided before the loser had moved. +bye is the point of one who had no \
             opponent, ½bye the half point of one who was away. Equal points are told apart ",
            $first,
            "by BH/C1, the points of all opponents but the least, then by BH, the points of all, by SB, the points of those \
             whom a player has beaten and half the points of those with whom a player has tied, and by WIN, the rounds won."
        )
    };
}
const OF_SWISS: &str = of_swiss!("");
const OF_SWISS_ON_TWO_BOARDS: &str = of_swiss!("by GP, the points on all boards, then ");
const OF_GROUPS: &str = "In the tables 1 is a win, ½ a tie, 0 a loss, and . a game that is not over; + and - were decided \
     before the loser had moved, and what stands in brackets counts for nobody. Equal points are told apart by DE, the \
     games between those players, then by SB, the points of those whom a player has beaten and half the points of those \
     with whom a player has tied, then by WIN, the games won.";

/// Result of a player in a pairing: points, `+` or `-` where a game was decided before the loser had moved, `.` while
/// nothing is known.
fn result_sign(pairing: &TournamentPairing, userid: &str) -> String {
    let Some(seat) = pairing.seats.iter().find(|seat| seat.userid == userid) else { return String::new() };
    let is_forfeit = pairing.state == PairingState::Over && pairing.seats.iter().any(|seat| seat.forfeit);
    match seat.points {
        None => ".".to_owned(),
        Some(points) if is_forfeit && pairing.boards.len() < 2 && points >= 1.0 => "+".to_owned(),
        Some(points) if is_forfeit && pairing.boards.len() < 2 && points <= 0.0 => "-".to_owned(),
        Some(points) => number(points),
    }
}

/// Points: `3`, `2½`, `½`; other values with two places.
fn number(points: f64) -> String {
    let whole = points.trunc();
    match points - whole {
        0.0 => format!("{whole}"),
        0.5 if whole == 0.0 => "½".to_owned(),
        0.5 => format!("{whole}½"),
        _ => format!("{points:.2}"),
    }
}

fn pairing_table(view: &TournamentView, pairings: &[&TournamentPairing]) -> Table {
    let columns = vec![
        Column::of_words("Boards", 6),
        Column::of_words("Seat 1", 6),
        Column::of_words("Seat 2", 6),
        Column::of_words("Result", 6),
    ];
    let row = |pairing: &&TournamentPairing| {
        let boards =
            pairing.boards.iter().map(|board| board.number.to_string()).collect::<Vec<_>>().join(" ");
        let userid =
            |index: usize| pairing.seats.get(index).map(|seat| seat.userid.clone()).unwrap_or_default();
        vec![boards, userid(0), userid(1), result(view, pairing)]
    };
    Table { columns, rows: pairings.iter().map(row).collect() }
}

/// The result of a pairing, or its state: `1 : 0`, `is played`.
pub fn result(view: &TournamentView, pairing: &TournamentPairing) -> String {
    let result = match pairing.state {
        _ if pairing.bye => match bye_sign(pairing) {
            "-" => "away".to_owned(),
            sign => sign.to_owned(),
        },
        PairingState::Waiting => "waits".to_owned(),
        PairingState::Open => "is played".to_owned(),
        PairingState::Over => {
            let signs: Vec<String> =
                pairing.seats.iter().map(|seat| result_sign(pairing, &seat.userid)).collect();
            signs.join(" : ")
        }
    };
    if counts(view, pairing) { result } else { format!("({result})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_model::{
        BoardRef, TournamentForm, TournamentName, TournamentState, TournamentTerms, UserKey,
    };

    fn player(userid: &str, place: u32, points: f64) -> TournamentPlayer {
        TournamentPlayer {
            userid: userid.to_owned(),
            number: Some(place),
            group: Some("a".to_owned()),
            state: PlayerState::In,
            round: Some(1),
            left: None,
            points: Some(points),
            place: Some(place),
            tiebreaks: vec![points, 1.25],
            won: 0,
            lost: 0,
            tied: 0,
            bot: false,
            counts: true,
            user: UserKey(i64::from(place)),
        }
    }

    #[test]
    fn a_mail_shows_the_first_of_many_and_those_around_its_reader() {
        let group = |players: usize| ShownGroup {
            group: "a".to_owned(),
            round: 1,
            heading: String::new(),
            standings: Table {
                columns: vec![Column::of_numbers("#", 2), Column::of_words("Player", 6)],
                rows: (1..=players).map(|at| vec![at.to_string(), format!("p{at}")]).collect(),
            },
            crosses: None,
            pairings: Table { columns: Vec::new(), rows: Vec::new() },
        };
        let shown = |players: usize, reader: u32| {
            let rows = excerpt(&group(players), &player(&format!("p{reader}"), reader, 1.0)).standings.rows;
            rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>().join(" ")
        };
        let numbers = |from: usize, to: usize| {
            (from..=to).map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(40, 30), numbers(1, 40));
        assert_eq!(shown(1000, 500), format!("{} … {} …", numbers(1, 20), numbers(497, 503)));
        assert_eq!(shown(1000, 1), format!("{} …", numbers(1, 20)));
        assert_eq!(shown(1000, 22), format!("{} …", numbers(1, 25)));
        assert_eq!(shown(1000, 999), format!("{} … {}", numbers(1, 20), numbers(996, 1000)));
    }

    fn pairing(table: u32, userids: [&str; 2], points: Option<[f64; 2]>) -> TournamentPairing {
        let seat = |index: usize| PairingSeat {
            userid: userids[index].to_owned(),
            points: points.map(|points| points[index]),
            forfeit: false,
        };
        TournamentPairing {
            group: "a".to_owned(),
            round: 1,
            table,
            state: if points.is_some() { PairingState::Over } else { PairingState::Open },
            bye: false,
            deadline: None,
            boards: vec![BoardRef { game: "osbox".to_owned(), number: 100 + table }],
            seats: vec![seat(0), seat(1)],
        }
    }

    fn of_three() -> TournamentView {
        TournamentView {
            line: TournamentLine {
                name: TournamentName(1),
                title: "Winter cup".to_owned(),
                game: "osbox".to_owned(),
                options: String::new(),
                form: TournamentForm::RoundRobin,
                rules: "berger".to_owned(),
                state: TournamentState::Running,
                director: None,
                round: 1,
                rounds: Some(1),
                entered: 3,
                minimum: 3,
                maximum: 3,
                starts: None,
                started: None,
                ended: None,
                deadline: None,
            },
            description: String::new(),
            next: None,
            director_key: None,
            tiebreaks: vec!["DE".to_owned(), "SB".to_owned()],
            players: vec![player("ann", 1, 1.5), player("bob", 2, 0.5), player("carol", 3, 0.0)],
            pairings: vec![
                pairing(1, ["bob", "ann"], Some([0.5, 0.5])),
                pairing(2, ["ann", "carol"], Some([1.0, 0.0])),
                pairing(3, ["carol", "bob"], None),
            ],
            changes: Vec::new(),
            as_of: None,
            terms: TournamentTerms::default(),
        }
    }

    fn only(view: &TournamentView) -> ShownGroup {
        let mut tables = group_tables(view, None);
        assert_eq!(tables.len(), 1);
        tables.remove(0)
    }

    #[test]
    fn a_small_group_is_crossed() {
        let table = only(&of_three());
        let titles: Vec<&str> = table.standings.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["#", "Player", "1", "2", "3", "Pts", "DE", "SB"]);
        assert_eq!(
            table.standings.rows,
            [
                ["1", "ann", "*", "½", "1", "1½", "1½", "1.25"],
                ["2", "bob", "½", "*", ".", "½", "½", "1.25"],
                ["3", "carol", "0", ".", "*", "0", "0", "1.25"],
            ]
        );
        assert_eq!(table.pairings.rows[0], ["101", "bob", "ann", "½ : ½"]);
        assert_eq!(table.pairings.rows[2], ["103", "carol", "bob", "is played"]);
    }

    #[test]
    fn games_of_one_who_left_early_count_for_nobody_and_stand_in_brackets() {
        let mut view = of_three();
        view.players[2].counts = false;
        view.players[2].state = PlayerState::Withdrawn;
        let table = only(&view);
        assert_eq!(table.standings.rows[0][4..6], ["(1)", "½"]);
        assert_eq!(table.standings.rows[2][1], "carol (out)");
        assert_eq!(table.pairings.rows[1][3], "(1 : 0)");
    }

    #[test]
    fn a_game_decided_before_its_loser_moved_is_marked_and_two_games_are_added() {
        let mut view = of_three();
        view.pairings[1].seats[1].forfeit = true;
        assert_eq!(only(&view).standings.rows[0][4], "+");
        assert_eq!(only(&view).standings.rows[2][2], "-");
        view.pairings[1].boards.push(BoardRef { game: "osbox".to_owned(), number: 112 });
        view.pairings[1].seats[0].points = Some(1.5);
        let table = only(&view);
        assert_eq!(table.standings.rows[0][4], "1½");
        assert_eq!(table.pairings.rows[1][0], "102 112");
    }

    #[test]
    fn rounds_and_groups_are_tables_of_their_own_the_last_first() {
        let mut view = of_three();
        for (round, group) in [(1, "b"), (2, "a")] {
            view.pairings.push(TournamentPairing {
                round,
                group: group.to_owned(),
                ..pairing(1, ["ann", "bob"], None)
            });
        }
        let names = |part: Option<TournamentPart>| {
            let tables = group_tables(&view, part.as_ref());
            tables.iter().map(|table| format!("{}{}", table.round, table.group)).collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["2a", "1a", "1b"]);
        assert_eq!(names(Some(TournamentPart::Round(1))), ["1a", "1b"]);
        assert_eq!(names(Some(TournamentPart::Group("b".to_owned()))), ["1b"]);
        // Of an earlier round the tie-breaks are not shown: they are of the last one.
        assert_eq!(group_tables(&view, Some(&TournamentPart::Round(1)))[0].standings.columns.len(), 6);
    }

    #[test]
    fn the_state_says_what_comes_next() {
        let mut view = of_three();
        assert_eq!(state_text(&view), "Round 1 of 1 is being played. Then it is over.");
        assert_eq!(standing(&view.line), ("3, round 1/1".to_owned(), String::new()));
        view.line.rounds = Some(2);
        view.line.deadline = Some(Moment::from(0));
        let text = state_text(&view);
        assert!(
            text.contains("until 1970-01-01 00:00 UTC")
                && text.ends_with("Then the first 2 of each group go on."),
            "{text}"
        );
        view.line.state = TournamentState::Open;
        view.next = Some(TournamentName(2));
        let text = state_text(&view);
        assert!(
            text.starts_with("It is open: 3 of 3 players")
                && text.ends_with("t2 takes entries with the same terms."),
            "{text}"
        );
        assert_eq!(standing(&view.line), ("3/3".to_owned(), "full".to_owned()));
        view.line.state = TournamentState::Over;
        view.players[1].place = Some(1);
        assert!(state_text(&view).starts_with("It is over, and was won by ann and bob."));
    }

    #[test]
    fn a_large_group_is_a_list() {
        let mut view = of_three();
        view.players = (1..=13).map(|place| player(&format!("user{place}"), place, 0.0)).collect();
        view.pairings =
            (1..13).map(|table| pairing(table, ["user13", &format!("user{table}")], None)).collect();
        let table = only(&view);
        assert_eq!(table.crosses, None);
        assert_eq!(table.standings.columns.len(), 5);
    }
}
