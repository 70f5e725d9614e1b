//! Formats of webhooks: signed data for programs, text for chat services, pushes for browsers.

use crate::boards::Games;
use crate::config::Config;
use serde_json::{Value, json};

use super::message::{Data, Move, Parcel, Proposal, Told};
use super::push;
use super::signing::HookSecret;
use crate::app::App;
use knotpost_model::{HookUrl, Millis, words};

/// Characters accepted by every service.
const LONGEST: usize = 1500;

words! {
    /// In which form a webhook is told.
    #[derive(Default, serde::Serialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    HookForm {
        /// Signed JSON for a program.
        #[default]
        Signed = "signed",
        /// A webhook of a channel of Discord.
        Discord = "discord",
        /// An incoming webhook of Slack.
        Slack = "slack",
        /// A topic of ntfy.
        Ntfy = "ntfy",
        /// A generic webhook of hookshot, the bridge to Matrix.
        Matrix = "matrix",
        /// The push service of a browser.
        #[schemars(skip)]
        Push = "push",
    }
}

impl HookForm {
    /// A form that users may choose.
    pub fn choose(word: &str) -> Option<Self> {
        Self::from_word(word).filter(|form| *form != Self::Push)
    }
}

/// Builds the request from a stored message, its id and text; `secret` is unsealed from the webhook's row. `None`: the
/// secret does not fit.
pub(super) fn pack(
    app: &App,
    form: HookForm,
    (url, secret): (&HookUrl, Vec<u8>),
    (id, body, told): (&str, &str, &Told),
    now: Millis,
) -> Option<Parcel> {
    Some(match form {
        HookForm::Signed => {
            let timestamp = now.0 / 1000;
            let signature = HookSecret::from_bytes(secret).sign(id, timestamp, body);
            let headers = vec![
                ("content-type", "application/json".to_owned()),
                ("webhook-id", id.to_owned()),
                ("webhook-timestamp", timestamp.to_string()),
                ("webhook-signature", signature),
            ];
            Parcel { headers, body: body.as_bytes().to_vec() }
        }
        // Mentions disabled, whatever the text.
        HookForm::Discord => in_json(
            &json!({ "content": with_link(&app.config, &app.games, told), "allowed_mentions": { "parse": [] } }),
        ),
        HookForm::Slack => in_json(&json!({ "text": for_slack(&with_link(&app.config, &app.games, told)) })),
        HookForm::Matrix => in_json(
            &json!({ "username": app.config.server.name, "text": with_link(&app.config, &app.games, told) }),
        ),
        HookForm::Ntfy => {
            let mut headers = vec![("content-type", "text/plain; charset=utf-8".to_owned())];
            if !told.data.url.is_empty() {
                headers.push(("click", told.data.url.clone()));
            }
            Parcel { headers, body: words(&app.config, &app.games, told).into_bytes() }
        }
        HookForm::Push => push::pack(app, (url, &secret), told, now)?,
    })
}

fn in_json(body: &Value) -> Parcel {
    let headers = vec![("content-type", "application/json".to_owned())];
    Parcel { headers, body: body.to_string().into_bytes() }
}

/// Slack reads three characters as markup (its documentation, "Formatting text for app surfaces").
fn for_slack(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn with_link(config: &Config, games: &Games, told: &Told) -> String {
    [words(config, games, told).as_str(), &told.data.url].join("\n").trim_end().to_owned()
}

fn words(config: &Config, games: &Games, told: &Told) -> String {
    let board = told.board(games);
    let Data { user, moves, chat, proposal, result, tournament, title, round, .. } = &told.data;
    let text = match told.kind.as_str() {
        "turn" => format!("{board}: it is your turn, {user}."),
        "move" => {
            let moves: Vec<String> = moves.iter().map(made).collect();
            format!("{board}: {}.", moves.join(", "))
        }
        "chat" => {
            chat.as_ref().map_or_else(String::new, |said| format!("{board}, {}: {}", said.by, said.text))
        }
        "proposal" => proposal.as_ref().map_or_else(String::new, |it| format!("{board}: {}", proposed(it))),
        "over" => match result.as_ref().map(|result| result.winners.as_slice()).unwrap_or_default() {
            [] => format!("{board} is over."),
            [one] => format!("{board} is over: {one} has won."),
            many => format!("{board} is over: {} share it.", many.join(", ")),
        },
        "tournament.started" => format!("Tournament {tournament}, {title}, has begun."),
        "tournament.round" => format!("Tournament {tournament}, {title}: round {round} has begun."),
        "tournament.over" => format!("Tournament {tournament}, {title}, is over."),
        _ => format!("{} can reach you here.", config.server.name),
    };
    text.chars().take(LONGEST).collect()
}

/// A move, or an action in its place.
fn made(Move { by, text }: &Move) -> String {
    match text.as_str() {
        "pass" => format!("{by} passed"),
        "swap" => format!("{by} swapped sides"),
        "resign" => format!("{by} resigned"),
        "forfeit" => format!("{by} lost on time"),
        text => format!("{by} played {text}"),
    }
}

fn proposed(Proposal { kind, by, state }: &Proposal) -> String {
    let is_draw = kind == "draw";
    match (by, state.as_str()) {
        (Some(by), "rejected") if is_draw => format!("{by} declines the draw."),
        (Some(by), "rejected") => format!("{by} lets the move stand."),
        (Some(by), _) if is_draw => format!("{by} offers a draw."),
        (Some(by), _) => format!("{by} asks to take back a move."),
        (None, _) if is_draw => "it is a draw by agreement.".to_owned(),
        (None, _) => "the last move was taken back.".to_owned(),
    }
}
