//! Masking of passwords in users' own lines.
//!
//! In a valid command, passwords are known by position. In any other line every sufficiently long word may be
//! one and is masked, except words of the language, the word in place of a verb, and, behind a plausible
//! userid and password, numbers, dates and option values.

use crate::arguments::{Args, is_address, is_option_name, is_preference};
use crate::clean::clean;
use crate::grammar::{NamedGame, find_head, parse_clean};
use crate::token::{Word, read_option, split_line};
use crate::value::BoardAt;
use crate::verb::{Masking, WhoAt};
use crate::verbs::Verb;
use crate::vocabulary::Vocabulary;
use crate::words::{Credentials, Password};

/// Shown in place of a password of any length.
pub const MASK: &str = "********";
pub(crate) const SHORTEST_SECRET: usize = 6;
/// Characters of a word shown in an error.
const LONGEST_NAMED: usize = 40;
/// Letters of the longest verb, or of one nearly right.
const LONGEST_VERB: usize = 16;
/// Digits of a board number shown without doubt.
const LONGEST_BOARD: usize = 6;
const LONGEST_DATE: usize = 10;
/// Readings of a line; one that still changes after these is masked entirely.
const MOST_READINGS: usize = 16;
/// Replaces an earlier mask while a line is read, so that masking is idempotent.
pub(crate) const STAND_IN: &str = "Masked-Word.1";

/// Masks the passwords of a line with `********`, after cleaning it. Idempotent.
///
/// A line that is no command, or whose userid and password are implausible, is masked by [`mask_cautiously`].
pub fn mask(line: &str, vocabulary: &Vocabulary) -> String {
    until_stable(line, |line| hide(line, vocabulary))
}

/// Masks every word that could be a password: for lines whose userid and password turned out wrong, where
/// they may have been exchanged.
pub fn mask_cautiously(line: &str, vocabulary: &Vocabulary) -> String {
    until_stable(line, |line| hide_unknown(line, vocabulary))
}

/// A word for an error text in full, at a position without passwords.
pub(crate) fn name(word: &str) -> String {
    match word.char_indices().nth(LONGEST_NAMED) {
        Some((end, _)) => format!("{}…", word.get(..end).unwrap_or_default()),
        None => word.to_owned(),
    }
}

/// An argument for an error text, masked if it could be a password.
pub(crate) fn show_argument(word: &str, verb: Verb, vocabulary: &Vocabulary) -> String {
    if takes_password(verb) { show(word, vocabulary) } else { name(word) }
}

/// As [`show_argument`]; numbers, dates and values of options or preferences behind userid and password are
/// shown.
pub(crate) fn show_in(word: &str, args: &Args<'_>) -> String {
    let sound = sound_secrets(args.verb, args.words, args.vocabulary);
    let is_behind = sound.is_some_and(|secrets| {
        let last = secrets.last().map_or(0, |secret| secret.place);
        let is_this = |behind: &Word<'_>| {
            let value = behind.text.split_once('=').filter(|_| is_setting(behind.text, args.vocabulary));
            behind.place > last
                && (behind.text == word && is_number(word) || value.is_some_and(|(_, value)| value == word))
        };
        secrets.iter().all(|secret| !word.contains(secret.text))
            && (args.words.iter().any(is_this)
                || args.options.iter().any(|option| option.value == Some(word)))
    });
    if is_behind { name(word) } else { show_argument(word, args.verb, args.vocabulary) }
}

/// The name of an option or preference for an error text, shown if spelt like one.
pub(crate) fn show_name(word: &str, verb: Verb, vocabulary: &Vocabulary) -> String {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-');
    let reads_as_name = word.len() <= LONGEST_VERB && word.bytes().all(is_letter);
    if reads_as_name { word.to_owned() } else { show_argument(word, verb, vocabulary) }
}

fn takes_password(verb: Verb) -> bool {
    let spec = verb.spec();
    spec.who != WhoAt::Nowhere
        || match spec.masking {
            Masking::ByPlace | Masking::NewPassword | Masking::Addresses => false,
            Masking::NewUser | Masking::AfterUserid => true,
        }
}

/// A word for an error text, masked if it could be a password.
pub(crate) fn show(word: &str, vocabulary: &Vocabulary) -> String {
    if word.chars().count() < SHORTEST_SECRET || vocabulary.is_known(word) {
        word.to_owned()
    } else {
        MASK.to_owned()
    }
}

/// Masks until nothing changes.
///
/// A masked word may have been the head of the command; without it the password is at another position, and
/// the result must be safe in that reading too.
fn until_stable(line: &str, hide: impl Fn(&str) -> String) -> String {
    let mut shown = clean(line);
    for _ in 0..MOST_READINGS {
        let next = clean(&hide(&read_again(&shown)));
        if next == shown {
            return shown;
        }
        shown = next;
    }
    rewrite(&shown, |_, _| MASK.to_owned())
}

fn hide(line: &str, vocabulary: &Vocabulary) -> String {
    match secrets_by_place(line, vocabulary) {
        Some(places) => rewrite(
            line,
            |place, piece| {
                if places.contains(&place) { MASK.to_owned() } else { restore(piece) }
            },
        ),
        None => hide_unknown(line, vocabulary),
    }
}

fn read_again(line: &str) -> String {
    rewrite(line, |_, piece| if piece == MASK { STAND_IN.to_owned() } else { piece.to_owned() })
}

fn rewrite(line: &str, change: impl Fn(usize, &str) -> String) -> String {
    let pieces = line.split_whitespace().enumerate().map(|(place, piece)| change(place, piece));
    pieces.collect::<Vec<_>>().join(" ")
}

fn restore(piece: &str) -> String {
    if piece == STAND_IN { MASK.to_owned() } else { piece.to_owned() }
}

/// Passwords of arguments with plausible userid and passwords; `None` if implausible, or there are none.
fn sound_secrets<'a>(verb: Verb, args: &[Word<'a>], vocabulary: &Vocabulary) -> Option<Vec<Word<'a>>> {
    let userid = args.get(who_at(verb, args)?).map(|word| word.text).filter(|userid| *userid != STAND_IN)?;
    let secrets = secret_words(verb, args);
    let is_sound = |secret: &Word<'_>| {
        Credentials::typed(userid, Password::given(secret.text)).are_plausible()
            && !is_misplaced(secret.text, vocabulary)
    };
    (!secrets.is_empty() && secrets.iter().all(is_sound)).then_some(secrets)
}

fn is_number(word: &str) -> bool {
    word.len() <= LONGEST_DATE
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_digit() || b".,-+/:#".contains(&byte))
}

/// Assignments to existing options or preferences.
fn is_setting(piece: &str, vocabulary: &Vocabulary) -> bool {
    let named = piece.trim_start_matches('-').split_once('=');
    named.is_some_and(|(name, _)| is_option_name(name, vocabulary) || is_preference(name))
}

/// Positions of the passwords in a plausible command, or one whose verb takes none; `None` for other lines.
fn secrets_by_place(line: &str, vocabulary: &Vocabulary) -> Option<Vec<usize>> {
    let split = split_line(line);
    let head = find_head(&split.words, vocabulary).ok().filter(|head| head.game != NamedGame::Unknown)?;
    let args = split.words.get(head.length..)?;
    if !takes_password(head.verb) {
        return Some(Vec::new());
    }
    parse_clean(line, vocabulary).ok()?;
    let Some(at) = who_at(head.verb, args) else { return Some(Vec::new()) };
    let secrets = secret_words(head.verb, args);
    let userid = args.get(at)?.text;
    for secret in &secrets {
        let password = Password::given(secret.text);
        let sound = Credentials::typed(userid, password).are_plausible();
        // The password repeated in another word, or a mask at another position, makes the assignment of words
        // doubtful.
        let is_strange =
            |piece: &str| piece == STAND_IN || (secret.text != STAND_IN && piece.contains(secret.text));
        let mut others = line.split_whitespace().enumerate().filter(|(place, _)| !is_at(&secrets, *place));
        if !sound || is_misplaced(secret.text, vocabulary) || others.any(|(_, piece)| is_strange(piece)) {
            return None;
        }
    }
    Some(secrets.iter().map(|secret| secret.place).collect())
}

/// True for a word in the password's position that belongs behind it: an address, a word of the language, a
/// board or date, a preference, several placements. Then the userid was left out and the password may be in
/// its place.
fn is_misplaced(word: &str, vocabulary: &Vocabulary) -> bool {
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '-' | '#' | '.');
    is_address(word)
        || vocabulary.is_known(word)
        || word.chars().all(numeric)
        || word.contains(',')
        || word.split_once('=').is_some_and(|(name, _)| reads_as_verb(name))
}

fn is_at(words: &[Word<'_>], place: usize) -> bool {
    words.iter().any(|word| word.place == place)
}

fn who_at(verb: Verb, args: &[Word<'_>]) -> Option<usize> {
    let spec = verb.spec();
    let place = match spec.masking {
        Masking::NewUser => WhoAt::First,
        Masking::ByPlace | Masking::NewPassword | Masking::Addresses | Masking::AfterUserid => spec.who,
    };
    match place {
        WhoAt::Nowhere => None,
        WhoAt::First => Some(0),
        WhoAt::AfterFirst => Some(1),
        WhoAt::Either => {
            Some(usize::from(args.first().is_some_and(|word| BoardAt::from_word(word.text).is_some())))
        }
    }
}

fn secret_words<'a>(verb: Verb, args: &[Word<'a>]) -> Vec<Word<'a>> {
    let Some(at) = who_at(verb, args) else { return Vec::new() };
    let count = match verb.spec().masking {
        Masking::NewPassword => 2,
        Masking::ByPlace | Masking::Addresses | Masking::NewUser | Masking::AfterUserid => 1,
    };
    args.iter().skip(at + 1).take(count).copied().collect()
}

/// Masks without trusting the line's structure.
fn hide_unknown(line: &str, vocabulary: &Vocabulary) -> String {
    let split = split_line(line);
    let mut kept: Vec<usize> = Vec::new();
    let mut secrets = Vec::new();
    let mut secrets_end = None;
    let head = find_head(&split.words, vocabulary);
    if head.is_err() {
        kept.extend(verb_place(&split.words, vocabulary));
    }
    if let Ok(head) = head {
        let (front, args) = split.words.split_at(head.length.min(split.words.len()));
        let unknown_game = usize::from(head.game == NamedGame::Unknown);
        kept.extend(front.iter().skip(unknown_game).map(|word| word.place));
        kept.extend(args.first().filter(|word| is_short_board(word.text)).map(|word| word.place));
        // A mask before an unmasked word hides a long board number: no password follows at once.
        let is_mask = |at: usize| args.get(at).is_some_and(|word| word.text == STAND_IN);
        let hides_board = head.verb.spec().who == WhoAt::Either && is_mask(0) && !is_mask(1);
        secrets = if hides_board {
            args.iter().skip(2).take(1).copied().collect()
        } else {
            secret_words(head.verb, args)
        };
        kept.extend(addresses(head.verb, args).map(|word| word.place));
        secrets_end = sound_secrets(head.verb, args, vocabulary)
            .and_then(|secrets| secrets.last().map(|secret| secret.place));
    }
    rewrite(line, |place, piece| {
        // A mask contains no secret; a word may contain the stand-in by chance.
        let holds_secret = secrets.iter().any(|word| word.text != STAND_IN && piece.contains(word.text));
        if is_at(&secrets, place) {
            MASK.to_owned()
        } else if kept.contains(&place) && !holds_secret {
            restore(piece)
        } else if secrets_end.is_some_and(|end| place > end)
            && !holds_secret
            && (is_number(piece) || is_setting(piece, vocabulary))
        {
            piece.to_owned()
        } else {
            hide_piece(piece, vocabulary)
        }
    })
}

/// Position of a word of letters in place of the verb.
fn verb_place(words: &[Word<'_>], vocabulary: &Vocabulary) -> Option<usize> {
    let after_game = words.first().is_some_and(|word| vocabulary.game(word.text).is_some());
    words.get(usize::from(after_game)).filter(|word| reads_as_verb(word.text)).map(|word| word.place)
}

/// True for a word of letters no longer than a verb, which is shown in place of a verb even if unknown.
pub(crate) fn reads_as_verb(word: &str) -> bool {
    word.len() <= LONGEST_VERB && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_short_board(word: &str) -> bool {
    let Some(board) = BoardAt::from_word(word) else { return false };
    word.len() <= 2 * LONGEST_BOARD && board.number.to_string().len() <= LONGEST_BOARD
}

fn addresses<'a>(verb: Verb, args: &'a [Word<'a>]) -> impl Iterator<Item = &'a Word<'a>> {
    let from = match verb.spec().masking {
        Masking::Addresses | Masking::NewUser => 2,
        Masking::ByPlace | Masking::NewPassword | Masking::AfterUserid => args.len(),
    };
    args.iter().skip(from).filter(|word| is_address(word.text) && word.text.contains('.'))
}

fn hide_piece(piece: &str, vocabulary: &Vocabulary) -> String {
    let bare = piece.trim_matches(|c: char| c.is_ascii_punctuation());
    if piece.chars().count() < SHORTEST_SECRET || (vocabulary.is_known(bare) && !bare.is_empty()) {
        return piece.to_owned();
    }
    let Some(option) = read_option(piece) else { return MASK.to_owned() };
    let dashes = piece.len() - piece.trim_start_matches('-').len();
    let dashes = piece.get(..dashes).unwrap_or_default();
    match option.value {
        Some(value) if is_option_name(option.name, vocabulary) => {
            format!("{dashes}{}={}", option.name, show(value, vocabulary))
        }
        None if is_option_name(option.name, vocabulary) => piece.to_owned(),
        _ => format!("{dashes}{MASK}"),
    }
}
