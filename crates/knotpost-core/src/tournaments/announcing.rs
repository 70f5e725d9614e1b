//! Announcing a tournament.

use knotpost_commands::GivenOption;

use super::ladder;
use super::reading::show;
use super::view::TournamentView;
use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_offered_game};
use crate::config::{Announcers, Config};
use crate::play::boards::game_options;
use crate::play::opponents::SEATS;
use knotpost_model::{
    Millis, TermsError, TournamentAction, TournamentForm, TournamentName, TournamentStart, TournamentTerms,
    TournamentText, UserKey,
};
use knotpost_storage::{NewLogEntry, NewTournament, StoreError, TournamentRow, UserRow, WriteTx};

const DAY_MS: i64 = 86_400_000;
/// Announcements of a user in a day.
const MOST_A_DAY: i64 = 3;

/// The rules by which pairings of a form are made: FIDE's tables, C.05 of the Handbook, and its Dutch system, C.04.3, of
/// 1 February 2026.
const fn rules_of(form: TournamentForm) -> &'static str {
    match form {
        TournamentForm::RoundRobin | TournamentForm::League => "berger",
        TournamentForm::Ladder => "challenges",
        TournamentForm::Swiss => "dutch-2026",
    }
}

/// A tournament to be announced.
#[derive(Clone, Copy, Debug)]
pub struct Announcement<'a> {
    pub game: &'a str,
    pub form: &'a str,
    /// Options of the game.
    pub options: &'a [GivenOption],
    /// Options of the tournament.
    pub terms: &'a [GivenOption],
    /// Title and description.
    pub text: &'a TournamentText,
}

/// Opens a tournament that this user directs.
pub async fn announce(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    announcement: Announcement<'_>,
    now: Millis,
) -> Result<TournamentView, ServiceError> {
    let game = find_offered_game(&app.games, announcement.game)?;
    let name = game.meta().name;
    let form = TournamentForm::read(announcement.form)
        .map_err(|error| Refusal::new(Code::BadOption, error.to_string()).about_game(name))?;
    let options = game_options(game, announcement.options, SEATS)?;
    let terms = TournamentTerms::read(form, announcement.terms, options.to_string(), now)
        .map_err(|error| refuse_terms(&error).about_game(name))?;
    check_fill(&app.config, &terms)?;
    check_announcer(tx, &app.config, user, now).await?;
    let starts_at = match terms.start {
        TournamentStart::Full => None,
        TournamentStart::Date(at) => Some(at),
    };
    let new = NewTournament {
        game: name.to_owned(),
        form,
        rules: rules_of(form),
        title: announcement.text.title.clone(),
        description: announcement.text.description.clone(),
        terms: to_json(&terms)?,
        announcer: Some(user.id),
        director: Some(user.id),
        starts_at,
        at: now,
    };
    let id = tx.insert_tournament(&new).await?;
    if form == TournamentForm::Ladder {
        ladder::begin(tx, id, now).await?;
    }
    let entry = NewLogEntry { user: Some(user.id), ..NewLogEntry::of_server(TournamentAction::Announce) };
    tx.log_tournament(id, &entry, now).await?;
    Ok(show_new(tx, id).await?)
}

/// Opens another tournament with the terms of one that begins.
pub(super) async fn repeat(
    tx: &mut WriteTx,
    row: &TournamentRow,
    director: Option<UserKey>,
    now: Millis,
) -> Result<TournamentName, StoreError> {
    let new = NewTournament {
        game: row.game.clone(),
        form: row.form,
        rules: rules_of(row.form),
        title: row.title.clone(),
        description: row.description.clone(),
        terms: row.terms.clone(),
        announcer: None,
        director,
        starts_at: None,
        at: now,
    };
    let id = tx.insert_tournament(&new).await?;
    tx.log_tournament(id, &NewLogEntry::of_server(TournamentAction::Repeat), now).await?;
    Ok(id)
}

fn refuse_terms(error: &TermsError) -> Refusal {
    Refusal::new(Code::BadOption, error.to_string())
}

fn to_json(terms: &TournamentTerms) -> Result<String, StoreError> {
    serde_json::to_string(terms).map_err(|error| StoreError::Corrupt(error.to_string()))
}

async fn show_new(tx: &mut WriteTx, id: TournamentName) -> Result<TournamentView, StoreError> {
    match tx.tournament(id).await? {
        Some(row) => show(tx, row, None).await,
        None => Err(StoreError::Corrupt("a tournament vanished inside its own transaction".to_owned())),
    }
}

fn check_fill(config: &Config, terms: &TournamentTerms) -> Result<(), Refusal> {
    if terms.fill.is_none() || config.bots.enabled {
        return Ok(());
    }
    Err(Refusal::new(Code::BadOption, "there are no computer players here that could fill up")
        .hint("Leave `-fill` out."))
}

/// Checks that a user may announce a tournament now; administrators always may.
async fn check_announcer(
    tx: &mut WriteTx,
    config: &Config,
    user: &UserRow,
    now: Millis,
) -> Result<(), ServiceError> {
    let settings = &config.tournaments;
    let refuse = |message: String| Refusal::new(Code::NotAllowed, message);
    if !settings.enabled {
        return Err(refuse("no tournaments are played on this server".to_owned()).into());
    }
    if user.role == "admin" {
        return Ok(());
    }
    if user.is_bot() {
        return Err(refuse("programs announce no tournaments".to_owned())
            .hint("The program's owner can, from an account of their own.")
            .into());
    }
    if settings.announce == Announcers::Admins {
        return Err(refuse("only administrators announce tournaments on this server".to_owned())
            .hint("`tournaments` lists those that take entries.")
            .into());
    }
    if !tx.has_finished_a_game(user.id).await? {
        return Err(refuse("users announce tournaments from their first finished board on".to_owned())
            .hint("Play one board to its end; then the same mail announces it.")
            .into());
    }
    let today = tx.count_announced(user.id, now.plus(-DAY_MS)).await?;
    if today >= MOST_A_DAY {
        return Err(refuse(format!(
            "you have announced {today} tournaments within a day; {MOST_A_DAY} can be"
        ))
        .hint("Tomorrow the same mail announces it.")
        .into());
    }
    let most = i64::from(settings.running_per_director);
    let directed = tx.count_directed(user.id).await?;
    if directed >= most {
        return Err(refuse(format!(
            "you direct {directed} tournaments that are not over; a user directs {most} at once"
        ))
        .hint("When one of them is over, or cancelled with `direct … cancel`, the same mail announces it.")
        .into());
    }
    Ok(())
}
