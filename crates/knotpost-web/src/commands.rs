//! `POST /commands`: the command language over HTTP.

use std::sync::Arc;

use crate::routes::post;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use knotpost_commands::MOST_LINE_BYTES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Web;
use super::client::Client;
use super::error::Problem;
use super::extract::RawBody;
use super::idempotency::execute_with_key;
use super::openapi::{Operation, Tag};
use super::routes::{Role, Route};
use knotpost_core::boards::Code;
use knotpost_core::commands::CommandResponse;
use knotpost_core::identity::{Origin, Proof};
use knotpost_core::replies::{Answer, Composer, Reply};
use knotpost_core::requests::Request;
use knotpost_model::BoardRef;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// A command line and the text below it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CommandLine")]
struct JsonRequest {
    /// The command line, as a mail would begin with it.
    command: String,
    /// The text below it: a comment, a message.
    #[serde(default)]
    body: String,
}

/// The outcome of a command.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CommandAnswer")]
struct JsonAnswer<'a> {
    /// True if it was carried out.
    ok: bool,
    /// Reason why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<CommandError<'a>>,
    /// The mails that the sender would get.
    replies: Vec<CommandReply>,
    /// Notices for the user beside it, such as that mail to them comes back.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notices: &'a [String],
    /// The boards it was about.
    boards: &'a [BoardRef],
    /// True if it was a move that the player had made already: nothing was done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
}

/// Reason why a command was not carried out.
#[derive(Serialize, JsonSchema)]
struct CommandError<'a> {
    /// The word to test for.
    code: &'a str,
    /// A sentence for people.
    message: &'a str,
}

/// A mail that the sender would get.
#[derive(Serialize, JsonSchema)]
struct CommandReply {
    /// Its subject.
    subject: String,
    /// Its text.
    text: String,
}

const COMMAND: Operation = Operation::new("command", Tag::Commands, "Carries out a command")
    .details(
        "As JSON or as text: the first line is the command, the rest what would stand below it in a mail. The answer \
         has the form of the request. Commands name the user who sends them and their password.",
    )
    .takes::<JsonRequest>()
    .or_takes_text()
    .gives::<JsonAnswer<'static>>("What came of it.")
    .or_gives_text()
    .refuses(Code::all())
    .once();

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

/// Public: commands name and authenticate their user.
pub(super) const ROUTES: &[Route] =
    &[Route::new(Role::Public, "POST", "/commands", || post(command)).described(&COMMAND)];

async fn command(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Response {
    let form = form_of(&headers);
    let (line, text) = match read(form, &body) {
        Ok(read) => read,
        Err(problem) => return problem.into_response(),
    };
    let origin = Origin::http(client.host(), Proof::Password);
    let request = Request::of_line(line, text, origin, &web.app.vocabulary);
    let composer = Arc::clone(&web.app.composer);
    let present = move |answer: &Answer| present(composer.as_ref(), answer, form);
    let parts: [&[u8]; 2] = [&[u8::from(form == Form::Json)], &body];
    Box::pin(execute_with_key(&web, &headers, request, &parts, present)).await
}

fn form_of(headers: &HeaderMap) -> Form {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    if content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON)) {
        Form::Json
    } else {
        Form::Text
    }
}

fn read(form: Form, body: &[u8]) -> Result<(String, String), Problem> {
    let text = std::str::from_utf8(body)
        .map_err(|_| Problem::new(Code::WrongArguments, "the request is not UTF-8 text"))?;
    let (line, text) = match form {
        Form::Json => {
            let request: JsonRequest = serde_json::from_str(text).map_err(|_| {
                // The parser's message may repeat the input, and with it a password.
                Problem::new(
                    Code::WrongArguments,
                    r#"the request is not of the form {"command":"…","body":"…"}"#,
                )
            })?;
            (request.command, knotpost_model::limit_comment(&request.body))
        }
        Form::Text => {
            let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
            (line.trim_end_matches('\r').to_owned(), knotpost_model::limit_comment(rest.trim()))
        }
    };
    if line.len() > MOST_LINE_BYTES {
        let message = format!("a command line has at most {MOST_LINE_BYTES} bytes; the text goes below it");
        return Err(Problem::new(Code::TooLarge, message));
    }
    Ok((line, text))
}

fn present(composer: &dyn Composer, answer: &Answer, form: Form) -> CommandResponse {
    let (content_type, body) = match form {
        Form::Text => (TEXT, text_of(composer, answer)),
        Form::Json => (JSON, json_of(composer, answer)),
    };
    // The lines of a `multiple` fail and succeed one by one; the request itself succeeded.
    let several = matches!(answer.reply, Reply::Multiple { .. });
    let status = match &answer.failure {
        Some(failure) if !several => failure.code.status(),
        _ => 200,
    };
    CommandResponse {
        status,
        content_type: content_type.to_owned(),
        retry_after: answer.failure.as_ref().and_then(|failure| failure.retry_after),
        body,
    }
}

/// Each line of a `multiple` is a reply of its own.
fn replies_of(answer: &Answer) -> Vec<&Reply> {
    match &answer.reply {
        Reply::Multiple { lines } => lines.iter().map(|line| &line.reply).collect(),
        reply => vec![reply],
    }
}

fn texts(composer: &dyn Composer, reply: &Reply) -> (String, String) {
    composer.text(reply).unwrap_or_else(|error| {
        tracing::error!(%error, "an answer could not be written");
        ("Error".to_owned(), "The answer could not be written.\n".to_owned())
    })
}

fn text_of(composer: &dyn Composer, answer: &Answer) -> String {
    let text = texts(composer, &answer.reply).1;
    answer.notices.iter().fold(text, |text, notice| text + "\n" + notice + "\n")
}

fn json_of(composer: &dyn Composer, answer: &Answer) -> String {
    let replies = replies_of(answer).into_iter().map(|reply| {
        let (subject, text) = texts(composer, reply);
        CommandReply { subject, text }
    });
    let error = answer.failure.as_ref();
    let answer = JsonAnswer {
        ok: error.is_none(),
        error: error.map(|error| CommandError { code: error.code.as_str(), message: &error.message }),
        replies: replies.collect(),
        notices: &answer.notices,
        boards: &answer.boards,
        repeated: answer.is_repetition(),
    };
    // Serialising texts and numbers never fails.
    serde_json::to_string(&answer).unwrap_or_default()
}
