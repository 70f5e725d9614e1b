//! Userids, passwords and small values.

use knotpost_commands::{BoardAt, Days, Password, PasswordRule, Userid, UseridRule, is_reserved};

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
    for word in ["all", "tournament", "ratings", "qmove", "ADDRESS", "display", "obsidio"] {
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
