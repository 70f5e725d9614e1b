//! Help pages: of the server, of its commands, of its games.

use knotpost_commands::Verb;

use super::{Answer, Code, Refusal, Reply, ServiceError};
use crate::app::App;

/// The server's own pages: name, title, text.
pub const TOPICS: &[(&str, &str, &str)] = &[
    ("overview", "Help", include_str!("../../../../templates/help/overview.md")),
    ("tutorial", "A first game", include_str!("../../../../templates/help/tutorial.md")),
    ("commands", "Commands", include_str!("../../../../templates/help/commands.md")),
    ("options", "Options", include_str!("../../../../templates/help/options.md")),
    ("mail", "Playing by mail", include_str!("../../../../templates/help/mail.md")),
    ("web", "Playing over the web", include_str!("../../../../templates/help/web.md")),
];

/// Subjects of one `help`.
const MOST_SUBJECTS: usize = 10;

pub(super) fn help(app: &App, subjects: &[String]) -> Result<Answer, ServiceError> {
    if subjects.len() > MOST_SUBJECTS {
        return Err(Refusal::new(Code::TooMuchMail, format!("one `help` takes at most {MOST_SUBJECTS} subjects")).into());
    }
    let overview = ["overview".to_owned()];
    let subjects = if subjects.is_empty() { &overview } else { subjects };
    let mut replies = Vec::new();
    for subject in subjects {
        let Some(reply) = page(app, &subject.to_lowercase()) else {
            return Err(unknown(app, subject).into());
        };
        replies.push(reply);
    }
    let first = replies.remove(0);
    let mut answer = Answer::to_sender(first);
    answer.replies.extend(replies);
    Ok(answer)
}

fn page(app: &App, subject: &str) -> Option<Reply> {
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
            .replace("{{ commands }}", &knotpost_commands::table());
        return Some(Reply::Help { title: (*title).to_owned(), text });
    }
    let verb = Verb::find(subject)?;
    Some(Reply::Help { title: format!("Help: {}", verb.word()), text: verb.help() })
}

fn unknown(app: &App, subject: &str) -> Refusal {
    let topics: Vec<&str> = TOPICS.iter().map(|(name, ..)| *name).collect();
    let games: Vec<&str> = app.games().map(|game| game.meta().name).collect();
    Refusal::new(Code::BadValue, format!("there is no help about `{subject}`"))
        .hint(format!("Subjects: {}", topics.join(", ")))
        .hint(format!("Games: {}", games.join(", ")))
        .hint("Commands: any word of `help commands`")
}
