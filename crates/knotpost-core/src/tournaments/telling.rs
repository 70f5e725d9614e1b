//! Telling players and the director what happened, as the log has it: some players in a transaction.

use knotpost_commands::TournamentPart;
use serde::Serialize;
use serde_json::json;

use super::layout::{ShownGroup, excerpt, group_tables, legend};
use super::reading::{find_tournament, show};
use super::view::TournamentView;
use crate::app::App;
use crate::boards::{Games, ServiceError};
use crate::mailing::digest::put_news_into_digest;
use crate::mailing::post::post_about_tournament;
use crate::replies::{Column, Content, Fact, Facts, Reply, Table};
use crate::webhooks::queue_for_tournament;
use knotpost_model::{
    LeaveReason, Millis, PlayerState, TournamentAction, TournamentForm, TournamentName, TournamentState,
    UserKey,
};
use knotpost_storage::{LogRow, PairedSeat, PlayerRow, StoreError, TournamentRow, UserState, WriteTx};

/// Players whom one transaction tells: moves wait for it.
const MOST_PLAYERS: usize = 5;

/// Final tables of a tournament or a season. Those of a thousand players take longer than a move may wait, so they are made
/// outside of the transactions that tell of them.
#[derive(Debug)]
pub(crate) struct FinalTables {
    view: TournamentView,
    groups: Vec<ShownGroup>,
}

pub(crate) async fn final_tables(app: &App, name: TournamentName) -> Result<FinalTables, ServiceError> {
    let mut tx = app.store.read().await?;
    let row = find_tournament(&mut tx, name).await?;
    let view = show(&mut tx, row, None).await?;
    let groups = group_tables(&view, Some(&TournamentPart::Round(view.line.round)));
    Ok(FinalTables { view, groups })
}

pub(super) fn needs_tables(entry: &LogRow) -> bool {
    matches!(entry.action, TournamentAction::Over | TournamentAction::SeasonOver)
}

/// The tournament that a mail is about.
#[derive(Clone, Debug, Serialize)]
struct About {
    /// The reader.
    userid: String,
    name: TournamentName,
    title: String,
    /// Title of the game.
    game: String,
    /// `round` or `season`, and `group` or `division`.
    round_word: &'static str,
    group_word: &'static str,
    round: i64,
    deadline: Option<String>,
}

/// A round begins, or its deadline is near: the reader's boards.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the boards are what the mail is about")]
struct Boards<const STARTS: bool> {
    #[serde(flatten)]
    about: About,
    /// `None`: all play in one.
    group: Option<String>,
    /// Points without an opponent in this round; `None`: there is one.
    bye: Option<f64>,
    has_boards: bool,
    #[serde(skip)]
    boards: Vec<[String; 4]>,
}

impl Content for Boards<true> {
    const TEMPLATE: &'static str = "tournament_started";

    fn facts(&self) -> Facts {
        Facts::of(self).table("table", boards_table(&self.boards))
    }
}

impl Content for Boards<false> {
    const TEMPLATE: &'static str = "tournament_deadline";

    fn facts(&self) -> Facts {
        Facts::of(self).table("table", boards_table(&self.boards))
    }
}

fn boards_table(boards: &[[String; 4]]) -> Table {
    let columns = vec![
        Column::of_numbers("Board", 5),
        Column::of_words("Opponent", 12),
        Column::of_numbers("Seat", 4),
        Column::of_words("State", 8),
    ];
    Table { columns, rows: boards.iter().map(|board| board.to_vec()).collect() }
}

/// The reader is out.
#[derive(Debug, Serialize)]
struct Out {
    #[serde(flatten)]
    about: About,
    why: LeaveReason,
    /// Their games count for nobody.
    counts: bool,
    /// The time until which they can enter nothing.
    barred: Option<String>,
}

impl Content for Out {
    const TEMPLATE: &'static str = "tournament_out";
}

#[derive(Debug, Serialize)]
struct Over {
    #[serde(flatten)]
    about: About,
    place: Option<u32>,
    /// Start of the next season, where a season alone is over.
    starts: Option<String>,
    next: Option<TournamentName>,
    #[serde(skip)]
    groups: Vec<ShownGroup>,
    #[serde(skip)]
    legend: &'static str,
}

impl Content for Over {
    const TEMPLATE: &'static str = "tournament_over";

    fn facts(&self) -> Facts {
        let group = |group: &ShownGroup| {
            Facts::of(&json!({ "heading": group.heading })).table("standings", group.standings.clone())
        };
        Facts::of(self)
            .with("groups", Fact::Parts(self.groups.iter().map(group).collect()))
            .prose("legend", self.legend.to_owned())
    }
}

/// An action of the director, or of the server, of which all players are told.
#[derive(Debug, Serialize)]
struct News {
    #[serde(flatten)]
    about: About,
    action: TournamentAction,
    by: Option<String>,
    subject: Option<String>,
    starts: Option<String>,
    #[serde(skip)]
    words: String,
}

impl Content for News {
    const TEMPLATE: &'static str = "tournament_news";

    fn facts(&self) -> Facts {
        Facts::of(self).prose("words", (!self.words.is_empty()).then(|| self.words.clone()))
    }
}

/// News for the director.
#[derive(Debug, Serialize)]
struct ToDirector {
    #[serde(flatten)]
    about: About,
    action: TournamentAction,
    subject: Option<String>,
    why: Option<LeaveReason>,
    board: Option<i64>,
    players: usize,
    starts: Option<String>,
}

impl Content for ToDirector {
    const TEMPLATE: &'static str = "tournament_director";
}

fn about(games: &Games, row: &TournamentRow, userid: &str) -> About {
    let (round_word, group_word) = match row.form {
        TournamentForm::League => ("season", "division"),
        TournamentForm::RoundRobin | TournamentForm::Swiss | TournamentForm::Ladder => ("round", "group"),
    };
    About {
        round_word,
        group_word,
        userid: userid.to_owned(),
        name: row.id,
        title: row.title.clone(),
        game: games.find(&row.game).map_or_else(|| row.game.clone(), |game| game.meta().title.to_owned()),
        round: row.round,
        deadline: row.deadline.map(Millis::to_readable),
    }
}

/// Tells the next players of an entry of the log, and the director with the first of them.
pub(super) async fn tell(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    entry: &LogRow,
    tables: Option<&FinalTables>,
    now: Millis,
) -> Result<(), ServiceError> {
    let Some(after) = entry.told_after else { return Ok(()) };
    let players = tx.tournament_players(row.id).await?;
    if after == 0 || after == i64::MAX {
        tell_director(tx, app, row, entry, &players, now).await?;
    }
    let mut next: Vec<&PlayerRow> = players.iter().filter(|player| player.entry > after).collect();
    let is_last = next.len() <= MOST_PLAYERS;
    next.truncate(MOST_PLAYERS);
    if next.is_empty() {
        return Ok(tx.set_told(entry.id, None).await?);
    }
    let seats = match entry.action {
        TournamentAction::Opened | TournamentAction::Remind => tx.paired_seats(row.id, row.round).await?,
        _ => Vec::new(),
    };
    let last = next.last().map(|player| player.entry);
    let here = |player: &&PlayerRow| {
        player.state == PlayerState::In && !player.is_bot && player.user_state == UserState::Active
    };
    for player in next.into_iter().filter(here) {
        if let Some(reply) = letter(app, row, entry, player, (&players, &seats), tables) {
            post_news(tx, app, row, (entry.action, &reply), player.user_id, now).await?;
        }
    }
    Ok(tx.set_told(entry.id, last.filter(|_| !is_last)).await?)
}

/// News for a player; `None`: it is not about them.
fn letter(
    app: &App,
    row: &TournamentRow,
    entry: &LogRow,
    player: &PlayerRow,
    (players, seats): (&[PlayerRow], &[PairedSeat]),
    tables: Option<&FinalTables>,
) -> Option<Reply> {
    let about = about(&app.games, row, &player.userid);
    match entry.action {
        TournamentAction::Opened => {
            let Own { group, bye, boards } = boards_of(row, player, players, seats, false);
            let has_boards = !boards.is_empty();
            (has_boards || bye.is_some())
                .then(|| Reply::from(Boards::<true> { about, group, bye, has_boards, boards }))
        }
        TournamentAction::Remind => {
            let Own { group, boards, .. } = boards_of(row, player, players, seats, true);
            let has_boards = !boards.is_empty();
            has_boards.then(|| Reply::from(Boards::<false> { about, group, bye: None, has_boards, boards }))
        }
        TournamentAction::Over | TournamentAction::SeasonOver => {
            let FinalTables { view, groups } = tables?;
            let line = view.players.iter().find(|line| line.userid == player.userid)?;
            let is_season = entry.action == TournamentAction::SeasonOver;
            let groups: Vec<ShownGroup> = groups
                .iter()
                .filter(|group| !is_season || Some(&group.group) == line.group.as_ref())
                .map(|group| excerpt(group, line))
                .collect();
            let starts = row.starts_at.filter(|_| is_season).map(Millis::to_readable);
            // Players who have entered since have not played the season.
            (!is_season || line.group.is_some()).then(|| {
                Reply::from(Over {
                    about,
                    place: line.place,
                    starts,
                    next: row.next_id.filter(|_| !is_season),
                    groups,
                    legend: legend(view),
                })
            })
        }
        _ => Some(Reply::from(News {
            about,
            action: entry.action,
            by: entry.userid.clone(),
            subject: entry.subject.clone(),
            starts: row.starts_at.map(Millis::to_readable),
            words: entry.words.clone(),
        })),
    }
}

/// A player's part of a round.
struct Own {
    group: Option<String>,
    bye: Option<f64>,
    /// Number, opponent, seat, and the state.
    boards: Vec<[String; 4]>,
}

fn boards_of(
    row: &TournamentRow,
    player: &PlayerRow,
    players: &[PlayerRow],
    seats: &[PairedSeat],
    is_open_only: bool,
) -> Own {
    let mut own_part = Own { group: None, bye: None, boards: Vec::new() };
    let here: Vec<&PairedSeat> = seats.iter().filter(|seat| seat.round == row.round).collect();
    for board in here.chunk_by(|a, b| (a.pairing_id, a.game) == (b.pairing_id, b.game)) {
        let Some(own) = board.iter().find(|seat| seat.entry == player.entry) else { continue };
        let other = board.iter().find(|seat| seat.entry != player.entry);
        if row.form != TournamentForm::Swiss {
            own_part.group = Some(own.pool.clone());
        }
        if other.is_none() {
            own_part.bye = own.points.map(|halves| halves as f64 / 2.0);
            continue;
        }
        if is_open_only && own.points.is_some() {
            continue;
        }
        let opponent = other
            .and_then(|seat| players.iter().find(|player| player.entry == seat.entry))
            .map(|player| player.userid.clone());
        let state = match own.points {
            None => "",
            Some(2) => "won",
            Some(0) => "lost",
            Some(_) => "tied",
        };
        own_part.boards.push([
            own.board.map(|number| number.to_string()).unwrap_or_default(),
            opponent.unwrap_or_default(),
            own.seat.to_string(),
            state.to_owned(),
        ]);
    }
    own_part
}

async fn tell_director(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    entry: &LogRow,
    players: &[PlayerRow],
    now: Millis,
) -> Result<(), StoreError> {
    let Some(director) = row.director_id else { return Ok(()) };
    let is_own = entry.userid.is_some() && entry.userid == row.director;
    let is_told_as_player = entry.told_after == Some(0)
        && players.iter().any(|player| player.user_id == director && player.state == PlayerState::In);
    let is_for_players = matches!(entry.action, TournamentAction::Remind | TournamentAction::Say);
    if is_own || is_told_as_player || is_for_players {
        return Ok(());
    }
    let left = |player: &&PlayerRow| Some(player.user_id) == entry.subject_id && player.left_why.is_some();
    let subject = players.iter().rev().find(left);
    let reply = Reply::from(ToDirector {
        about: about(&app.games, row, row.director.as_deref().unwrap_or_default()),
        action: entry.action,
        subject: entry.subject.clone(),
        why: subject.and_then(|player| player.left_why),
        board: entry.board,
        players: players.iter().filter(|player| player.state == PlayerState::In).count(),
        starts: row.starts_at.map(Millis::to_readable),
    });
    post_news(tx, app, row, (entry.action, &reply), director, now).await
}

/// Queues a mail, or keeps it for the mail of the day of a user who wants that: all but what begins boards, and that
/// somebody is out. Boards and deadlines that would be told of too late do not wait either.
async fn post_news(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    (action, reply): (TournamentAction, &Reply),
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    let (can_wait, needed) = match action {
        TournamentAction::Opened => (row.form == TournamentForm::Swiss && row.round > 1, row.deadline),
        TournamentAction::Out => (false, None),
        TournamentAction::Remind => (true, row.deadline),
        _ => (true, None),
    };
    if can_wait && put_news_into_digest(tx, app, (user, &row.game), reply, needed, now).await? {
        return Ok(());
    }
    post_about_tournament(tx, app, reply, (row.id, user), now).await
}

/// Queues an event of the tournament for the webhooks of its players and its director.
pub(super) async fn tell_webhooks(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    players: &[PlayerRow],
    kind: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let is_in = |player: &&PlayerRow| player.state == PlayerState::In && !player.is_bot;
    let mut users: Vec<UserKey> = players.iter().filter(is_in).map(|player| player.user_id).collect();
    users.extend(row.director_id.filter(|director| !users.contains(director)));
    let url = app.config.server.public_url.trim_end_matches('/');
    let mut data = serde_json::Map::new();
    data.insert("tournament".into(), row.id.to_string().into());
    data.insert("title".into(), row.title.clone().into());
    data.insert("game".into(), row.game.clone().into());
    data.insert("round".into(), row.round.into());
    data.insert("deadline".into(), row.deadline.map(Millis::to_rfc3339).into());
    data.insert("url".into(), format!("{url}/tournaments/{}", row.id).into());
    queue_for_tournament(tx, app, kind, &data, &users, now).await
}

/// Tells a player who is out why, unless they know: they withdrew, or left the server.
pub(super) async fn tell_out(
    tx: &mut WriteTx,
    app: &App,
    row: &TournamentRow,
    player: &PlayerRow,
    barred: Option<Millis>,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(why) =
        player.left_why.filter(|why| !matches!(why, LeaveReason::Withdrew | LeaveReason::Deleted))
    else {
        return Ok(());
    };
    if player.is_bot {
        return Ok(());
    }
    let reply = Reply::from(Out {
        about: about(&app.games, row, &player.userid),
        why,
        counts: player.counts,
        barred: barred.map(Millis::to_readable),
    });
    post_about_tournament(tx, app, &reply, (row.id, player.user_id), now).await
}

/// Tells a user that they direct a tournament from now on.
pub(super) async fn tell_new_director(
    tx: &mut WriteTx,
    app: &App,
    name: TournamentName,
    user: UserKey,
    now: Millis,
) -> Result<(), ServiceError> {
    let row = find_tournament(tx, name).await?;
    let players = tx.tournament_players(name).await?;
    let reply = Reply::from(ToDirector {
        about: about(&app.games, &row, row.director.as_deref().unwrap_or_default()),
        action: TournamentAction::Hand,
        subject: None,
        why: None,
        board: None,
        players: players.iter().filter(|player| player.state == PlayerState::In).count(),
        starts: row.starts_at.filter(|_| row.state == TournamentState::Open).map(Millis::to_readable),
    });
    Ok(post_about_tournament(tx, app, &reply, (name, user), now).await?)
}
