//! Help pages: of the server, of its commands, of its games.

use knotpost_commands::{ExampleContext, Scope, Verb, VerbSpec};

use super::{Answer, Code, Refusal, Reply, ServiceError};
use crate::app::App;

/// The server's own pages: name, title, text.
pub const TOPICS: &[(&str, &str, &str)] = &[
    ("overview", "Help", include_str!("../../../../templates/help/overview.md")),
    ("tutorial", "A first game", include_str!("../../../../templates/help/tutorial.md")),
    ("commands", "Commands", include_str!("../../../../templates/help/commands.md")),
    ("options", "Options", include_str!("../../../../templates/help/options.md")),
    ("preferences", "Your preferences", include_str!("../../../../templates/help/preferences.md")),
    ("mail", "Playing by mail", include_str!("../../../../templates/help/mail.md")),
    ("web", "Playing over the web", include_str!("../../../../templates/help/web.md")),
];

/// Subjects of one `help`.
const MOST_SUBJECTS: usize = 10;

pub(super) fn help(app: &App, subjects: &[String]) -> Result<Answer, ServiceError> {
    if subjects.len() > MOST_SUBJECTS {
        return Err(Refusal::new(
            Code::TooMuchMail,
            format!("one `help` takes at most {MOST_SUBJECTS} subjects"),
        )
        .into());
    }
    let overview = ["overview".to_owned()];
    let subjects = if subjects.is_empty() { &overview } else { subjects };
    let mut replies = Vec::new();
    for subject in subjects {
        let Some(reply) = help_page(app, &subject.to_lowercase()) else {
            return Err(unknown(app, subject).into());
        };
        replies.push(reply);
    }
    let first = replies.remove(0);
    let mut answer = Answer::to_sender(first);
    answer.replies.extend(replies);
    Ok(answer)
}

/// The help page of that subject: a game, a topic of the server, or a command.
pub fn help_page(app: &App, subject: &str) -> Option<Reply> {
    if let Some(game) = app.game(subject) {
        let title = format!("Help: {}", game.meta().title);
        return Some(Reply::Help { title, text: game.help().to_string() });
    }
    if let Some((_, title, text)) = TOPICS.iter().find(|(name, ..)| *name == subject) {
        let games: Vec<&str> = app.games().map(|game| game.meta().name).collect();
        let text = text
            .replace("{{ games }}", &games.join(", "))
            .replace("{{ address }}", &app.config.server.address)
            .replace("{{ url }}", app.config.server.public_url.trim_end_matches('/'))
            .replace("{{ commands }}", &command_table());
        return Some(Reply::Help { title: (*title).to_owned(), text });
    }
    let verbs: Vec<&VerbSpec> = Verb::all()
        .iter()
        .map(|verb| verb.spec())
        .filter(|spec| spec.name() == subject || spec.words == [subject] || spec.synonyms.contains(&subject))
        .collect();
    let pages: Vec<String> = verbs.iter().map(|spec| verb_page(spec)).collect();
    (!pages.is_empty()).then(|| Reply::Help { title: format!("Help: {subject}"), text: pages.join("\n\n") })
}

fn verb_page(spec: &VerbSpec) -> String {
    let syntax: Vec<String> = spec.syntax.iter().map(|line| format!("   {line}")).collect();
    let password = if spec.needs_password() { "Needs the password." } else { "Needs no password." };
    let example = spec.example(&ExampleContext::default());
    format!("{}\n\n{}\n\nExample:\n   {example}\n\n{password}", syntax.join("\n"), sentence(spec.meaning))
}

fn sentence(meaning: &str) -> String {
    let mut letters = meaning.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}{}", letters.as_str(), if meaning.ends_with('.') { "" } else { "." })
}

/// All commands with their meaning, those of the server first.
fn command_table() -> String {
    let line = |spec: &VerbSpec| {
        let syntax: Vec<String> = spec.syntax.iter().map(|line| format!("   {line}")).collect();
        format!("{}\n      {}", syntax.join("\n"), spec.meaning)
    };
    let of = |scope: Scope| {
        let specs = Verb::all().iter().map(|verb| verb.spec()).filter(|spec| spec.scope == scope);
        specs.map(line).collect::<Vec<_>>().join("\n")
    };
    format!(
        "Of the server:\n\n{}\n\nOf a game, which is named first:\n\n{}",
        of(Scope::Server),
        of(Scope::Game)
    )
}

fn unknown(app: &App, subject: &str) -> Refusal {
    let topics: Vec<&str> = TOPICS.iter().map(|(name, ..)| *name).collect();
    let games: Vec<&str> = app.games().map(|game| game.meta().name).collect();
    Refusal::new(Code::BadValue, format!("there is no help about `{subject}`"))
        .hint(format!("Subjects: {}", topics.join(", ")))
        .hint(format!("Games: {}", games.join(", ")))
        .hint("Commands: any word of `help commands`")
}
