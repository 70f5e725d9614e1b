//! The table of verbs agrees with what is parsed.

use knotpost_commands::{ExampleContext, Scope, Verb, VerbSpec, WhoAt, help, parse};

use super::vocabulary;

fn line(front: &str, spec: &VerbSpec, tail: &str) -> String {
    let game = if spec.scope == Scope::Game { "osbox " } else { "" };
    format!("{game}{front} {tail}")
}

/// Arguments that fit the verb.
fn arguments(spec: &VerbSpec) -> String {
    let example = spec.example(&ExampleContext::default());
    let words = usize::from(spec.scope == Scope::Game) + spec.words.len();
    example.split(' ').skip(words).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_example_is_a_command_of_its_verb() {
    for verb in Verb::all() {
        let spec = help(*verb);
        let example = spec.example(&ExampleContext::default());
        let command = parse(&example, &vocabulary()).unwrap_or_else(|error| panic!("{example}: {error}"));
        let expected = if *verb == Verb::GameHelp { Verb::Help } else { *verb };
        assert_eq!(command.verb(), expected, "{example}");
        let needs = spec.needs_password();
        assert_eq!(command.credentials().is_some(), needs, "{example}");
        assert_eq!(spec.verb, *verb);
    }
}

#[test]
fn every_row_is_filled() {
    for verb in Verb::all() {
        let spec = verb.spec();
        assert!(!spec.meaning.is_empty() && !spec.syntax.is_empty() && !spec.template.is_empty(), "{verb:?}");
        for form in spec.syntax {
            assert_eq!(form.starts_with("<game> "), spec.scope == Scope::Game, "{form}");
            assert_eq!(
                form.contains("password") && *verb != Verb::Signup,
                spec.who != WhoAt::Nowhere || *verb == Verb::PasswordReset,
                "{form}"
            );
        }
    }
}

#[test]
fn every_word_and_synonym_leads_to_its_verb() {
    for verb in Verb::all() {
        let spec = verb.spec();
        let expected = parse(&line(&spec.name(), spec, &arguments(spec)), &vocabulary()).unwrap();
        for synonym in spec.synonyms {
            let text = line(synonym, spec, &arguments(spec));
            assert_eq!(parse(&text, &vocabulary()).unwrap(), expected, "{text}");
        }
    }
}

#[test]
fn every_prefix_of_four_letters_is_the_verb_unless_two_fit() {
    let mut ambiguous = Vec::new();
    for verb in Verb::all() {
        let spec = verb.spec();
        let [word, rest @ ..] = spec.words else { panic!("no word") };
        for length in 4..word.len() {
            let front = [&[&word[..length]], rest].concat().join(" ");
            let text = line(&front, spec, &arguments(spec));
            let full = parse(&line(&spec.name(), spec, &arguments(spec)), &vocabulary()).unwrap();
            match parse(&text, &vocabulary()) {
                Ok(command) if command == full => {}
                _ => ambiguous.push(front),
            }
        }
    }
    // Shorter than `tournament` is `tournaments` too.
    ambiguous.retain(|front| !front.starts_with("tour"));
    // `signup` or `signoff`; and `show` is a verb of its own.
    assert_eq!(ambiguous, ["sign", "sign", "show"]);
}

#[test]
fn prefixes_of_three_letters_are_too_short_except_sub() {
    for text in
        ["osbox cha ann bob", "osbox sho 101", "sig fred secret", "osb show 101", "osbox uns 1 a secret"]
    {
        assert!(parse(text, &vocabulary()).is_err(), "{text}");
    }
    assert_eq!(parse("osbox sub 101 fred secret", &vocabulary()).unwrap().verb(), Verb::Subscribe);
}

#[test]
fn an_exact_game_wins_over_a_longer_one() {
    let game = |text: &str| parse(text, &vocabulary()).unwrap().game().map(str::to_owned);
    assert_eq!(game("osbo standings").as_deref(), Some("osbo"));
    assert_eq!(game("obsi standings").as_deref(), Some("obsidio"));
    assert_eq!(game("BOXIL standings").as_deref(), Some("boxilies"));
}

#[test]
fn examples_use_what_is_known_about_the_reader() {
    let context = ExampleContext {
        userid: Some("carol".to_owned()),
        opponent: Some("dave".to_owned()),
        game: Some("obsidio".to_owned()),
        board: Some(117),
        legal_move: Some("c3".to_owned()),
    };
    assert_eq!(Verb::Move.spec().example(&context), "obsidio move 117 carol PASSWORD c3");
    assert_eq!(Verb::Challenge.spec().example(&context), "obsidio challenge carol dave");
}
