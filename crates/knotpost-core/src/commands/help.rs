//! `help`: pages about the server, its commands and its games.
//!
//! Pages of commands come from the parser's table, so that they cannot disagree with it.

use knotpost_commands::{ExampleContext, Scope, TOURNAMENT_OPTIONS, TournamentOption, Verb, VerbSpec};

use crate::app::App;
use crate::boards::time::{TimeLimits, length};
use crate::boards::{Code, Games, Refusal, ServiceError};
use crate::replies::{Answer, Reply};
use crate::requests::Ready;
use crate::requests::reader::reader_of;
use knotpost_storage::ReadTx;

pub const TOPICS: &[(&str, &str, &str)] = &[
    ("overview", "Help", include_str!("../../../../templates/help/overview.md")),
    ("tutorial", "A first game", include_str!("../../../../templates/help/tutorial.md")),
    ("commands", "Commands", include_str!("../../../../templates/help/commands.md")),
    ("computer", "Playing the computer", include_str!("../../../../templates/help/computer.md")),
    ("options", "Options", include_str!("../../../../templates/help/options.md")),
    ("people", "Other players", include_str!("../../../../templates/help/people.md")),
    ("preferences", "Your preferences", include_str!("../../../../templates/help/preferences.md")),
    ("puzzles", "Puzzles", include_str!("../../../../templates/help/puzzles.md")),
    ("ratings", "Ratings", include_str!("../../../../templates/help/ratings.md")),
    ("time", "Time", include_str!("../../../../templates/help/time.md")),
    ("tournaments", "Tournaments", include_str!("../../../../templates/help/tournaments.md")),
    ("ladder", "Ladders", include_str!("../../../../templates/help/ladder.md")),
    ("turns", "Queued moves, draws, moves taken back", include_str!("../../../../templates/help/turns.md")),
    ("mail", "Playing by mail", include_str!("../../../../templates/help/mail.md")),
    ("reply", "Playing by replying", include_str!("../../../../templates/help/reply.md")),
    ("web", "Playing over the web", include_str!("../../../../templates/help/web.md")),
    ("feeds", "Feeds and calendars", include_str!("../../../../templates/help/feeds.md")),
    ("records", "Game records", include_str!("../../../../templates/help/records.md")),
    ("errors", "When something is wrong", include_str!("../../../../templates/help/errors.md")),
    ("rules", "Rules of the games", include_str!("../../../../templates/help/rules.md")),
];

/// Words of mails and boards that are neither command nor page, with the page that explains them.
const EXPLAINED: &[(&str, &str)] = &[
    ("propose", "turns"),
    ("undo", "turns"),
    ("draw", "turns"),
    ("draws", "turns"),
    ("pass", "turns"),
    ("passing", "turns"),
    ("offer", "turns"),
    ("nag", "time"),
    ("forfeit", "time"),
    ("reminder", "time"),
    ("limits", "time"),
    ("nagtime", "time"),
    ("forfeittime", "time"),
    ("totaltime", "time"),
    ("rating", "ratings"),
    ("glicko", "ratings"),
    ("unrated", "ratings"),
    ("knotbot", "computer"),
    ("bot", "computer"),
    ("bots", "computer"),
    ("levels", "computer"),
    ("roundrobin", "tournaments"),
    ("swiss", "tournaments"),
    ("crosstable", "tournaments"),
    ("director", "tournaments"),
    ("league", "tournaments"),
    ("leagues", "tournaments"),
    ("season", "tournaments"),
    ("division", "tournaments"),
    ("ladders", "ladder"),
    ("size", "options"),
    ("option", "options"),
    ("timezone", "preferences"),
    ("digest", "preferences"),
    ("narrow", "preferences"),
    ("wide", "preferences"),
    ("preference", "preferences"),
    ("friends", "people"),
    ("players", "people"),
    ("blocked", "people"),
    ("subject", "mail"),
    ("comment", "mail"),
    ("record", "records"),
    ("error", "errors"),
    ("rule", "rules"),
    ("game", "rules"),
];

/// Additions to the one-sentence help of a verb.
const NOTES: &[(&str, &str)] = &[
    (
        "resign",
        "Before everybody has moved once it declines the board: no rating changes, a board for two is removed, and more \
         players begin again without you. On your turn it ends your game. Out of turn it is noted and takes effect when \
         the turn is yours, with the words that you sent; the same command sent again before that takes it back.",
    ),
    (
        "accept",
        "As the last word of a move, `GAME move BOARD USERID PASSWORD accept` agrees to a draw, or to take back the last \
         move, that another player has proposed: see `help turns`.",
    ),
    (
        "reject",
        "As the last word of a move, `GAME move BOARD USERID PASSWORD reject` refuses a draw, or to take back the last \
         move, that another player has proposed: see `help turns`.",
    ),
    (
        "swap",
        "Only some games have it, for the second player instead of the first move; the page of a game says so, as \
         `help obsidio` does.",
    ),
    (
        "challenge",
        "The defaults are those of the authors of a game. Some sizes suit better: the page of a game tells under `Who is \
         favoured`. To play once more with the seats exchanged: `help rematch`.",
    ),
    (
        "hint",
        "The answer is the board with a good move, how good the position is for each player in per cent, and the moves that \
         are expected. A computer player thinks for about a second; it knows no dice before they are rolled. You may ask 60 \
         times an hour. On rated boards there are no hints for anybody: challenge with `--unrated`. Replying `hint` to a mail \
         about the board does it too.",
    ),
    (
        "analyse",
        "A computer player looks at every position of the game. The answer is a chart of how good the position was after each \
         move, and the moves that lost most with what would have been better. It takes up to fifteen seconds.",
    ),
    (
        "rematch",
        "Replying `rematch` to the last mail of a board does it too. Whoever does not want to play again declines it like \
         any new board, with `resign`.",
    ),
];

/// Columns of an indentable line.
const WIDTH: usize = 66;
const MOST_SUBJECTS: usize = 10;

pub(super) async fn run(
    tx: &mut ReadTx,
    app: &App,
    ready: &Ready,
    subjects: &[String],
) -> Result<Answer, ServiceError> {
    if subjects.len() > MOST_SUBJECTS {
        return Err(Refusal::new(
            Code::TooMuchMail,
            format!("one `help` takes at most {MOST_SUBJECTS} subjects"),
        )
        .into());
    }
    let game = subjects.iter().find_map(|subject| app.games.find(&subject.to_lowercase()));
    let reader = reader_of(tx, &app.games, ready, game.map(|game| game.meta().name)).await?;
    let overview = ["overview".to_owned()];
    let subjects = if subjects.is_empty() { &overview } else { subjects };
    let mut pages: Vec<(String, String)> = Vec::new();
    let mut rest = subjects;
    while let [first, others @ ..] = rest {
        let pair = others
            .first()
            .and_then(|second| verb_pages(&format!("{first} {second}").to_lowercase(), &reader));
        let (reply, after) = match pair {
            Some(reply) => (Some(reply), others.get(1..).unwrap_or_default()),
            None => (help_page(app, &first.to_lowercase(), &reader), others),
        };
        if let Reply::Help { title, text } = reply.ok_or_else(|| unknown(app, first))?
            && pages.iter().all(|(known, _)| *known != title)
        {
            pages.push((title, text));
        }
        rest = after;
    }
    Ok(Answer::to_sender(one_page(pages)))
}

fn one_page(mut pages: Vec<(String, String)>) -> Reply {
    if pages.len() == 1 {
        let (title, text) = pages.remove(0);
        return Reply::Help { title, text };
    }
    let titles: Vec<&str> = pages.iter().map(|(title, _)| title.trim_start_matches("Help: ")).collect();
    let title = format!("Help: {}", titles.join(", "));
    let under = |(title, text): &(String, String)| {
        format!("{title}\n{}\n\n{}\n", "=".repeat(title.chars().count()), text.trim_end())
    };
    let texts: Vec<String> = pages.iter().map(under).collect();
    Reply::Help { title, text: texts.join("\n\n") }
}

/// Help page of a game, topic or command. Examples are fitted to `reader`.
pub fn help_page(app: &App, subject: &str, reader: &ExampleContext) -> Option<Reply> {
    if let Some(game) = app.games.find(subject) {
        let title = format!("Help: {}", game.meta().title);
        return Some(Reply::Help { title, text: game.help().to_string() });
    }
    let topic = explaining_topic(subject);
    if let Some((_, title, text)) = TOPICS.iter().find(|(name, ..)| *name == topic) {
        let text = fill_topic(app, text);
        // A topic that is also a command continues with the command.
        let text = match verb_text(subject, reader) {
            Some(command) if subject != "help" => format!("{}\n\nThe command:\n\n{command}", text.trim_end()),
            _ => text,
        };
        return Some(Reply::Help { title: (*title).to_owned(), text });
    }
    verb_pages(subject, reader)
}

fn fill_topic(app: &App, text: &str) -> String {
    let games: Vec<&str> = app.games.offered().map(|game| game.meta().name).collect();
    let limits = TimeLimits::new(None, None, None, &app.config.time);
    text.replace("{{ games }}", &wrap(&format!("Games: {}", games.join(", "))))
        .replace("{{ address }}", &app.config.server.address)
        .replace("{{ url }}", app.config.server.public_url.trim_end_matches('/'))
        .replace("{{ topics }}", &topic_list())
        .replace("{{ rules }}", &rules_list(&app.games))
        .replace("{{ commands }}", &command_table())
        .replace("{{ tournament_options }}", &tournament_options())
        .replace("{{ nag }}", &length(limits.nag))
        .replace("{{ forfeit }}", &length(limits.forfeit))
}

fn explaining_topic(subject: &str) -> &str {
    EXPLAINED.iter().find(|(word, _)| *word == subject).map_or(subject, |(_, topic)| topic)
}

fn rules_list(games: &Games) -> String {
    let lines = games.offered().map(|game| indent(&format!("{} help", game.meta().name)));
    lines.collect::<Vec<_>>().join("\n")
}

fn tournament_options() -> String {
    let line = |option: &TournamentOption| {
        format!("{}\n      {}", indent(&option.shown()), wrap(option.help).replace('\n', "\n      "))
    };
    TOURNAMENT_OPTIONS.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn topic_list() -> String {
    let names: Vec<String> = TOPICS
        .iter()
        .filter(|(name, ..)| *name != "overview")
        .map(|(name, ..)| format!("help {name}"))
        .collect();
    wrap(&names.join(", "))
}

fn verb_pages(subject: &str, reader: &ExampleContext) -> Option<Reply> {
    let text = verb_text(subject, reader)?;
    Some(Reply::Help { title: format!("Help: {subject}"), text })
}

fn verb_text(subject: &str, reader: &ExampleContext) -> Option<String> {
    let is_meant = |spec: &&VerbSpec| {
        spec.name() == subject || spec.words.contains(&subject) || spec.synonyms.contains(&subject)
    };
    let verbs = Verb::all().iter().map(|verb| verb.spec()).filter(is_meant);
    let pages: Vec<String> = verbs.map(|spec| verb_page(spec, reader)).collect();
    (!pages.is_empty()).then(|| pages.join("\n\n\n"))
}

fn verb_page(spec: &VerbSpec, reader: &ExampleContext) -> String {
    let syntax: Vec<String> = spec.syntax.iter().map(|line| indent(line)).collect();
    let password = if spec.needs_password() { "It needs the password." } else { "It needs no password." };
    let other_words = match spec.synonyms {
        [] => String::new(),
        words => format!("\n\nThe same: {}", words.join(", ")),
    };
    let example = indent(&spec.example(reader));
    let meaning = wrap(&sentence(spec.meaning));
    let note = NOTES.iter().find(|(verb, _)| *verb == spec.words.join(" "));
    let note = note.map(|(_, note)| format!("\n\n{}", wrap(note))).unwrap_or_default();
    format!("{}\n\n{meaning}\n{password}{other_words}{note}\n\nExample:\n{example}", syntax.join("\n"))
}

fn indent(line: &str) -> String {
    format!("   {}", wrap(line).replace('\n', "\n      "))
}

fn wrap(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}

fn sentence(meaning: &str) -> String {
    let mut letters = meaning.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}{}", letters.as_str(), if meaning.ends_with('.') { "" } else { "." })
}

fn command_table() -> String {
    let line = |spec: &VerbSpec| {
        let syntax: Vec<String> = spec.syntax.iter().map(|line| indent(line)).collect();
        let meaning = wrap(spec.meaning).replace('\n', "\n      ");
        format!("{}\n      {meaning}", syntax.join("\n"))
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
    let games: Vec<&str> = app.games.offered().map(|game| game.meta().name).collect();
    Refusal::new(Code::BadValue, format!("there is no help about `{subject}`"))
        .hint(format!("Subjects: {}", topics.join(", ")))
        .hint(format!("Games: {}", games.join(", ")))
        .hint("Commands: any word of `help commands`")
}
