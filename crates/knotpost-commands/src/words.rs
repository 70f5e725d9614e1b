//! Userids and passwords: rules for choosing them, and protection of passwords from output.
//!
//! Knows neither stored users nor hashes.

use std::fmt;
use std::str::FromStr;

use crate::vocabulary::{Vocabulary, is_reserved};

const USERID_LENGTH: std::ops::RangeInclusive<usize> = 2..=20;
const PASSWORD_LENGTH: std::ops::RangeInclusive<usize> = 6..=128;

/// A userid that may be signed up, spelled as typed.
///
/// Two to twenty of the letters, digits, `_`, `.` and `-` of ASCII, not starting with `-`, not all digits.
/// Userids are compared without regard to case; [`Userid::folded`] is the form to compare by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Userid(String);

/// The rule violated by a proposed userid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UseridRule {
    /// Shorter than two or longer than twenty characters.
    #[error("a userid has 2 to 20 characters")]
    Length,
    /// A character outside the allowed ones.
    #[error("a userid is made of the letters a to z, digits, `_`, `.` and `-`")]
    Character,
    /// Starts with a dash.
    #[error("a userid does not start with `-`")]
    LeadingDash,
    /// Would read as a board number.
    #[error("a userid is not a number")]
    AllDigits,
    /// The word has a meaning in commands.
    #[error("this userid is a word of the command language")]
    Reserved,
    /// Neither a letter nor a digit in it.
    #[error("a userid has at least one letter or digit")]
    OnlySigns,
    /// Starts with a dot, as hidden files and the folder above do.
    #[error("a userid does not start with `.`")]
    LeadingDot,
    /// Looks like an operator or program of the server.
    #[error("this userid reads as somebody who runs the server")]
    Operator,
    /// The prefix of the server's computer players.
    #[error("userids that begin with `knotbot` are for the server's own players")]
    OwnPlayer,
    /// Name of a page of the web.
    #[error("this userid is the name of a page")]
    Page,
}

impl UseridRule {
    /// The rule in words that do not repeat the userid.
    pub(crate) fn told_of(self, word: &str) -> String {
        if word.contains('@') {
            "first comes the userid, a short name of your choice, and not the address".to_owned()
        } else {
            self.to_string()
        }
    }
}

/// Prefix of the server's computer players.
const OWN_PLAYERS: &str = "knotbot";
/// Path segments of web pages, present or reserved, where a userid may stand.
const PAGES: &[&str] = &[
    "about",
    "account",
    "admin",
    "api",
    "assets",
    "boards",
    "challenge",
    "commands",
    "confirm",
    "feeds",
    "games",
    "healthz",
    "home",
    "index",
    "login",
    "logout",
    "magic",
    "mailbox",
    "me",
    "metrics",
    "readyz",
    "reset",
    "settings",
    "signin",
    "signup",
    "standings",
    "static",
    "tournaments",
    "unsubscribe",
    "users",
];

impl Userid {
    /// The rule in few words.
    pub fn rule() -> String {
        format!("{} to {} letters, digits, `_`, `.` or `-`", USERID_LENGTH.start(), USERID_LENGTH.end())
    }

    /// Applies all rules, for a signup.
    pub fn choose(word: &str, vocabulary: &Vocabulary) -> Result<Self, UseridRule> {
        let userid = Self::assign(word, vocabulary)?;
        let folded = userid.folded();
        let letters: String = folded.chars().filter(char::is_ascii_alphanumeric).collect();
        if letters.starts_with(OWN_PLAYERS) {
            return Err(UseridRule::OwnPlayer);
        }
        if vocabulary.reads_as_operator(word) {
            return Err(UseridRule::Operator);
        }
        if PAGES.contains(&folded.as_str()) { Err(UseridRule::Page) } else { Ok(userid) }
    }

    /// Applies the rules for a user added by an administrator: names like an operator's are allowed.
    pub fn assign(word: &str, vocabulary: &Vocabulary) -> Result<Self, UseridRule> {
        let userid = Self::keep(word, vocabulary)?;
        if !word.chars().any(|sign| sign.is_ascii_alphanumeric()) {
            return Err(UseridRule::OnlySigns);
        }
        if word.starts_with('.') { Err(UseridRule::LeadingDot) } else { Ok(userid) }
    }

    /// Applies the rules for existing names, here or in a record of another server.
    pub fn keep(word: &str, vocabulary: &Vocabulary) -> Result<Self, UseridRule> {
        let userid = word.parse::<Self>()?;
        if is_reserved(word, vocabulary) { Err(UseridRule::Reserved) } else { Ok(userid) }
    }

    /// The userid as typed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The userid in lower case, the form by which userids are compared.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl FromStr for Userid {
    type Err = UseridRule;

    /// Checks the shape alone; reserved words need a vocabulary, see [`Userid::choose`].
    fn from_str(word: &str) -> Result<Self, UseridRule> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if !word.chars().all(allowed) {
            return Err(UseridRule::Character);
        }
        if !USERID_LENGTH.contains(&word.len()) {
            return Err(UseridRule::Length);
        }
        if word.starts_with('-') {
            return Err(UseridRule::LeadingDash);
        }
        if word.chars().all(|c| c.is_ascii_digit()) {
            return Err(UseridRule::AllDigits);
        }
        Ok(Self(word.to_owned()))
    }
}

impl fmt::Display for Userid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A password. Neither `Debug` nor `Display` shows it; [`Password::expose`] does.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// The rule violated by a proposed password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRule {
    /// Shorter than 6 or longer than 128 characters.
    #[error("a password has 6 to 128 characters")]
    Length,
    /// A character outside printable ASCII, a blank, a quote or a colon.
    #[error("a password is made of printable ASCII characters without blanks, quotes and colons")]
    Character,
    /// Starts with a dash and would be taken for an option.
    #[error("a password does not start with `-`")]
    LeadingDash,
    /// Nothing but asterisks, which is the mask of passwords.
    #[error("a password is not made of asterisks alone")]
    OnlyAsterisks,
}

impl Password {
    /// The rule in few words.
    pub fn rule() -> String {
        let (least, most) = (PASSWORD_LENGTH.start(), PASSWORD_LENGTH.end());
        format!("{least} to {most} characters without blanks, quotes and colons")
    }

    /// A password as typed, unchecked: for authentication.
    pub fn given(word: &str) -> Self {
        Self(word.to_owned())
    }

    /// Checks a new password.
    pub fn choose(word: &str) -> Result<Self, PasswordRule> {
        let allowed = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '`' | ':');
        if !word.chars().all(allowed) {
            return Err(PasswordRule::Character);
        }
        if !PASSWORD_LENGTH.contains(&word.len()) {
            return Err(PasswordRule::Length);
        }
        if word.starts_with('-') {
            return Err(PasswordRule::LeadingDash);
        }
        if word.chars().all(|c| c == '*') {
            return Err(PasswordRule::OnlyAsterisks);
        }
        Ok(Self(word.to_owned()))
    }

    /// The password itself. Keep it out of logs and answers.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// False for a word too short for any password, a sign of exchanged arguments.
    pub(crate) fn is_plausible(&self) -> bool {
        Self::choose(&self.0).is_ok()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::mask::MASK)
    }
}

impl fmt::Display for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::mask::MASK)
    }
}

/// Userid and password of a command, unverified.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// As typed, possibly not the shape of a userid.
    pub userid: String,
    /// As typed; `None`: authenticated by something else. Never the result of parsing a line: an empty
    /// password makes it no command.
    pub password: Option<Password>,
}

impl Credentials {
    /// A userid and a password as typed.
    pub fn typed(userid: impl Into<String>, password: Password) -> Self {
        Self { userid: userid.into(), password: Some(password) }
    }

    /// A user authenticated by something else, such as a session.
    pub fn without_password(userid: impl Into<String>) -> Self {
        Self { userid: userid.into(), password: None }
    }

    /// False if a word looks wrong: then arguments may be exchanged, and any word of the command may be the
    /// password.
    pub(crate) fn are_plausible(&self) -> bool {
        self.userid.parse::<Userid>().is_ok() && self.password.as_ref().is_some_and(Password::is_plausible)
    }
}

impl fmt::Debug for Credentials {
    /// Masks the userid too: it is the password if the sender forgot the userid or exchanged the two.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.password {
            Some(password) => write!(f, "Credentials({password})"),
            None => f.write_str("Credentials(no password)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_in_few_words_name_the_numbers_that_are_checked() {
        let (userid, password) = (UseridRule::Length.to_string(), PasswordRule::Length.to_string());
        let length = |rule: String| rule.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        assert!(userid.contains(&length(Userid::rule())), "{userid}");
        assert!(password.contains(&length(Password::rule())), "{password}");
        for sign in Userid::rule().split('`').skip(1).step_by(2) {
            assert!(format!("a{sign}b").parse::<Userid>().is_ok(), "{sign}");
        }
        for sign in [' ', '"', '\'', '`', ':'] {
            assert_eq!(Password::choose(&format!("abc{sign}def")), Err(PasswordRule::Character), "{sign}");
        }
    }
}
