//! Every puzzle has exactly one move that wins by force. The proof is a plain search of everything, deeper and deeper
//! until each move is known to win or not; it shares nothing with the program that makes the puzzles.

use knotpost_games::{amazons::Amazons, boxilies::Boxilies, dots::Dots, obsidio::Obsidio, osbox::Osbox};
use knotpost_rules::{Game, GivenOption, Puzzle, Seat, Seed, Show, Turn};
use std::{collections::HashMap, collections::HashSet, ops::ControlFlow};

/// One for each day of the longest year.
const DAYS: usize = 366;
/// The deepest proof.
const DEEPEST: u32 = 20;

/// What is known of positions: whether the seat wins, or how deep it was looked for in vain.
struct Proof {
    seat: Seat,
    known: HashMap<String, Result<bool, u32>>,
}

impl Proof {
    /// Whether the seat wins from here against every answer; `None` when this many turns do not decide it.
    fn wins<G: Game>(&mut self, game: &G, turns: u32) -> Option<bool> {
        if game.is_over() {
            return Some(game.result_by_scores().winners() == [self.seat]);
        }
        let text = game.to_string();
        match self.known.get(&text) {
            Some(Ok(wins)) => return Some(*wins),
            Some(Err(searched)) if *searched >= turns => return None,
            _ if turns == 0 => return None,
            _ => {}
        }
        let is_own = game.next_seat() == self.seat;
        let mut all_known = true;
        let mut decided = None;
        each_turn(game, |_, after| match self.wins(&after, turns - 1) {
            Some(wins) if wins == is_own => {
                decided = Some(wins);
                ControlFlow::Break(())
            }
            Some(_) => ControlFlow::Continue(()),
            None => {
                all_known = false;
                ControlFlow::Continue(())
            }
        });
        let decided = decided.or(all_known.then_some(!is_own));
        self.known.insert(text, decided.ok_or(turns));
        decided
    }
}

/// Every legal turn and what it leads to.
fn each_turn<G: Game>(game: &G, mut visit: impl FnMut(String, G) -> ControlFlow<()>) {
    if game.must_pass() {
        let mut after = game.clone();
        after.pass().unwrap();
        let _ = visit("pass".to_owned(), after);
        return;
    }
    game.each_move(&mut |mv| {
        let mut after = game.clone();
        after.play(&mv).unwrap();
        visit(mv.to_string(), after)
    });
}

/// The moves that win by force.
fn winning_moves<G: Game>(start: &G) -> Vec<String> {
    let mut proof = Proof { seat: start.next_seat(), known: HashMap::new() };
    let mut open = Vec::new();
    each_turn(start, |text, after| {
        open.push((text, after));
        ControlFlow::Continue(())
    });
    let mut winning = Vec::new();
    for turns in 0..DEEPEST {
        open.retain(|(text, after)| {
            let decided = proof.wins(after, turns);
            if decided == Some(true) {
                winning.push(text.clone());
            }
            decided.is_none()
        });
    }
    assert!(open.is_empty(), "{start}: {} moves are undecided", open.len());
    winning
}

fn check<G: Show>(count: usize) {
    let registry = knotpost_games::registry();
    let game = registry.find(G::META.name).unwrap();
    let mut seen = HashSet::new();
    for puzzle in Puzzle::all(G::META) {
        let Puzzle { options: words, position: text, .. } = puzzle;
        let given: Vec<_> = words.split_whitespace().filter_map(GivenOption::from_word).collect();
        let options = game.parse_options(&given, 2).unwrap();
        assert_eq!(options.to_string(), words, "{text}: spelt as options are printed");
        let start = G::parse_position(&options, 2, &Seed::default(), text).unwrap();
        assert_eq!(start.to_string(), text);
        assert!(seen.insert(text), "{text} is there twice");
        assert_eq!(winning_moves(&start), [puzzle.solution()], "{text}");
        assert!(puzzle.turns() >= 3, "{text}: it is over too soon");
        check_line(&puzzle);
    }
    assert_eq!(seen.len(), count);
}

/// The line that is shown leads to the win.
fn check_line(puzzle: &Puzzle) {
    let registry = knotpost_games::registry();
    let game = registry.iter().find(|game| Puzzle::all(game.meta()).any(|other| other == *puzzle)).unwrap();
    let (_, mut position) = puzzle.open(game).unwrap();
    let seat = position.next_seat();
    assert_eq!(puzzle.is_solved_by(position.as_ref(), puzzle.solution()), Ok(true));
    for turn in puzzle.line() {
        assert_eq!(position.play(Turn::from_word(turn)).unwrap().canonical, turn);
    }
    assert!(position.status().is_over(), "{}", puzzle.position);
    assert_eq!(position.result_by_scores().winners(), [seat]);
}

#[test]
fn osbox_puzzles_have_one_winning_move() {
    check::<Osbox>(DAYS);
}

#[test]
fn obsidio_puzzles_have_one_winning_move() {
    check::<Obsidio>(DAYS);
}

#[test]
fn boxilies_puzzles_have_one_winning_move() {
    check::<Boxilies>(DAYS);
}

#[test]
fn dots_puzzles_have_one_winning_move() {
    check::<Dots>(24);
}

#[test]
fn amazons_puzzles_have_one_winning_move() {
    check::<Amazons>(24);
}

#[test]
fn a_day_without_a_puzzle_has_none() {
    let osbox = Osbox::META;
    assert!(Puzzle::of_day(osbox, 1).is_some() && Puzzle::of_day(osbox, 366).is_some());
    assert_eq!((Puzzle::of_day(osbox, 0), Puzzle::of_day(osbox, 367)), (None, None));
    let days: HashSet<_> =
        (1..=366).filter_map(|day| Puzzle::of_day(osbox, day)).map(|day| day.position).collect();
    assert_eq!(days.len(), DAYS, "every day has its own");
    let days: HashSet<_> =
        (1..=366).filter_map(|day| Puzzle::of_day(Dots::META, day)).map(|day| day.position).collect();
    assert_eq!(days.len(), 24, "they come again, and none is left out");
}
