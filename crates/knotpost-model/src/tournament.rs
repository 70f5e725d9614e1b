//! Tournaments by name, their states, and the terms under which one is announced.

use std::borrow::Cow;
use std::fmt;

use knotpost_commands::{Days, GivenOption, TOURNAMENT_OPTIONS, clean_line, clean_text};

use crate::computer_player::LEVELS;
use crate::{Millis, Span, words};

const DAY: i64 = 86_400_000;
const MOST_PLAYERS: u16 = 1000;
/// Everybody in a group meets everybody, so its size is the number of boards that begin at once.
const GROUP: std::ops::RangeInclusive<u16> = 3..=64;
const MOST_ADVANCE: u16 = *GROUP.end() / 2;
const MOST_ROUNDS: u16 = 64;
const WINDOW: u16 = 3;
const MOVING: u16 = 2;
const PAUSE: Span = Span(7 * DAY);
const MOST_ROUND_DAYS: i64 = 366;
/// Days from the announcement to a start by date.
const MOST_START_DAYS: i64 = 366;
const MOST_TITLE: usize = 60;
const MOST_DESCRIPTION: usize = 4096;

words! {
    /// The form of a tournament.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    TournamentForm {
        /// Everybody in a group meets everybody.
        RoundRobin = "roundrobin",
        /// Players of equal points meet, by FIDE's Dutch system.
        Swiss = "swiss",
        /// Players challenge those above them; it never ends.
        Ladder = "ladder",
        /// Seasons in divisions, with promotion.
        League = "league",
    }

    /// The state of a tournament.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    TournamentState {
        /// Takes entries.
        Open = "open",
        /// Being played.
        Running = "running",
        /// Finished, with final places.
        Over = "over",
        /// Ended without places.
        Cancelled = "cancelled",
    }

    /// The state of a player in a tournament.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    PlayerState {
        /// Entered, and plays.
        In = "in",
        /// Left, or was taken out.
        Withdrawn = "withdrawn",
    }
}

impl TournamentForm {
    /// Parses the form of an announcement, in any case.
    pub fn read(word: &str) -> Result<Self, FormError> {
        Self::from_word(&word.to_ascii_lowercase()).ok_or(FormError)
    }

    /// The place of a board in words, for the end of a clause.
    pub fn describe_place(self, pool: &str, round: i64) -> String {
        match self {
            Self::RoundRobin => format!("group {pool}, round {round}"),
            Self::Swiss => format!("round {round}"),
            Self::League => format!("division {pool}, season {round}"),
            Self::Ladder => "a ladder".to_owned(),
        }
    }
}

/// No form of a tournament. The word is not repeated: it may be a misplaced password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormError;

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let forms = TournamentForm::ALL.iter().map(|form| format!("`{}`", form.as_str()));
        let forms = forms.collect::<Vec<_>>().join(", ");
        write!(f, "after the game must come the form of the tournament, {forms}")
    }
}

impl std::error::Error for FormError {}

/// The name of a tournament: `t12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TournamentName(pub i64);

impl TournamentName {
    /// Parses a name in any case; numbers count from 1.
    pub fn from_word(word: &str) -> Option<Self> {
        let digits = word.strip_prefix(['t', 'T'])?;
        let is_plain = digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_plain || digits.starts_with('0') {
            return None;
        }
        digits.parse().ok().map(Self)
    }
}

impl fmt::Display for TournamentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

impl serde::Serialize for TournamentName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for TournamentName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::from_word(&word).ok_or_else(|| serde::de::Error::custom("a tournament is named like `t12`"))
    }
}

impl schemars::JsonSchema for TournamentName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("TournamentName")
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^t[1-9][0-9]{0,8}$" })
    }
}

/// Title and description of a tournament, fit to be stored and shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentText {
    /// One line; never empty.
    pub title: String,
    /// Several lines, or empty.
    pub description: String,
}

impl TournamentText {
    /// Takes the first line that is not blank as title, and `default` where there is none.
    pub fn of_body(body: &str, default: &str) -> Result<Self, TermsError> {
        let body = clean_text(body);
        let (title, description) = body.trim_start().split_once('\n').unwrap_or((body.trim_start(), ""));
        Self::new(if title.trim().is_empty() { default } else { title }, description)
    }

    pub fn new(title: &str, description: &str) -> Result<Self, TermsError> {
        let title = clean_line(title).split_whitespace().collect::<Vec<_>>().join(" ");
        let description = clean_text(description).trim().to_owned();
        let length = title.chars().count();
        if !(1..=MOST_TITLE).contains(&length) {
            return Err(TermsError(format!(
                "the title, the first line of the text, has 1 to {MOST_TITLE} characters, not {length}"
            )));
        }
        if description.len() > MOST_DESCRIPTION {
            return Err(TermsError(format!(
                "the description, the text behind its first line, has at most {MOST_DESCRIPTION} bytes, not {}",
                description.len()
            )));
        }
        Ok(Self { title, description })
    }
}

/// A term that cannot be taken: a sentence without a full stop that names the bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TermsError(String);

/// Moment at which a tournament starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TournamentStart {
    /// As soon as the maximum has entered.
    #[default]
    Full,
    /// At this time, or earlier when full.
    Date(Millis),
}

/// Terms of a tournament, all within their bounds.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TournamentTerms {
    /// Canonical options of the game, as a board has them.
    pub game_options: String,
    /// Players with whom it can start.
    pub minimum: u16,
    /// Players with whom it is full.
    pub maximum: u16,
    /// Most players of a group.
    pub group: u16,
    /// Players of each group who go on to the next stage.
    pub advance: u16,
    /// Rounds of a Swiss tournament; `None`: as many as the number of players wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u16>,
    /// Places above one's own that a challenge reaches on a ladder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u16>,
    /// Players of each division of a league who go up, and who go down, after a season.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moving: Option<u16>,
    /// Time between two seasons of a league.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Span>,
    /// Time from the start of a round to its deadline.
    pub round: Span,
    pub start: TournamentStart,
    /// True if another with the same terms takes entries from its start on.
    pub repeat: bool,
    /// Boards of a pairing, 1 or 2.
    pub games: u8,
    /// Level of the computer players that fill up.
    pub fill: Option<u8>,
    /// Only users admitted by the director may enter.
    pub closed: bool,
    pub rated: bool,
    /// Time without a move until the reminder.
    pub nag: Span,
    /// Time without a move until the board is lost.
    pub forfeit: Span,
    /// Time of a player for a whole board.
    pub total: Option<Span>,
}

impl Default for TournamentTerms {
    /// Those of a round robin.
    fn default() -> Self {
        Self {
            game_options: String::new(),
            minimum: 4,
            maximum: 10,
            group: 10,
            advance: 2,
            rounds: None,
            window: None,
            moving: None,
            pause: None,
            round: Span(120 * DAY),
            start: TournamentStart::Full,
            repeat: false,
            games: 1,
            fill: None,
            closed: false,
            rated: true,
            nag: Span(DAY),
            forfeit: Span(7 * DAY),
            total: None,
        }
    }
}

impl TournamentTerms {
    /// The defaults of a form.
    pub fn usual(form: TournamentForm) -> Self {
        match form {
            TournamentForm::RoundRobin => Self::default(),
            TournamentForm::Ladder => Self {
                minimum: 2,
                maximum: MOST_PLAYERS,
                group: MOST_PLAYERS,
                window: Some(WINDOW),
                ..Self::default()
            },
            TournamentForm::League => Self {
                maximum: 200,
                group: 8,
                advance: 1,
                round: Span(90 * DAY),
                moving: Some(MOVING),
                pause: Some(PAUSE),
                ..Self::default()
            },
            // Everybody is in one group.
            TournamentForm::Swiss => Self {
                minimum: 6,
                maximum: 64,
                group: MOST_PLAYERS,
                round: Span(30 * DAY),
                ..Self::default()
            },
        }
    }

    /// Places above one's own that a challenge reaches on a ladder.
    pub fn window(&self) -> u16 {
        self.window.unwrap_or(WINDOW)
    }

    /// Players of each division of a league who go up, and who go down.
    pub fn moving(&self) -> u16 {
        self.moving.unwrap_or(MOVING)
    }

    /// Time between two seasons of a league.
    pub fn pause(&self) -> Span {
        self.pause.unwrap_or(PAUSE)
    }

    /// Reads options of a form by their full names. What is not given has its default.
    pub fn read(
        form: TournamentForm,
        given: &[GivenOption],
        game_options: String,
        now: Millis,
    ) -> Result<Self, TermsError> {
        let mut terms = Self { game_options, ..Self::usual(form) };
        for (place, option) in given.iter().enumerate() {
            let known = TOURNAMENT_OPTIONS.iter().find(|known| known.name == option.name);
            if let Some(known) = known.filter(|known| !known.is_of(form.as_str())) {
                return Err(TermsError(format!(
                    "`-{}` is an option of the form {}, not of {}",
                    known.name,
                    known.only.join(" or "),
                    form.as_str()
                )));
            }
            if given.iter().take(place).any(|earlier| earlier.name == option.name) {
                return Err(TermsError(format!("`-{}` is given twice", option.name)));
            }
            terms.set(option, now)?;
        }
        let is_given = |name: &str| given.iter().any(|option| option.name == name);
        if !is_given("nagtime") && terms.nag >= terms.forfeit {
            terms.nag = Span(terms.forfeit.0 / 3);
        }
        terms.check()?;
        Ok(terms)
    }

    fn set(&mut self, option: &GivenOption, now: Millis) -> Result<(), TermsError> {
        let given = Given { name: &option.name, value: option.value.as_deref() };
        match given.name {
            "players" => (self.minimum, self.maximum) = given.players()?,
            "group" => self.group = given.number(*GROUP.start(), *GROUP.end())?,
            "advance" => self.advance = given.number(1, MOST_ADVANCE)?,
            "window" => self.window = Some(given.number(1, MOST_PLAYERS)?),
            "move" => self.moving = Some(given.number(1, MOST_ADVANCE)?),
            "pause" => {
                let pause = given.days()?;
                if pause.0 > MOST_ROUND_DAYS * DAY {
                    return Err(given.wants(&format!("at most {MOST_ROUND_DAYS} days, such as"), "14"));
                }
                self.pause = Some(pause);
            }
            "rounds" => self.rounds = Some(given.number(1, MOST_ROUNDS)?),
            "roundtime" => {
                self.round = given.days()?;
                if self.round.0 > MOST_ROUND_DAYS * DAY {
                    return Err(given.wants(&format!("at most {MOST_ROUND_DAYS} days, such as"), "30"));
                }
            }
            "start" => self.start = given.start(now)?,
            "repeat" => self.repeat = given.stands_alone()?,
            "games" => self.games = u8::try_from(given.number(1, 2)?).unwrap_or(1),
            "fill" => self.fill = u8::try_from(given.number(1, u16::from(LEVELS))?).ok(),
            "closed" => self.closed = given.stands_alone()?,
            "unrated" => self.rated = !given.stands_alone()?,
            "nagtime" => self.nag = given.days()?,
            "forfeittime" => self.forfeit = given.days()?,
            "totaltime" => self.total = Some(given.days()?),
            name => return Err(TermsError(format!("there is no option `-{name}` of tournaments"))),
        }
        Ok(())
    }

    /// Bounds that span several terms.
    fn check(&self) -> Result<(), TermsError> {
        if self.nag >= self.forfeit {
            return Err(TermsError(format!(
                "a reminder after {} days would come too late: without a move a player loses after {}; give a \
                 shorter `-nagtime` or a longer `-forfeittime`",
                show_days(self.nag),
                show_days(self.forfeit)
            )));
        }
        // Otherwise a stage might have as many players as the one before.
        if self.maximum > self.group && self.advance > self.group / 2 {
            return Err(TermsError(format!(
                "of a group of {} at most half can go on to the next stage: `-advance={}` or less",
                self.group,
                self.group / 2
            )));
        }
        if let Some(moving) = self.moving.filter(|moving| *moving > self.group / 2) {
            return Err(TermsError(format!(
                "of a division of {} at most half can go up, not {moving}: `-move={}` or less",
                self.group,
                self.group / 2
            )));
        }
        // Seasons follow each other by themselves, and each is told of in several mails.
        if let Some(pause) = self.pause.filter(|pause| self.round.0.saturating_add(pause.0) < DAY) {
            return Err(TermsError(format!(
                "a season and its pause last a day at least, not {} and {}: a longer `-roundtime` or `-pause`",
                show_days(self.round),
                show_days(pause)
            )));
        }
        if let Some(rounds) = self.rounds.filter(|rounds| *rounds >= self.maximum) {
            return Err(TermsError(format!(
                "{} players cannot play {rounds} rounds without meeting again: `-rounds={}` or less",
                self.maximum,
                self.maximum - 1
            )));
        }
        if self.repeat && self.start != TournamentStart::Full {
            return Err(TermsError(
                "`-repeat` goes with `-start=full` alone, since a date does not come again".to_owned(),
            ));
        }
        Ok(())
    }

    /// Canonical options, the game's first. Terms that have the default of the form are left out.
    pub fn options(&self, form: TournamentForm) -> String {
        let game = (!self.game_options.is_empty()).then(|| self.game_options.clone());
        game.into_iter().chain(self.given(form)).collect::<Vec<_>>().join(" ")
    }

    /// The terms that are not the defaults, as options.
    fn given(&self, form: TournamentForm) -> impl Iterator<Item = String> {
        let usual = Self::usual(form);
        let start = match self.start {
            TournamentStart::Full => None,
            TournamentStart::Date(at) => {
                Some(format!("-start={}", at.to_rfc3339().split('T').next().unwrap_or("")))
            }
        };
        let days = |name: &str, span: Span| format!("-{name}={}", show_days(span));
        [
            ((self.minimum, self.maximum) != (usual.minimum, usual.maximum))
                .then(|| format!("-players={}-{}", self.minimum, self.maximum)),
            (self.group != usual.group).then(|| format!("-group={}", self.group)),
            (self.advance != usual.advance).then(|| format!("-advance={}", self.advance)),
            self.rounds.map(|rounds| format!("-rounds={rounds}")),
            self.window.filter(|_| self.window != usual.window).map(|window| format!("-window={window}")),
            self.moving.filter(|_| self.moving != usual.moving).map(|moving| format!("-move={moving}")),
            self.pause.filter(|_| self.pause != usual.pause).map(|pause| days("pause", pause)),
            (self.round != usual.round).then(|| days("roundtime", self.round)),
            start,
            self.repeat.then(|| "-repeat".to_owned()),
            (self.games != usual.games).then(|| format!("-games={}", self.games)),
            self.fill.map(|level| format!("-fill={level}")),
            self.closed.then(|| "-closed".to_owned()),
            (!self.rated).then(|| "-unrated".to_owned()),
            (self.nag != usual.nag).then(|| days("nagtime", self.nag)),
            (self.forfeit != usual.forfeit).then(|| days("forfeittime", self.forfeit)),
            self.total.map(|total| days("totaltime", total)),
        ]
        .into_iter()
        .flatten()
    }
}

/// Days as a number, to the millisecond: `120`, `0.5`.
fn show_days(span: Span) -> String {
    let days = u64::try_from(span.0).ok().and_then(Days::from_millis);
    days.map(|days| days.to_string()).unwrap_or_default()
}

struct Given<'a> {
    name: &'a str,
    value: Option<&'a str>,
}

impl Given<'_> {
    /// States what the option takes. Its value is not repeated.
    fn wants(&self, what: &str, example: &str) -> TermsError {
        let name = self.name;
        TermsError(format!("`-{name}` takes {what} `-{name}={example}`"))
    }

    fn stands_alone(&self) -> Result<bool, TermsError> {
        match self.value {
            None => Ok(true),
            Some(_) => Err(TermsError(format!("`-{}` stands alone, without a value", self.name))),
        }
    }

    fn number(&self, least: u16, most: u16) -> Result<u16, TermsError> {
        let number = self.value.and_then(read_number).filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            self.wants(&format!("a number from {least} to {most}, such as"), &most.to_string())
        })
    }

    fn players(&self) -> Result<(u16, u16), TermsError> {
        let value = self.value.unwrap_or_default();
        let (least, most) = value.split_once('-').unwrap_or((value, value));
        let read = read_number(least).zip(read_number(most));
        read.filter(|(least, most)| *least >= 2 && least <= most && *most <= MOST_PLAYERS).ok_or_else(|| {
            self.wants(&format!("the fewest and the most players, from 2 to {MOST_PLAYERS}, such as"), "4-10")
        })
    }

    fn days(&self) -> Result<Span, TermsError> {
        let days = self.value.and_then(Days::from_word).and_then(|days| i64::try_from(days.as_millis()).ok());
        days.map(Span).ok_or_else(|| self.wants("a number of days up to 3650, such as", "2.5"))
    }

    fn start(&self, now: Millis) -> Result<TournamentStart, TermsError> {
        let value = self.value.unwrap_or_default();
        if value.eq_ignore_ascii_case("full") {
            return Ok(TournamentStart::Full);
        }
        let date = Millis::read(value).filter(|_| value.len() == "YYYY-MM-DD".len());
        let Some(at) = date else {
            return Err(TermsError("`-start` takes `full`, or a date as YYYY-MM-DD".to_owned()));
        };
        if at <= now || at.since(now).0 > MOST_START_DAYS * DAY {
            return Err(TermsError(format!(
                "a tournament starts on a later day than today, within {MOST_START_DAYS} days; the day begins at \
                 00:00 UTC"
            )));
        }
        Ok(TournamentStart::Date(at))
    }
}

fn read_number(word: &str) -> Option<u16> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) { word.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use knotpost_commands::TOURNAMENT_FORMS;

    use super::*;

    fn given(words: &str) -> Vec<GivenOption> {
        let options = words.split_whitespace().map(|word| {
            let (name, value) =
                word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
            GivenOption { name: name.trim_start_matches('-').to_owned(), value: value.map(str::to_owned) }
        });
        options.collect()
    }

    fn now() -> Millis {
        Millis::read("2026-11-20T10:00:00Z").expect("a time")
    }

    fn read_as(form: TournamentForm, words: &str) -> Result<TournamentTerms, String> {
        TournamentTerms::read(form, &given(words), String::new(), now()).map_err(|error| error.to_string())
    }

    fn read(words: &str) -> Result<TournamentTerms, String> {
        read_as(TournamentForm::RoundRobin, words)
    }

    fn written(terms: &TournamentTerms) -> String {
        terms.options(TournamentForm::RoundRobin)
    }

    #[test]
    fn a_name_is_read_in_any_case_and_written_in_one() {
        for (word, number) in [("t1", Some(1)), ("T12", Some(12)), ("t999999999", Some(999_999_999))] {
            assert_eq!(TournamentName::from_word(word), number.map(TournamentName), "{word}");
        }
        for word in ["", "t", "t0", "t01", "12", "t-1", "t+1", "t1234567890", "x1", "t1a"] {
            assert_eq!(TournamentName::from_word(word), None, "{word}");
        }
        assert_eq!(TournamentName(12).to_string(), "t12");
        assert_eq!(serde_json::to_string(&TournamentName(12)).expect("text"), r#""t12""#);
        assert_eq!(serde_json::from_str::<TournamentName>(r#""t12""#).expect("a name"), TournamentName(12));
    }

    #[test]
    fn forms_of_the_language_are_those_of_tournaments() {
        assert_eq!(
            TournamentForm::ALL.iter().map(|form| form.as_str()).collect::<Vec<_>>(),
            TOURNAMENT_FORMS
        );
    }

    #[test]
    fn a_word_that_is_no_form_is_refused_with_those_that_are() {
        assert_eq!(TournamentForm::read("RoundRobin"), Ok(TournamentForm::RoundRobin));
        let error = TournamentForm::read("hunter22").expect_err("no form").to_string();
        assert!(error.contains("`roundrobin`, `swiss`, `ladder`, `league`"), "{error}");
        assert!(!error.contains("hunter22"), "{error}");
    }

    #[test]
    fn defaults_are_those_of_the_round_robin_and_are_not_written() {
        let terms = read("").expect("terms");
        assert_eq!(terms, TournamentTerms::default());
        assert_eq!(written(&terms), "");
        let same = "-players=4-10 -group=10 -advance=2 -roundtime=120 -start=full -games=1 -nagtime=1 -forfeittime=7";
        assert_eq!(read(same).expect("terms"), TournamentTerms::default());
    }

    #[test]
    fn terms_are_written_as_the_options_that_give_them() {
        for words in [
            "-players=2-2",
            "-players=4-64 -group=8 -advance=4",
            "-roundtime=0.5 -games=2 -fill=3",
            "-start=2026-12-24",
            "-repeat -closed -unrated",
            "-nagtime=0.01157407 -forfeittime=0.02 -totaltime=3.25",
        ] {
            let terms = read(words).expect(words);
            assert_eq!(written(&terms), words);
            let json = serde_json::to_string(&terms).expect("json");
            assert_eq!(serde_json::from_str::<TournamentTerms>(&json).expect("terms"), terms, "{json}");
        }
        let form = TournamentForm::RoundRobin;
        let terms =
            TournamentTerms::read(form, &given("-players=6"), "-size=4".to_owned(), now()).expect("terms");
        assert_eq!(written(&terms), "-size=4 -players=6-6");
        assert_eq!(written(&read("-players=6").expect("terms")), "-players=6-6");
        assert_eq!(read("-forfeittime=0.3").expect("terms").nag, Span(DAY / 10));
    }

    #[test]
    fn terms_out_of_bounds_are_refused_with_the_bound() {
        for (words, bound) in [
            ("-players", "4-10"),
            ("-players=1-4", "from 2 to 1000"),
            ("-players=8-4", "from 2 to 1000"),
            ("-players=4-1001", "from 2 to 1000"),
            ("-players=4-", "from 2 to 1000"),
            ("-group=2", "from 3 to 64"),
            ("-group=65", "from 3 to 64"),
            ("-advance=0", "from 1 to 32"),
            ("-players=4-40 -group=5 -advance=3", "`-advance=2`"),
            ("-players=4-40 -group=3", "`-advance=1`"),
            ("-roundtime=0", "3650"),
            ("-roundtime=367", "366"),
            ("-start=soon", "YYYY-MM-DD"),
            ("-start=2026-11-20", "366"),
            ("-start=2027-12-01", "366"),
            ("-start=2026-02-30", "YYYY-MM-DD"),
            ("-start=2026-12-24T10:00Z", "YYYY-MM-DD"),
            ("-start=2026-12-24 -repeat", "-start=full"),
            ("-games=3", "from 1 to 2"),
            ("-fill=9", "from 1 to 8"),
            ("-fill", "from 1 to 8"),
            ("-repeat=yes", "alone"),
            ("-closed=no", "alone"),
            ("-unrated=1", "alone"),
            ("-nagtime=7", "too late"),
            ("-nagtime=x", "3650"),
            ("-totaltime=4000", "3650"),
            ("-closed -closed", "twice"),
            ("-window=3", "of the form ladder"),
            ("-lives=3", "no option"),
            ("-rounds=5", "of the form swiss"),
        ] {
            let error = read(words).expect_err(words);
            assert!(error.contains(bound), "{words}: {error}");
        }
        // A group that everybody fits in is the last stage.
        read("-players=4-5 -group=5 -advance=3").expect("terms");
    }

    #[test]
    fn a_swiss_tournament_has_rounds_and_defaults_of_its_own() {
        let swiss = TournamentForm::Swiss;
        for words in ["", "-players=8-100 -rounds=9", "-roundtime=120 -games=2"] {
            let terms = read_as(swiss, words).expect(words);
            assert_eq!(terms.options(swiss), words);
            let json = serde_json::to_string(&terms).expect("json");
            assert_eq!(serde_json::from_str::<TournamentTerms>(&json).expect("terms"), terms, "{json}");
        }
        assert_eq!(read_as(swiss, "-players=6-64 -roundtime=30"), read_as(swiss, ""));
        for (words, bound) in [
            ("-rounds=0", "from 1 to 64"),
            ("-rounds=65", "from 1 to 64"),
            ("-players=4-6 -rounds=6", "`-rounds=5` or less"),
            ("-group=8", "of the form roundrobin or league"),
            ("-advance=1", "of the form roundrobin"),
        ] {
            let error = read_as(swiss, words).expect_err(words);
            assert!(error.contains(bound), "{words}: {error}");
        }
    }

    #[test]
    fn ladders_and_leagues_have_terms_of_their_own() {
        let (ladder, league) = (TournamentForm::Ladder, TournamentForm::League);
        for (form, words) in [
            (ladder, ""),
            (ladder, "-players=2-40 -window=5 -games=2 -closed"),
            (league, ""),
            (league, "-group=6 -move=1 -pause=0.5 -roundtime=30 -start=2026-12-24 -fill=3"),
        ] {
            let terms = read_as(form, words).expect(words);
            let json = serde_json::to_string(&terms).expect("json");
            assert_eq!(serde_json::from_str::<TournamentTerms>(&json).expect("terms"), terms, "{json}");
            assert_eq!(read_as(form, &terms.options(form)), Ok(terms), "{words}");
        }
        for (form, words, bound) in [
            (ladder, "-window=0", "from 1 to 1000"),
            (ladder, "-start=2026-12-24", "not of ladder"),
            (ladder, "-fill=3", "not of ladder"),
            (ladder, "-repeat", "not of ladder"),
            (ladder, "-roundtime=30", "not of ladder"),
            (ladder, "-group=8", "not of ladder"),
            (league, "-group=5 -move=3", "`-move=2` or less"),
            (league, "-pause=367", "366"),
            (league, "-roundtime=0.001 -pause=0.5", "a day at least, not 0.001 and 0.5"),
            (league, "-repeat", "not of league"),
            (league, "-advance=1", "not of league"),
        ] {
            let error = read_as(form, words).expect_err(words);
            assert!(error.contains(bound), "{words}: {error}");
        }
    }

    #[test]
    fn every_option_of_the_language_is_a_term_with_that_default() {
        for form in TournamentForm::ALL {
            for option in TOURNAMENT_OPTIONS.iter().filter(|option| option.is_of(form.as_str())) {
                let with = |value: Option<&str>| {
                    let name = option.name;
                    read_as(
                        *form,
                        &value.map_or_else(|| format!("-{name}"), |value| format!("-{name}={value}")),
                    )
                };
                with(option.example).unwrap_or_else(|error| panic!("{error}"));
                let default = option.default_of(form.as_str());
                if !default.is_empty() {
                    assert_eq!(
                        with(Some(default)).expect(default),
                        TournamentTerms::usual(*form),
                        "{option:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_first_line_of_a_body_is_the_title() {
        let text = |body: &str| {
            TournamentText::of_body(body, "osbox round robin").map_err(|error| error.to_string())
        };
        let of = |title: &str, description: &str| {
            Ok(TournamentText { title: title.to_owned(), description: description.to_owned() })
        };
        assert_eq!(text(""), of("osbox round robin", ""));
        assert_eq!(
            text("\r\n Winter  cup \r\n\r\nFor all.\r\nEnter!\r\n"),
            of("Winter cup", "For all.\nEnter!")
        );
        assert!(text(&"x".repeat(61)).expect_err("too long").contains("1 to 60 characters, not 61"));
        assert!(
            text(&format!("t\n{}", "x".repeat(4097))).expect_err("too long").contains("at most 4096 bytes")
        );
    }
}
