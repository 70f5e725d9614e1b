//! Options as players type them.

use crate::play::given;
use knotpost_rules::{DecimalOption, GameOptions, GivenOption, NumberOption, OptionSpec, Seat, Seats, Seed};

fn parse(options: &str, players: usize) -> Result<String, String> {
    let registry = knotpost_games::registry();
    let parsed = registry.find("osbox").unwrap().parse_options(&given(options), players);
    parsed.map(|options| options.to_string()).map_err(|error| error.to_string())
}

#[test]
fn options_are_printed_in_table_order_without_defaults() {
    let table = [
        ("", ""),
        ("-size=4", ""),
        ("--size=5", "-size=5"),
        ("-SI=05", "-size=5"),
        ("-no_capture -size=12", "-size=12 -no_capture"),
        ("-no -thin -sc=DICE -any -si=2", "-size=2 -any_side -no_capture -thin_knots -score=dice"),
        ("-capture -thick_knots -score=crossings", ""),
    ];
    for (typed, canonical) in table {
        assert_eq!(parse(typed, 2).as_deref(), Ok(canonical), "{typed}");
    }
}

#[test]
fn wrong_options_are_refused_with_the_list_of_valid_ones() {
    let lines = [
        "-depth=3",
        "-s=5",
        "-th",
        "-size",
        "-size=",
        "-size=1",
        "-size=13",
        "-size=+5",
        "-size=five",
        "-any_side=yes",
        "-capture -no_capture",
        "-no_capture -capture",
        "-thick_knots -thin_knots",
        "-size=5 -size=5",
        "-size=4 -si=6",
        "-capture -capture",
        "-score=points",
        "-size=99999999999999999999",
    ];
    let table: Vec<String> =
        lines.iter().map(|line| format!("{line}: {}", parse(line, 2).expect_err(line))).collect();
    insta::assert_snapshot!("option_errors", table.join("\n"));
}

#[test]
fn numbers_of_players_have_their_own_errors() {
    assert_eq!(parse("", 1), Err("Osbox needs at least 2 players, not 1".to_owned()));
    assert_eq!(parse("", 5), Err("Osbox has at most 4 players, not 5".to_owned()));
    assert_eq!(parse("", 4), Ok(String::new()));
}

#[test]
fn words_with_a_dash_are_options_but_lone_dashes_are_not() {
    assert_eq!(GivenOption::from_word("--"), None);
    assert_eq!(GivenOption::from_word("-"), None);
    assert_eq!(GivenOption::from_word("f12"), None);
    let option = GivenOption { name: "size".to_owned(), value: Some("5=6".to_owned()) };
    assert_eq!(GivenOption::from_word("--size=5=6"), Some(option));
}

#[test]
fn help_page_says_all_there_is() {
    insta::assert_snapshot!("help_osbox", knotpost_games::registry().find("osbox").unwrap().help());
}

#[test]
fn seats_count_from_one_and_sets_hold_them() {
    assert_eq!((Seat::new(0), Seat::new(9)), (None, None));
    let seats = Seats::first(3).without(Seat::FIRST);
    assert_eq!(seats.iter().map(|seat| seat.to_string()).collect::<Vec<_>>(), ["2", "3"]);
    assert_eq!((seats.len(), seats.contains(Seat::FIRST)), (2, false));
}

#[test]
fn seeds_are_sixty_four_hexadecimal_digits() {
    let text = "00ff".repeat(16);
    assert_eq!(text.parse::<Seed>().unwrap().to_string(), text);
    for wrong in ["", "0", &text[1..], &format!("{text}00"), &text.replace('0', "g"), &"\u{e9}".repeat(32)] {
        assert!(wrong.parse::<Seed>().is_err(), "{wrong}");
    }
    assert_eq!(format!("{:?}", text.parse::<Seed>().unwrap()), "Seed(..)");
}

#[test]
fn numbers_may_be_below_nought_and_halves() {
    static KOMI: DecimalOption<-3, 40> =
        DecimalOption { name: "komi", default: "6.5", help: "Points for the second seat.", excludes: &[] };
    static START: NumberOption =
        NumberOption { name: "start", min: -4, max: 4, default: "0", help: "A start.", excludes: &[] };
    static TABLE: [OptionSpec; 2] = [KOMI.spec(), START.spec()];
    let read = |typed| {
        let options = GameOptions::parse(&TABLE, &given(typed)).ok()?;
        Some((options.to_string(), KOMI.of(&options), START.of(&options)))
    };
    for (typed, canonical, komi, start) in [
        ("", "", 13, 0),
        ("-komi=6.5 -start=-0", "", 13, 0),
        ("-komi=7.0 -start=-4", "-komi=7 -start=-4", 14, -4),
        ("-komi=-0.5 -start=04", "-komi=-0.5 -start=4", -1, 4),
        ("-komi=20", "-komi=20", 40, 0),
    ] {
        assert_eq!(read(typed), Some((canonical.to_owned(), komi, start)), "{typed}");
    }
    for typed in [
        "-komi=-2",
        "-komi=20.5",
        "-komi=6.25",
        "-komi=+1",
        "-komi=.5",
        "-start=-5",
        "-start=--4",
        "-start=-",
    ] {
        assert_eq!(read(typed), None, "{typed}");
    }
}

#[test]
fn an_option_named_after_handicaps_is_one_where_it_differs_from_its_default() {
    const fn stones(name: &'static str) -> OptionSpec {
        let help = "Stones at the start.";
        NumberOption { name, min: 0, max: 9, default: "0", help, excludes: &[] }.spec()
    }
    static TABLE: [OptionSpec; 2] = [stones("handicap_stones"), stones("stones")];
    for (typed, expected) in
        [("", false), ("-handicap_stones=0", false), ("-stones=3", false), ("-handicap=2 -stones=3", true)]
    {
        let options = GameOptions::parse(&TABLE, &given(typed)).unwrap();
        assert_eq!(options.is_handicap(), expected, "{typed}");
    }
}
