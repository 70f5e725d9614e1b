//! Ladders: whoever wins against somebody above takes their place.

use crate::config::Config;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::boards::open_boards;
use super::reading::{find_tournament, line_of, read_terms, show_pairings};
use super::rounds::{Group, pair_group};
use super::view::{TournamentPlayer, TournamentView};
use crate::app::App;
use crate::boards::{Code, Games, Refusal, ServiceError, find_offered_game};
use knotpost_model::{
    BoardRef, Millis, PlayerState, TournamentAction, TournamentForm, TournamentName, TournamentState, UserKey,
};
use knotpost_storage::{
    ClimbRow, LogRow, NewLogEntry, NewPairing, OpenChallenge, PlayerRow, ReadTx, StayRow, StoreError,
    TallyRow, TournamentRow, UserRow, WriteTx,
};
use knotpost_tournaments::Ladder;

const DAY_MS: i64 = 86_400_000;
/// Challenges of a player that are played at once.
const MOST_ASKED: usize = 2;
/// Challenges to a player that are played at once.
const MOST_CHALLENGED: usize = 2;
/// Time between the end of a game of two players and their next one.
const REST_DAYS: i64 = 14;
/// A ladder is one group in one round.
const POOL: &str = "a";
const ROUND: i64 = 1;
/// Pairings shown beside those that are played.
const MOST_PAIRINGS: i64 = 50;
const MOST_CHANGES: i64 = 10;

/// The opponents that a player of a ladder can have at once.
pub(super) const MOST_OPPONENTS: i64 = (MOST_ASKED + MOST_CHALLENGED) as i64;

/// Lets a ladder run from its announcement on.
pub(super) async fn begin(tx: &mut WriteTx, id: TournamentName, now: Millis) -> Result<(), StoreError> {
    let Some(row) = tx.tournament(id).await? else { return Ok(()) };
    let row = TournamentRow { state: TournamentState::Running, started_at: Some(now), round: ROUND, ..row };
    tx.update_tournament(&row).await
}

/// Puts a user who has entered at the bottom.
pub(super) async fn enter(
    tx: &mut WriteTx,
    id: TournamentName,
    (entry, user): (i64, UserKey),
    now: Millis,
) -> Result<(), StoreError> {
    tx.put_last(id, entry, POOL).await?;
    let came = NewLogEntry { user: Some(user), ..NewLogEntry::of_server(TournamentAction::Enter) };
    tx.log_tournament(id, &came, now).await
}

/// A ladder as one player sees it.
struct Standing {
    name: TournamentName,
    window: usize,
    /// The first on top.
    players: Vec<PlayerRow>,
    open: Vec<OpenChallenge>,
    /// Ends of the player's last games with others, as far as they bar another one.
    met: HashMap<UserKey, Millis>,
    away: HashMap<UserKey, Millis>,
}

impl Standing {
    async fn read(
        tx: &mut ReadTx,
        row: &TournamentRow,
        user: UserKey,
        now: Millis,
    ) -> Result<Self, StoreError> {
        let mut players = tx.ladder_players(row.id, (ROUND, POOL), 0).await?;
        players.retain(|player| player.state == PlayerState::In);
        let since = now.plus(-REST_DAYS * DAY_MS);
        Ok(Self {
            name: row.id,
            window: read_terms(row)?.window().into(),
            players,
            open: tx.open_challenges(row.id).await?,
            met: tx.last_meetings(row.id, user, since).await?.into_iter().collect(),
            away: tx.players_away(row.id, now).await?.into_iter().collect(),
        })
    }

    /// Index of a player from the top.
    fn place(&self, is_meant: impl Fn(&PlayerRow) -> bool) -> Option<usize> {
        self.players.iter().position(is_meant)
    }

    /// Indices of those within reach of a player, the highest first.
    fn reach(&self, own: usize) -> std::ops::Range<usize> {
        own.saturating_sub(self.window)..own
    }

    /// The reason why one cannot challenge another now, with the time or the event until which it holds.
    fn obstacle(&self, own: usize, other: usize) -> Option<Refusal> {
        let (one, rival) = (self.players.get(own)?, self.players.get(other)?);
        let (me, userid, name) = (one.entry, &rival.userid, self.name);
        let conflict = |message: String| Refusal::new(Code::Conflict, message);
        if own == other {
            return Some(conflict("nobody plays against themselves on a ladder".to_owned()));
        }
        if other > own {
            return Some(
                conflict(format!("{userid} stands below you; a challenge goes upwards"))
                    .hint("Whoever stands below can challenge you."),
            );
        }
        if own - other > self.window {
            let reach = self.players.get(self.reach(own)).unwrap_or_default().iter();
            let reach: Vec<&str> = reach.map(|player| player.userid.as_str()).collect();
            return Some(
                conflict(format!(
                    "{userid} stands {} places above you; on {name} a challenge reaches {} up",
                    own - other,
                    self.window
                ))
                .hint(format!("Within your reach: {}.", reach.join(", "))),
            );
        }
        if let Some(until) = self.away.get(&one.user_id) {
            return Some(
                conflict(format!("you are on vacation until {}", until.to_readable()))
                    .hint("`vacation USERID PASSWORD off` ends it earlier."),
            );
        }
        if let Some(until) = self.away.get(&rival.user_id) {
            let until = until.to_readable();
            return Some(
                conflict(format!("{userid} is on vacation until {until}"))
                    .hint(format!("{userid} can be challenged from then on.")),
            );
        }
        let is_of =
            |open: &&OpenChallenge, one: i64, other: i64| (open.challenger, open.challenged) == (one, other);
        let between =
            self.open.iter().find(|open| is_of(open, me, rival.entry) || is_of(open, rival.entry, me));
        if let Some(open) = between {
            return Some(
                conflict(format!("you play {userid} already, on board {}", open.board))
                    .hint(format!("The next game can begin {REST_DAYS} days after that one.")),
            );
        }
        if let Some(last) = self.met.get(&rival.user_id) {
            let from = last.plus(REST_DAYS * DAY_MS).to_readable();
            return Some(
                conflict(format!(
                    "your last game with {userid} ended less than {REST_DAYS} days ago, on {}",
                    last.to_readable()
                ))
                .hint(format!("You can challenge {userid} again from {from} on.")),
            );
        }
        let asked: Vec<i64> =
            self.open.iter().filter(|open| open.challenger == me).map(|open| open.board).collect();
        if asked.len() >= MOST_ASKED {
            return Some(
                Refusal::new(
                    Code::NotAllowed,
                    format!(
                        "you have challenged {} players, on boards {}; {MOST_ASKED} at once is the most",
                        asked.len(),
                        join(&asked)
                    ),
                )
                .hint("When one of these games is over, the same challenge can begin."),
            );
        }
        let challenged: Vec<i64> =
            self.open.iter().filter(|open| open.challenged == rival.entry).map(|open| open.board).collect();
        if challenged.len() >= MOST_CHALLENGED {
            return Some(
                Refusal::new(
                    Code::NotAllowed,
                    format!(
                        "{userid} has been challenged by {} players, on boards {}; {MOST_CHALLENGED} at once is the most",
                        challenged.len(),
                        join(&challenged)
                    ),
                )
                .hint("When one of these games is over, the same challenge can begin."),
            );
        }
        None
    }
}

fn join(boards: &[i64]) -> String {
    boards.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

/// A challenge that has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Challenge")]
pub struct Challenged {
    #[schemars(with = "String")]
    pub tournament: TournamentName,
    /// Its title.
    pub title: String,
    /// The player above.
    pub opponent: String,
    /// One, or two with the seats changed.
    pub boards: Vec<BoardRef>,
}

/// Begins a game with somebody above; without a name, with the highest who can be challenged.
pub async fn challenge(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    (name, opponent): (TournamentName, Option<&str>),
    now: Millis,
) -> Result<Challenged, ServiceError> {
    let row = find_tournament(tx, name).await?;
    check_ladder(&app.config, &app.games, &row)?;
    let standing = Standing::read(tx, &row, user.id, now).await?;
    let Some(own) = standing.place(|player| player.user_id == user.id) else {
        return Err(Refusal::new(Code::Conflict, format!("you are not on {name}"))
            .hint(format!("`enter USERID PASSWORD {name}` puts you at the bottom."))
            .into());
    };
    let other = match opponent {
        Some(userid) => {
            let found = standing.place(|player| player.userid.eq_ignore_ascii_case(userid));
            let other = found.ok_or_else(|| {
                Refusal::new(Code::Conflict, format!("`{userid}` is not on {name}"))
                    .hint(format!("`tournament {name}` shows who is."))
            })?;
            if let Some(refusal) = standing.obstacle(own, other) {
                return Err(refusal.into());
            }
            other
        }
        None => highest(&standing, own)?,
    };
    let (Some(challenger), Some(rival)) = (standing.players.get(own), standing.players.get(other)) else {
        return Err(StoreError::Corrupt(format!("places of {name} changed while they were read")).into());
    };
    let terms = read_terms(&row)?;
    let number = tx.next_pairing_number(name, ROUND, POOL).await?;
    let group = Group { pool: POOL.to_owned(), entries: vec![rival.entry, challenger.entry] };
    let pairings: Vec<NewPairing> =
        pair_group(&group, terms.games).into_iter().map(|pairing| NewPairing { number, ..pairing }).collect();
    tx.insert_pairings(name, ROUND, None, &pairings).await?;
    open_boards(tx, app, &row, now).await?;
    let begun = tx.open_challenge(name, (challenger.entry, rival.entry)).await?;
    let boards = begun.into_iter().filter_map(|number| u32::try_from(number).ok());
    let boards = boards.map(|number| BoardRef { game: row.game.clone(), number }).collect();
    Ok(Challenged { tournament: name, title: row.title, opponent: rival.userid.clone(), boards })
}

fn check_ladder(config: &Config, games: &Games, row: &TournamentRow) -> Result<(), ServiceError> {
    let name = row.id;
    if row.form != TournamentForm::Ladder {
        let message = format!("{name} is no ladder, so nobody is challenged in it");
        return Err(Refusal::new(Code::Conflict, message)
            .hint("`tournaments` names the form of each.")
            .into());
    }
    if row.state != TournamentState::Running {
        return Err(Refusal::new(Code::Conflict, format!("{name} was cancelled")).into());
    }
    if !config.tournaments.enabled {
        let message = "no tournaments are played on this server";
        return Err(Refusal::new(Code::NotAllowed, message).into());
    }
    find_offered_game(games, &row.game).map(drop)
}

/// The highest player who can be challenged.
fn highest(standing: &Standing, own: usize) -> Result<usize, Refusal> {
    let mut refusals: Vec<Refusal> = Vec::new();
    for other in standing.reach(own) {
        match standing.obstacle(own, other) {
            None => return Ok(other),
            Some(refusal) => refusals.push(refusal),
        }
    }
    if refusals.is_empty() {
        let message = format!("you are on top of {}, and nobody stands above you", standing.name);
        return Err(Refusal::new(Code::Conflict, message).hint("Others can challenge you."));
    }
    // An obstacle of the challenger is the same for each of these challenges.
    refusals.dedup_by(|one, other| one.message == other.message);
    if refusals.len() == 1 {
        return refusals.pop().map_or(Ok(own), Err);
    }
    let message = "none of those within your reach can be challenged now";
    let refusal = Refusal::new(Code::Conflict, message);
    Err(refusals.into_iter().fold(refusal, |told, one| told.hint(reason(&one))))
}

/// A refusal as sentences.
fn reason(refusal: &Refusal) -> String {
    std::iter::once(format!("{}.", refusal.message))
        .chain(refusal.hints.iter().cloned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Somebody whom a player could challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    pub userid: String,
    pub place: u32,
    /// The reason why they cannot be challenged now; `None`: they can.
    pub reason: Option<String>,
}

/// Those within reach of a user, the highest first; `None`: the user is not on it, or it is no ladder.
pub(super) async fn rivals(
    tx: &mut ReadTx,
    config: &Config,
    games: &Games,
    name: TournamentName,
    user: UserKey,
    now: Millis,
) -> Result<Option<Vec<Rival>>, ServiceError> {
    let row = find_tournament(tx, name).await?;
    if check_ladder(config, games, &row).is_err() {
        return Ok(None);
    }
    let standing = Standing::read(tx, &row, user, now).await?;
    let Some(own) = standing.place(|player| player.user_id == user) else { return Ok(None) };
    let rival = |(other, player): (usize, &PlayerRow)| Rival {
        userid: player.userid.clone(),
        place: u32::try_from(other + 1).unwrap_or(u32::MAX),
        reason: standing.obstacle(own, other).map(|refusal| reason(&refusal)),
    };
    let reach = standing.reach(own);
    Ok(Some(standing.players.iter().enumerate().take(reach.end).skip(reach.start).map(rival).collect()))
}

/// A ladder as it is now, or with the places that its players had at a time.
pub(super) async fn show_ladder(
    tx: &mut ReadTx,
    row: TournamentRow,
    at: Option<Millis>,
) -> Result<TournamentView, StoreError> {
    let terms = read_terms(&row)?;
    let everybody = match at {
        None => tx.ladder_players(row.id, (ROUND, POOL), MOST_PAIRINGS).await?,
        Some(_) => tx.tournament_players(row.id).await?,
    };
    let by_entry: HashMap<i64, &PlayerRow> = everybody.iter().map(|player| (player.entry, player)).collect();
    let (order, tallies) = if let Some(at) = at {
        (order_at(tx, row.id, at).await?, HashMap::new())
    } else {
        let tallies = tx.ladder_tallies(row.id).await?;
        let tallies = tallies.into_iter().map(|tally| (tally.entry, tally)).collect();
        let present = everybody.iter().filter(|player| player.state == PlayerState::In);
        (present.map(|player| player.entry).collect(), tallies)
    };
    let players = (1..)
        .zip(order)
        .filter_map(|(place, entry)| Some(rung(by_entry.get(&entry)?, place, tallies.get(&entry))));
    let players: Vec<TournamentPlayer> = players.collect();
    let pairings = if at.is_some() {
        Vec::new()
    } else {
        let seats = tx.latest_seats(row.id, (ROUND, POOL), MOST_PAIRINGS).await?;
        show_pairings(&row.game, &everybody, &seats, |_| true)
    };
    let changes = tx.ladder_changes(row.id, MOST_CHANGES).await?;
    let count = players.len() as i64;
    Ok(TournamentView {
        description: row.description.clone(),
        next: None,
        director_key: row.director_id,
        tiebreaks: Vec::new(),
        players,
        pairings,
        changes: changes.iter().map(change).collect(),
        as_of: at.map(Into::into),
        line: line_of(row, &terms, Some(count)),
        terms,
    })
}

fn rung(player: &PlayerRow, place: u32, tally: Option<&TallyRow>) -> TournamentPlayer {
    let count = |count: fn(&TallyRow) -> i64| {
        tally.map(count).and_then(|count| u32::try_from(count).ok()).unwrap_or_default()
    };
    TournamentPlayer {
        userid: player.userid.clone(),
        number: Some(place),
        group: Some(POOL.to_owned()),
        round: u32::try_from(ROUND).ok(),
        state: player.state,
        left: player.left_why,
        counts: true,
        points: None,
        place: Some(place),
        tiebreaks: Vec::new(),
        won: count(|tally| tally.won),
        lost: count(|tally| tally.lost),
        tied: count(|tally| tally.tied),
        bot: player.is_bot,
        user: player.user_id,
    }
}

/// A change of places in words.
fn change(entry: &LogRow) -> String {
    let day = entry.at.to_readable();
    let day = day.split(' ').next().unwrap_or_default();
    let name = |userid: &Option<String>| userid.clone().unwrap_or_else(|| "somebody".to_owned());
    let (by, subject) = (name(&entry.userid), name(&entry.subject));
    match entry.action {
        TournamentAction::Enter => format!("{day} {by} came to the ladder"),
        TournamentAction::Climb => {
            let board = entry.board.map(|board| format!(" (board {board})")).unwrap_or_default();
            format!("{day} {by} won against {subject}{board} and took place {}", entry.words)
        }
        _ => format!("{day} {subject} left the ladder"),
    }
}

/// Entries of the players who were on a ladder at a time, the first on top.
async fn order_at(tx: &mut ReadTx, id: TournamentName, at: Millis) -> Result<Vec<i64>, StoreError> {
    let stays = tx.ladder_stays(id, at).await?;
    let climbs = tx.ladder_climbs(id, at).await?;
    Ok(replay(&stays, &climbs, at))
}

#[derive(Clone, Copy)]
enum Event {
    Came(i64),
    Climbed(i64, i64),
    Left(i64),
}

/// Plays all changes until a time again. At one moment players come before they climb, and climb before they leave.
fn replay(stays: &[StayRow], climbs: &[ClimbRow], at: Millis) -> Vec<i64> {
    let mut of_user: HashMap<UserKey, Vec<&StayRow>> = HashMap::new();
    for stay in stays {
        of_user.entry(stay.user_id).or_default().push(stay);
    }
    let entry_at = |user: UserKey, time: Millis| {
        let mut stays = of_user.get(&user)?.iter();
        stays.find(|stay| stay.left_at.is_none_or(|left| left >= time)).map(|stay| stay.entry)
    };
    let came = stays.iter().map(|stay| (stay.entered_at, 0, Event::Came(stay.entry)));
    let climbed = climbs.iter().filter_map(|climb| {
        let (one, other) = (entry_at(climb.challenger, climb.at)?, entry_at(climb.challenged, climb.at)?);
        Some((climb.at, 1, Event::Climbed(one, other)))
    });
    let left = stays.iter().filter_map(|stay| Some((stay.left_at?, 2, Event::Left(stay.entry))));
    let mut events: Vec<(Millis, u8, Event)> = came.chain(climbed).chain(left).collect();
    events.sort_by_key(|(at, kind, _)| (*at, *kind));
    let mut ladder = Ladder::new([]);
    for (_, _, event) in events.into_iter().filter(|(time, _, _)| *time <= at) {
        match event {
            Event::Came(entry) => ladder.enter(entry),
            Event::Climbed(one, other) => ladder.win(&one, &other),
            Event::Left(entry) => ladder.leave(&entry),
        }
    }
    ladder.places().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_storage::UserState;

    const NOW: Millis = Millis(100 * DAY_MS);

    fn player(entry: i64) -> PlayerRow {
        PlayerRow {
            entry,
            user_id: UserKey(entry),
            userid: format!("u{entry}"),
            is_bot: false,
            user_state: UserState::Active,
            rating: None,
            number: Some(entry),
            pool: Some(POOL.to_owned()),
            state: PlayerState::In,
            left_why: None,
            counts: true,
            leaving: false,
        }
    }

    fn standing() -> Standing {
        Standing {
            name: TournamentName(1),
            window: 3,
            players: (1..=8).map(player).collect(),
            open: Vec::new(),
            met: HashMap::new(),
            away: HashMap::new(),
        }
    }

    fn open(challenger: i64, challenged: i64) -> OpenChallenge {
        OpenChallenge { challenger, challenged, board: 100 + challenger }
    }

    #[test]
    fn a_refusal_names_the_condition_and_until_when() {
        type Change = fn(&mut Standing);
        let table: [(usize, usize, Change, &str, &str); 11] = [
            (5, 2, |_| (), "", ""),
            (5, 5, |_| (), "themselves", ""),
            (5, 6, |_| (), "u6 stands below you", "below"),
            (5, 1, |_| (), "u1 stands 4 places above you; on t1 a challenge reaches 3 up", "u2, u3, u4"),
            (5, 4, |at| at.away.extend([(UserKey(5), NOW)]), "you are on vacation until 1970-04-11", "off"),
            (5, 4, |at| at.away.extend([(UserKey(4), NOW)]), "u4 is on vacation until 1970-04-11", "then on"),
            (5, 4, |at| at.open.push(open(5, 4)), "you play u4 already, on board 105", "14 days after"),
            (5, 4, |at| at.open.push(open(4, 5)), "you play u4 already, on board 104", "14 days after"),
            (
                5,
                4,
                |at| at.met.extend([(UserKey(4), NOW.plus(-DAY_MS))]),
                "ended less than 14 days ago, on 1970-04-10",
                "from 1970-04-24",
            ),
            (
                5,
                4,
                |at| at.open.extend([open(5, 3), open(5, 2)]),
                "you have challenged 2 players, on boards 105 and 105",
                "is over",
            ),
            (
                5,
                4,
                |at| at.open.extend([open(6, 4), open(7, 4)]),
                "u4 has been challenged by 2 players, on boards 106 and 107",
                "is over",
            ),
        ];
        for (own, other, change, message, hint) in table {
            let mut standing = standing();
            change(&mut standing);
            let told = standing.obstacle(own - 1, other - 1);
            let told = told.map(|refusal| (refusal.message, refusal.hints.join(" ")));
            match told {
                None => assert_eq!(message, "", "{own} {other}"),
                Some((told, hints)) => {
                    assert!(!message.is_empty() && told.contains(message), "{told}");
                    assert!(hints.contains(hint), "{hints}");
                }
            }
        }
    }

    #[test]
    fn games_of_others_stand_in_nobodys_way() {
        let mut standing = standing();
        // Asked by the one, or played against another who asked.
        standing.open.extend([open(5, 3), open(4, 3), open(4, 2), open(7, 4), open(6, 5), open(8, 5)]);
        assert!(standing.obstacle(4, 3).is_none());
    }

    #[test]
    fn without_a_name_the_highest_who_can_be_challenged_is_meant() {
        let mut standing = standing();
        standing.away.insert(UserKey(2), NOW);
        assert_eq!(highest(&standing, 4).expect("somebody"), 2);
        standing.open.extend([open(5, 3), open(4, 5)]);
        let refusal = highest(&standing, 4).expect_err("nobody");
        assert_eq!(refusal.hints.len(), 3, "{refusal:?}");
        standing.open.push(open(5, 1));
        assert!(highest(&standing, 0).expect_err("nobody").message.contains("on top"));
        standing.away.insert(UserKey(5), NOW);
        assert!(highest(&standing, 4).expect_err("nobody").message.starts_with("you are on vacation"));
    }

    #[test]
    fn places_of_any_time_are_found_again() {
        let stay = |entry: i64, came: i64, left: Option<i64>| StayRow {
            entry,
            // The fifth entry is that of the second user, who came back.
            user_id: UserKey(if entry == 5 { 2 } else { entry }),
            entered_at: Millis(came),
            left_at: left.map(Millis),
        };
        let stays =
            [stay(1, 1, None), stay(2, 1, Some(6)), stay(3, 2, None), stay(4, 6, None), stay(5, 6, None)];
        let climbs = [(3, 3, 1), (6, 1, 3), (7, 2, 3)].map(|(at, one, other)| ClimbRow {
            at: Millis(at),
            challenger: UserKey(one),
            challenged: UserKey(other),
        });
        let at = |time: i64| replay(&stays, &climbs, Millis(time));
        assert_eq!(at(0), [0; 0]);
        assert_eq!(at(1), [1, 2]);
        assert_eq!(at(2), [1, 2, 3]);
        assert_eq!(at(3), [3, 1, 2]);
        assert_eq!(at(6), [1, 3, 4, 5]);
        assert_eq!(at(7), [1, 5, 3, 4]);
    }
}
