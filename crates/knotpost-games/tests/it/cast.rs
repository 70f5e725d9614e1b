//! Players named in boards, and where a game stands.

use crate::play::start;
use knotpost_rules::{Cast, Now, Seat, Seats, View, Viewer};

fn view(name: &str, players: usize) -> View {
    start(name, "", players).view(Viewer::Spectator)
}

fn cast(now: Option<Now>) -> Cast {
    Cast { players: ["ann", "bob", "carol", "dave"].map(str::to_owned).to_vec(), now }
}

#[test]
fn players_are_named_in_headings_and_in_the_standing() {
    let first = Seat::FIRST;
    let view = view("osbo", 4).with_cast(cast(Some(Now::Turn(first))));
    let text = view.to_string();
    assert!(text.contains("Design 3 (Third, carol)"), "{text}");
    assert!(text.contains("Fourth dave"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 72), "{text}");
    assert_eq!(view.tell_roll().as_deref(), Some("The roll of First, ann"));
    assert_eq!(view.player_of("Second"), Some("bob"));
}

#[test]
fn long_names_are_left_out_rather_than_lines_made_too_long() {
    let players = vec!["x".repeat(60), "y".repeat(60)];
    let view = view("osbox", 2).with_cast(Cast { players, now: None });
    assert!(view.to_string().lines().all(|line| line.chars().count() <= 72));
}

#[test]
fn whose_turn_it_is_or_who_has_won_is_told_as_far_as_it_is_known() {
    let told = |cast| view("osbox", 2).with_cast(cast).tell_now();
    let seats: Vec<Seat> = Seats::first(2).iter().collect();
    assert_eq!(view("osbox", 2).tell_now().as_deref(), Some("It is Horz's turn."));
    assert_eq!(told(cast(Some(Now::Turn(Seat::FIRST)))).as_deref(), Some("It is ann's turn."));
    assert_eq!(told(cast(Some(Now::Over(vec![Seat::FIRST])))).as_deref(), Some("ann has won."));
    assert_eq!(told(cast(Some(Now::Over(seats)))).as_deref(), Some("A tie of ann and bob."));
    assert_eq!(told(cast(None)), None);
}

#[test]
fn the_legend_of_pages_has_no_drawing() {
    let legend = view("osbox", 2).legend_for_pages();
    assert!(!legend.contains('#') && legend.contains("a: down; b: left"), "{legend}");
}
