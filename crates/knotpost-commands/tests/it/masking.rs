//! A password never comes back.

use knotpost_commands::{ExampleContext, Scope, Verb, VerbSpec, mask, mask_cautiously, parse};
use proptest::prelude::*;

use super::{read, vocabulary};

fn masked(line: &str) -> String {
    mask(line, &vocabulary())
}

#[test]
fn a_command_keeps_all_but_its_passwords() {
    for (line, expected) in [
        ("osbox move 101 freddy secret f12#8", "osbox move 101 freddy ******** f12#8"),
        ("Re: Osbox Board 123 fred ** secret f12", "Osbox Board 123 fred ******** f12"),
        ("signup fsmith chocolate fms123@moo.com", "signup fsmith ******** fms123@moo.com"),
        ("change password fsmith current1 another1", "change password fsmith ******** ********"),
        ("osbox sub 101 carolina secret", "osbox sub 101 carolina ********"),
        ("osbox sub carolina secret 101", "osbox sub carolina ******** 101"),
        ("osbox challenge carolina fsmith -size=5", "osbox challenge carolina fsmith -size=5"),
        ("move 101 fred secret secret", "move 101 fred ******** ********"),
        ("osbox move 101 fred “secret” f12", "osbox move 101 fred ******** f12"),
        ("resend carolina secret1 boxilies 101", "resend carolina ******** boxilies 101"),
        ("osbox seek -size=5 carolina secret 2", "osbox seek -size=5 carolina ******** 2"),
    ] {
        assert_eq!(masked(line), expected, "{line}");
    }
}

#[test]
fn a_line_that_is_no_command_keeps_words_of_the_language_and_the_place_of_its_verb() {
    for (line, expected) in [
        ("osbox move 101 fred secret", "osbox move 101 fred ********"),
        ("osbox move 123456 fred f12", "osbox move 123456 fred ********"),
        ("osbox move fred 123456 f12", "osbox move fred ******** ********"),
        ("frobnicate fred secret", "frobnicate fred ********"),
        ("osbox chalenge newbie annette", "osbox chalenge ******** ********"),
        ("secret12 move 101 fred f12", "******** move 101 fred ********"),
        ("signup fred secret fms123", "signup fred ******** ********"),
        ("signup fred short fms123@moo.com", "signup fred ******** fms123@moo.com"),
        ("osbox move 101 fred:secret f12", "osbox move 101 ******** ********"),
        ("osbox move 101 fred (secret) f12 now", "osbox move 101 fred ******** f12 now"),
        ("osbox: chalenge, \"secret\"", "osbox: ******** ********"),
        ("password fred secret", "password fred ********"),
    ] {
        assert_eq!(masked(line), expected, "{line}");
    }
}

#[test]
fn what_cannot_be_a_password_is_shown() {
    for (line, expected) in [
        ("osbox challenge carolina -anyside", "osbox challenge carolina -anyside"),
        ("osbox preview new 2 -no-capture", "osbox preview new 2 -no-capture"),
        ("osbox shwo 101 carolina", "osbox shwo 101 ********"),
        ("osbox show carolina everything", "osbox show carolina everything"),
        ("message fred secret12 carolina annette", "message fred ******** carolina annette"),
        // The password stands in the place of the userid, or once more in another word.
        ("set secret12 colour=blue", "set ******** ********"),
        ("signup fred smithson chocolate", "signup fred ******** ********"),
        ("set fred secret12 colour=secret12", "set fred ******** ********"),
    ] {
        assert_eq!(masked(line), expected, "{line}");
    }
    for (line, named) in [
        ("osbox challenge ann carolina -anyside", "`-anyside`"),
        ("osbox seek fred secret12 1 -handicap=3", "`-handicap`"),
        ("set fred secret12 colour=blue", "`colour`"),
        ("osbox status 101", "`status`"),
    ] {
        let error = parse(line, &vocabulary()).unwrap_err().to_string();
        assert!(error.contains(named), "{line}: {error}");
    }
    let long = format!("osbox challenge ann bob -{}", "x".repeat(300));
    assert!(parse(&long, &vocabulary()).unwrap_err().to_string().len() < 500);
}

/// Behind a userid and a password that look like such only the password is secret.
#[test]
fn numbers_dates_and_values_behind_a_password_are_shown() {
    for (line, echo, named) in [
        ("vacation ann chocolate 20.04.2027", "vacation ann ******** 20.04.2027", "`20.04.2027`"),
        ("vacation ann chocolate 20/04/2027", "vacation ann ******** 20/04/2027", "`20/04/2027`"),
        ("vacation ann chocolate 2027-02-30", "vacation ann ******** 2027-02-30", "`2027-02-30`"),
        ("vacation ann chocolate 365000", "vacation ann ******** 365000", "`365000`"),
        ("set ann chocolate timezone=+02:00", "set ann ******** timezone=+02:00", "`+02:00`"),
        ("set ann chocolate --timezone=+02:00", "set ann ******** --timezone=+02:00", "`+02:00`"),
        ("set ann chocolate digest=morning", "set ann ******** digest=morning", "`morning`"),
        (
            "set ann chocolate board=narrower mail=text",
            "set ann ******** board=narrower mail=text",
            "`narrower`",
        ),
        (
            "osbox seek ann chocolate 1 --forfeittime=10.days",
            "osbox seek ann ******** 1 --forfeittime=10.days",
            "`10.days`",
        ),
        ("osbox seek ann chocolate 1000000", "osbox seek ann ******** 1000000", "`1000000`"),
        ("vacation ann chocolate summer", "vacation ann ******** ********", "`********`"),
        ("vacation ann chocolate chocolate", "vacation ann ******** ********", "`********`"),
        ("set ann chocolate timezone=+chocolate", "set ann ******** ********", "`********`"),
        ("vacation ann 14 20.04.2027", "vacation ann ******** ********", "`********`"),
        ("set 20.04.2027 ann timezone=+02:00", "set ******** ******** ********", "`********`"),
    ] {
        let error = parse(line, &vocabulary()).unwrap_err().to_string();
        assert!(error.contains(named), "{line}: {error}");
        assert_eq!(masked(line), echo, "{line}");
    }
}

#[test]
fn exchanged_words_are_noticed() {
    assert_eq!(masked("osbox move 101 secret12 fred f12"), "osbox move 101 ******** ******** f12");
    assert_eq!(masked("osbox move 101 fred f12 secret12"), "osbox move 101 fred ******** ********");
    assert_eq!(masked("delete s3cret!! freddy"), "delete ******** ********");
}

#[test]
fn a_forgotten_userid_is_noticed() {
    for line in [
        "add secret12 fred@example.org",
        "resend secret12 boxilies",
        "vacation secret12 2026-12-24",
        "set secret12 mail=text digest=7",
        "osbo queue 101 secret12 k2e4,a1e6 a1e7",
        "message secret12 ann bob",
        "osbox showas secret12 101#5 102",
    ] {
        let masked = masked(line);
        assert!(read(line).credentials().is_some() && !masked.contains("secret12"), "{line} -> {masked}");
    }
}

#[test]
fn exchanged_words_that_look_right_are_hidden_when_asked() {
    let cautious = mask_cautiously("osbox move 101 secret12 freddy f12", &vocabulary());
    assert_eq!(cautious, "osbox move 101 ******** ******** f12");
}

#[test]
fn a_long_number_for_a_board_is_hidden_once_and_for_all() {
    let once = mask("osbox sub 43333333 ab", &vocabulary());
    assert_eq!(once, "osbox sub ******** ab");
    assert_eq!(mask(&once, &vocabulary()), once);
}

#[test]
fn the_debug_text_of_a_command_holds_no_password() {
    let text = format!("{:?}", read("osbox move 101 fred secret12 f12"));
    assert_eq!(text, "Command { verb: Move, game: \"osbox\", board: 101, who: Credentials(********), .. }");
    let text = format!("{:?}", read("osbox move 101 secret12 fred secret12"));
    assert!(!text.contains("secret12"), "{text}");
}

/// A password that is not shaped like a mail address, which may be shown where addresses go, nor like a word, which may
/// be shown in the place of a verb.
fn canary() -> impl Strategy<Value = String> {
    r"[!#$%&()*+,./0-9;<=>?A-Z\[\\\]^_a-z{|}~][!#$%&()*+,./0-9;<=>?@A-Z\[\\\]^_a-z{|}~-]{7,20}".prop_filter(
        "addresses, words and masks are shown",
        |word| {
            !word.contains('@')
                && !word.chars().all(|c| c.is_ascii_alphabetic())
                && !word.chars().all(|c| c == '*')
                && !word.bytes().all(|b| b.is_ascii_digit())
        },
    )
}

/// The words of a command of the verb, with the canary for its passwords.
fn example(spec: &VerbSpec, canary: &str) -> Vec<String> {
    let context = ExampleContext { userid: Some("fred".to_owned()), ..ExampleContext::default() };
    let front = usize::from(spec.scope == Scope::Game) + spec.words.len();
    let example = spec.example(&context).replace("fsmith", "fred");
    let word = |(index, word): (usize, &str)| {
        if index >= front && word.ends_with("PASSWORD") { canary.to_owned() } else { word.to_owned() }
    };
    example.split(' ').enumerate().map(word).collect()
}

/// What may go wrong with the words of a command.
#[derive(Debug, Clone)]
enum Slip {
    None,
    Missing(prop::sample::Index),
    Doubled(prop::sample::Index),
    Swapped(prop::sample::Index, prop::sample::Index),
    Glued(&'static str, &'static str),
    Added(&'static str),
}

fn slip() -> impl Strategy<Value = Slip> {
    let index = || any::<prop::sample::Index>();
    prop_oneof![
        Just(Slip::None),
        index().prop_map(Slip::Missing),
        index().prop_map(Slip::Doubled),
        (index(), index()).prop_map(|(a, b)| Slip::Swapped(a, b)),
        prop::sample::select(vec![
            ("(", ")"),
            ("\"", "\""),
            ("'", ""),
            ("", ","),
            ("-", ""),
            ("--", "=x"),
            ("-size=", ""),
            ("fred:", ""),
            ("password=", ""),
            ("<", ">"),
            ("", "#8"),
            ("[", ""),
        ])
        .prop_map(|(before, after)| Slip::Glued(before, after)),
        prop::sample::select(vec!["please", "-size=5", "--", "101", "osbox", "!", "********"])
            .prop_map(Slip::Added),
    ]
}

fn apply(words: &mut Vec<String>, canary: &str, slip: &Slip) {
    match slip {
        Slip::Missing(index) if words.len() > 1 => {
            words.remove(index.index(words.len()));
        }
        Slip::None | Slip::Missing(_) => {}
        Slip::Doubled(index) => {
            let index = index.index(words.len());
            words.insert(index, words[index].clone());
        }
        Slip::Swapped(a, b) => {
            let (a, b) = (a.index(words.len()), b.index(words.len()));
            words.swap(a, b);
        }
        Slip::Glued(before, after) => {
            for word in words.iter_mut().filter(|word| *word == canary) {
                *word = format!("{before}{word}{after}");
            }
        }
        Slip::Added(word) => words.push((*word).to_owned()),
    }
}

#[test]
fn a_mask_where_no_password_belongs_hides_what_follows() {
    for line in [
        "signup ******** some-secret ann@home",
        "move 101 ******** some-secret f1 some-secrets",
        "move 101 fMasked-Word.1red secret=2 f12345+secret",
        "message fred some-secret somebody ********",
        "signup ******** some-secret t@ke.atMasked-Word.1oco",
    ] {
        let once = mask(line, &vocabulary());
        assert!(!once.contains("some-secret") && !once.contains("secret=2"), "{once}");
        assert_eq!(mask(&once, &vocabulary()), once);
    }
}

#[test]
fn a_command_that_a_mask_uncovers_is_masked_too() {
    // Without the first word another one is the head of the command, and the password stands elsewhere.
    let line = "vacati move i v i move i v";
    for mask in [mask, mask_cautiously] {
        let once = mask(line, &vocabulary());
        assert_eq!(mask(&once, &vocabulary()), once);
    }
    let many = format!("vacati {}", "move i v ".repeat(400));
    let once = mask(&many, &vocabulary());
    assert_eq!(mask(&once, &vocabulary()), once);
}

fn password_verbs() -> Vec<Verb> {
    Verb::all().iter().copied().filter(|verb| verb.spec().needs_password() || *verb == Verb::Signup).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn a_password_never_comes_back(
        verb in prop::sample::select(password_verbs()),
        canary in canary(),
        slip in slip(),
    ) {
        let mut words = example(verb.spec(), &canary);
        apply(&mut words, &canary, &slip);
        let line = words.join(" ");
        let vocabulary = vocabulary();
        let once = mask(&line, &vocabulary);
        prop_assert!(!once.contains(&canary), "{line} -> {once}");
        prop_assert_eq!(mask(&once, &vocabulary), once.clone());
        let cautious = mask_cautiously(&line, &vocabulary);
        prop_assert!(!cautious.contains(&canary), "{line} -> {cautious}");
        prop_assert_eq!(mask_cautiously(&cautious, &vocabulary), cautious.clone());
        match parse(&line, &vocabulary) {
            Ok(command) => {
                let shown = format!("{command:?}");
                prop_assert!(!shown.contains(&canary), "{line} -> {shown}");
            }
            Err(error) => {
                let shown = format!("{error} {error:?} {:?}", error.example(&ExampleContext::default()));
                prop_assert!(!shown.contains(&canary), "{line} -> {shown}");
            }
        }
    }

    #[test]
    fn masking_twice_is_masking_once(line in r"(osbox |osbo |sub |43333333 |move |signup |change password |show |-size=|101 |fred |\*{8} |\PC{1,9} |[a-z]{2,9} |[a-z]{2,4}@[a-z]{2,6}(\.[a-z]{2})? |[\[\]:]){0,9}") {
        let once = mask(&line, &vocabulary());
        prop_assert_eq!(mask(&once, &vocabulary()), once.clone());
        let cautious = mask_cautiously(&line, &vocabulary());
        prop_assert_eq!(mask_cautiously(&cautious, &vocabulary()), cautious.clone());
    }
}
