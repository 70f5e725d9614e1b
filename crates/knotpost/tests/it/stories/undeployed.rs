//! Reasons of the stories that are not told in the deployed profile. Every other story is: `tell!` does it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const CHALLENGES: &str = "more challenges than a user gets in a day from people who prove nothing";
const RESETS: &str = "more new passwords are asked for than a user gets in an hour";
const SIGNUPS: &str =
    "more users than one host may sign up in an hour; rates do not run by the clock of a story";
const LETTERS: &str = "other letters: addresses are confirmed first, or it is said that new ones will be";

/// Module, story, reason.
const UNDEPLOYED: &[(&str, &str, &str)] = &[
    ("stories::accounts", "addresses_go_but_never_the_last", LETTERS),
    ("stories::accounts", "codes_and_links_die", RESETS),
    ("stories::answering", "over_http_an_answer_is_bounded_too", CHALLENGES),
    ("stories::confirming", "an_unproven_address_gets_few_mails_and_no_other", SIGNUPS),
    ("stories::forms", "workers_together_send_each_mail_once_and_note_it", CHALLENGES),
    ("stories::holding", "mails_of_many_boards_stay_below_what_is_cut_off", CHALLENGES),
    ("stories::looking", "too_much_mail_is_refused", CHALLENGES),
    ("stories::playing", "two_players_meet_by_mail_and_play_to_the_end", LETTERS),
    ("stories::reading", "changes_of_an_account_are_told_to_all_its_addresses", LETTERS),
    ("stories::submitting", "no_more_than_fifty_boards_are_sent_again", CHALLENGES),
    ("stories::tournaments", "standings_of_a_game_end_with_its_running_tournaments", SIGNUPS),
    (
        "web::hostile",
        "no_field_of_a_page_or_of_the_api_says_more_than_it_should",
        "more log-ins and wrong passwords than are allowed in an hour",
    ),
    ("web::unsent", "a_form_beyond_the_rate_keeps_its_words", "its own limit of requests"),
];

/// What stands behind `undeployed:` in the sources below this folder, with the modules it stands in.
fn read_undeployed(folder: &Path, module: &str, found: &mut BTreeSet<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
        if path.is_dir() {
            read_undeployed(&path, &module, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for block in text.split("\ntell! {").skip(1) {
                let block = block.split('}').next().unwrap_or_default();
                let stories = block.split_once("undeployed:").map_or("", |(_, stories)| stories);
                let stories = stories.split(';').next().unwrap_or_default();
                let stories = stories.split([',', '\n']).map(str::trim).filter(|story| !story.is_empty());
                found.extend(stories.map(|story| (module.clone(), story.to_owned())));
            }
        }
    }
}

#[test]
fn every_story_that_is_not_told_in_the_deployed_profile_has_a_reason() {
    let mut found = BTreeSet::new();
    read_undeployed(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it"), "", &mut found);
    let listed = UNDEPLOYED.iter().map(|(module, story, _)| ((*module).to_owned(), (*story).to_owned()));
    let listed: BTreeSet<(String, String)> = listed.collect();
    assert_eq!(found, listed);
    assert!(UNDEPLOYED.iter().all(|(_, _, reason)| !reason.is_empty()));
}
