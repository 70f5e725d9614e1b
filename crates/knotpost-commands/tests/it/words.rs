//! Userids, passwords and small values.

use knotpost_commands::{
    BoardAt, Comment, Days, Password, PasswordRule, Userid, UseridRule, clean_line, is_reserved, is_unwanted,
    limit_comment,
};

use super::vocabulary;

#[test]
fn userids_obey_the_rules() {
    let choose = |word: &str| Userid::choose(word, &vocabulary()).map(|userid| userid.to_string());
    for good in ["ab", "Fred", "fred_2", "a.b-c", "2fast", "abcdefghijklmnopqrst", "_x"] {
        assert_eq!(choose(good).as_deref(), Ok(good));
    }
    for (bad, rule) in [
        ("a", UseridRule::Length),
        ("abcdefghijklmnopqrstu", UseridRule::Length),
        ("", UseridRule::Length),
        ("-fred", UseridRule::LeadingDash),
        ("123", UseridRule::AllDigits),
        ("fré", UseridRule::Character),
        ("fred:x", UseridRule::Character),
        ("fred\"", UseridRule::Character),
        ("a b", UseridRule::Character),
        ("Osbox", UseridRule::Reserved),
        ("NEXT", UseridRule::Reserved),
        ("board", UseridRule::Reserved),
        ("challenge", UseridRule::Reserved),
        ("pass", UseridRule::Reserved),
        ("new", UseridRule::Reserved),
    ] {
        assert_eq!(choose(bad), Err(rule), "{bad}");
    }
    assert_eq!("FreD".parse::<Userid>().unwrap().folded(), "fred");
}

#[test]
fn names_that_mislead_are_nobodys() {
    let words = vocabulary().of_server(&["pbmserv", "Knotty Games"]);
    for (bad, rule) in [
        ("..", UseridRule::OnlySigns),
        ("__", UseridRule::OnlySigns),
        (".-_", UseridRule::OnlySigns),
        (".hidden", UseridRule::LeadingDot),
        ("admin", UseridRule::Operator),
        ("Administrator", UseridRule::Operator),
        ("ad-min", UseridRule::Operator),
        ("adm1n", UseridRule::Operator),
        ("r00t", UseridRule::Operator),
        ("post.master", UseridRule::Operator),
        ("Mailer-Daemon", UseridRule::Operator),
        ("no_reply", UseridRule::Operator),
        ("SUPPORT", UseridRule::Operator),
        ("pbmserv", UseridRule::Operator),
        ("PBM-serv", UseridRule::Operator),
        ("knotty.games", UseridRule::Operator),
        ("knotbot-easy", UseridRule::OwnPlayer),
        ("KnotBot", UseridRule::OwnPlayer),
        ("knot-bot2", UseridRule::OwnPlayer),
        ("login", UseridRule::Page),
        ("api", UseridRule::Page),
        ("metrics", UseridRule::Page),
    ] {
        assert_eq!(Userid::choose(bad, &words), Err(rule), "{bad}");
    }
    for good in ["ann", "rooted", "admiral", "serverin", "a..b", "knotbert", "mods", "pbmservant"] {
        assert!(Userid::choose(good, &words).is_ok(), "{good}");
    }
    // An administrator may give the names of operators; who has a name keeps it.
    assert!(Userid::assign("admin", &words).is_ok());
    assert_eq!(Userid::assign("..", &words), Err(UseridRule::OnlySigns));
    assert!(Userid::keep("..", &words).is_ok());
    assert_eq!(Userid::keep("osbox", &words), Err(UseridRule::Reserved));
}

#[test]
fn what_steers_a_terminal_or_turns_the_text_is_taken_out() {
    for (text, kept) in [
        ("plain \u{fc}\u{2764}\n\ttext", "plain \u{fc}\u{2764}\n\ttext"),
        ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"),
        ("\u{9b}2Jgone\u{7f}\u{0}\u{7}", "2Jgone"),
        ("a\u{202e}b\u{202a}\u{202b}\u{202c}\u{202d}c", "abc"),
        ("x\u{2066}\u{2067}\u{2068}\u{2069}y", "xy"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("\u{5d0}\u{200f}\u{200e}.", "\u{5d0}\u{200f}\u{200e}."),
    ] {
        assert_eq!(limit_comment(text), kept, "{text:?}");
        assert_eq!(Comment::new(text).as_str(), kept);
    }
    assert_eq!(clean_line("one\r\ntwo\tthree\u{1b}"), "one  two three");
    let long = limit_comment(&"x".repeat(9_000));
    assert_eq!(limit_comment(&long), long, "once is enough");
}

proptest::proptest! {
    #[test]
    fn nothing_unwanted_is_left_of_any_text(text in "(?s).{0,60}") {
        let kept = limit_comment(&text);
        proptest::prop_assert!(!kept.contains(is_unwanted), "{kept:?}");
        proptest::prop_assert_eq!(limit_comment(&kept), kept.clone());
    }
}

#[test]
fn passwords_obey_the_rules_and_stay_hidden() {
    for good in ["secret", "a!@#$%^&()=+", "*****a", &"x".repeat(128)] {
        assert_eq!(Password::choose(good).unwrap().expose(), good);
    }
    for (bad, rule) in [
        ("short", PasswordRule::Length),
        (&*"x".repeat(129), PasswordRule::Length),
        ("-secret", PasswordRule::LeadingDash),
        ("********", PasswordRule::OnlyAsterisks),
        ("******", PasswordRule::OnlyAsterisks),
        ("sec:ret", PasswordRule::Character),
        ("sec'ret", PasswordRule::Character),
        ("sec\"ret", PasswordRule::Character),
        ("geheimnüs", PasswordRule::Character),
        ("sec ret", PasswordRule::Character),
    ] {
        assert_eq!(Password::choose(bad), Err(rule), "{bad}");
    }
    let password = Password::given("chocolate");
    assert_eq!(format!("{password} {password:?}"), "******** ********");
}

#[test]
fn selectors_and_commands_are_reserved_and_other_words_are_not() {
    for word in ["all", "tournament", "enter", "ratings", "qmove", "ADDRESS", "display", "obsidio"] {
        assert!(is_reserved(word, &vocabulary()), "{word}");
    }
    for word in ["fred", "osboxer", "chall", "size"] {
        assert!(!is_reserved(word, &vocabulary()), "{word}");
    }
}

#[test]
fn boards_are_written_in_four_ways() {
    let at = |number, at| Some(BoardAt { number, at });
    assert_eq!(BoardAt::from_word("123"), at(123, None));
    assert_eq!(BoardAt::from_word("#123"), at(123, None));
    assert_eq!(BoardAt::from_word("123#7"), at(123, Some(7)));
    assert_eq!(BoardAt::from_word("#123#-1"), at(123, Some(-1)));
    for bad in ["", "#", "0", "12x", "123#", "123#x", "123#--1", "+5", "-5", "99999999999", "1#2#3", "１２"]
    {
        assert_eq!(BoardAt::from_word(bad), None, "{bad}");
    }
}

#[test]
fn days_have_fractions_and_bounds() {
    let millis = |word: &str| Days::from_word(word).map(Days::as_millis);
    assert_eq!(millis("7"), Some(604_800_000));
    assert_eq!(millis("0.5"), Some(43_200_000));
    assert_eq!(millis("1,5"), Some(129_600_000));
    for bad in ["0", "-1", "", "x", "inf", "NaN", "1e3", "3651", "0.00000001", "1.2.3", "."] {
        assert_eq!(millis(bad), None, "{bad}");
    }
}
