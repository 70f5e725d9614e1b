//! The games on offer.

use axum::Json;
use axum::extract::State;
use knotpost_rules::{AnyGame, OptionKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Web;
use crate::error::Problem;
use crate::extract::ApiPath;
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;
use knotpost_core::queries::view_games;
use knotpost_core::replies::GameCount;

/// The games on offer.
#[derive(Serialize, JsonSchema)]
pub(super) struct Games {
    /// In the order of the start page.
    games: Vec<Game>,
}

/// A game.
#[derive(Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the names that programs read")]
pub(super) struct Game {
    /// Its name in commands and addresses.
    game: &'static str,
    /// Its name for people.
    title: &'static str,
    /// Other words that commands take for it.
    aliases: &'static [&'static str],
    /// Its kind: `knots`, `connection`, `line`, `territory`, `capture`, `race`, `blockade`, `sowing`, `dice` or `chess`.
    kind: &'static str,
    /// The amount of rules to learn, from 1 to 3.
    weight: u8,
    /// Moves of a usual game.
    length: u16,
    /// Description in half a sentence.
    summary: &'static str,
    /// Its inventor.
    credit: &'static str,
    /// The version of the rules that new boards are played under.
    rules_version: u32,
    /// Range of the number of players.
    players: PlayerRange,
    /// The options of a challenge.
    options: Vec<GameOption>,
    /// Numbers of its boards.
    boards: BoardCounts,
}

/// Range of the number of players.
#[derive(Serialize, JsonSchema)]
struct PlayerRange {
    least: usize,
    most: usize,
}

/// An option of a challenge.
#[derive(Serialize, JsonSchema)]
struct GameOption {
    /// Its name.
    name: &'static str,
    /// Form in which it is given.
    kind: GameOptionKind,
    /// The words that stand for it.
    words: Vec<&'static str>,
    /// Usage, such as `-size=N`.
    usage: String,
    /// Value that holds without it.
    default: String,
    /// Its effect.
    help: &'static str,
}

/// Form in which an option is given.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GameOptionKind {
    /// By its name alone.
    Flag,
    /// By one of two names.
    Either,
    /// With a number.
    Number,
    /// With one of several words.
    Choice,
    /// With a text.
    Text,
}

/// Numbers of the boards of a game.
#[derive(Serialize, JsonSchema)]
struct BoardCounts {
    /// Being played.
    active: i64,
    /// Finished.
    over: i64,
}

pub(super) const LIST: Operation =
    Operation::new("list_games", Tag::Games, "The games on offer").gives::<Games>("The games.");

pub(super) async fn list(State(web): State<Web>) -> Result<Json<Games>, Problem> {
    let counts = view_games(&web.app).await?;
    let games = counts.iter().filter_map(|count| Some(describe(web.app.offered_game(&count.game)?, count)));
    Ok(Json(Games { games: games.collect() }))
}

pub(super) const SHOW: Operation =
    Operation::new("show_game", Tag::Games, "A game, its options and its boards")
        .gives::<Game>("The game.")
        .refuses(&[Code::UnknownGame]);

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath(name): ApiPath<String>,
) -> Result<Json<Game>, Problem> {
    let missing = || Problem::new(Code::UnknownGame, format!("there is no game `{name}` here"));
    let game = web.app.game(&name.to_lowercase()).ok_or_else(missing)?;
    let counts = view_games(&web.app).await?;
    let count = counts.iter().find(|count| count.game == game.meta().name).ok_or_else(missing)?;
    Ok(Json(describe(game, count)))
}

fn describe(game: &dyn AnyGame, count: &GameCount) -> Game {
    let meta = game.meta();
    let options = meta.options.iter().map(|option| GameOption {
        name: option.name,
        kind: match option.kind {
            OptionKind::Flag => GameOptionKind::Flag,
            OptionKind::Either(..) => GameOptionKind::Either,
            OptionKind::Number { .. } => GameOptionKind::Number,
            OptionKind::Choice(_) => GameOptionKind::Choice,
            OptionKind::Text { .. } => GameOptionKind::Text,
        },
        words: option.words(),
        usage: option.usage(),
        default: option.default_text(),
        help: option.help,
    });
    Game {
        game: meta.name,
        title: meta.title,
        aliases: meta.aliases,
        kind: meta.kind.word(),
        weight: meta.weight,
        length: meta.length,
        summary: meta.summary,
        credit: meta.credit,
        rules_version: meta.rules_version,
        players: PlayerRange { least: *meta.players.start(), most: *meta.players.end() },
        options: options.collect(),
        boards: BoardCounts { active: count.active, over: count.over },
    }
}
