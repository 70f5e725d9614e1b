//! Games that break one promise each are refused by the kit.

use knotpost_rules::{
    Abilities, Ability, Game, GameOptions, Meta, Outcome, PositionError, Scores, Seat, Seed, Show, View,
    Viewer,
    conformance::{Toy, check_game},
};
use std::{fmt, ops::ControlFlow};

type Take = <Toy as Game>::Move;

/// Every position has the same key.
const ONE_KEY: u8 = 1;
/// Only the first move is ever picked.
const NARROW_PICK: u8 = 2;
/// The last move is not visited.
const SHORT_VISIT: u8 = 3;
/// Both seats stand well.
const FLATTERY: u8 = 4;
/// The seed decides what a move takes, and `reseed` does nothing.
const FORESIGHT: u8 = 5;
/// The game claims passes and has none.
const NO_PASS: u8 = 6;
/// The game claims dice, and its seed decides nothing.
const NO_DICE: u8 = 8;
/// Steps lead to moves, but none is ever complete.
const ENDLESS: u8 = 7;
/// No move is said to end the game.
const NO_END: u8 = 9;

/// Something is forgotten, and the game does not say that it has a past.
const PAST: u8 = 10;

/// The toy game with a flaw.
#[derive(Clone)]
struct Flawed<const FLAW: u8> {
    toy: Toy,
    seed: Seed,
}

static META: Meta = toy_meta(Abilities::of(&[]));
static META_WITH_DICE: Meta = toy_meta(Abilities::of(&[Ability::Dice]));
static META_WITH_PASS: Meta = toy_meta(Abilities::of(&[Ability::Pass]));

const fn toy_meta(abilities: Abilities) -> Meta {
    let Meta {
        name,
        title,
        aliases,
        kind,
        weight,
        length,
        rules_version,
        options,
        presets,
        seat_names,
        credit,
        contact,
        summary,
        help,
        ..
    } = *Toy::META;
    Meta {
        name,
        title,
        aliases,
        kind,
        weight,
        length,
        rules_version,
        players: 2..=3,
        options,
        presets,
        trial: "",
        abilities,
        seat_names,
        credit,
        contact,
        summary,
        help,
        lessons: "",
        puzzles: "",
    }
}

impl<const FLAW: u8> fmt::Display for Flawed<FLAW> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.toy.fmt(f)
    }
}

impl<const FLAW: u8> Game for Flawed<FLAW> {
    const META: &'static Meta = match FLAW {
        NO_PASS => &META_WITH_PASS,
        NO_DICE => &META_WITH_DICE,
        _ => &META,
    };

    type Move = Take;
    type Step = Take;
    type Illegal = <Toy as Game>::Illegal;

    fn setup(options: &GameOptions, players: usize, seed: &Seed) -> Self {
        Self { toy: Toy::setup(options, players, seed), seed: *seed }
    }

    fn read_position(&mut self, text: &str) -> Result<(), PositionError> {
        self.toy.read_position(text)
    }

    fn is_over(&self) -> bool {
        self.toy.is_over()
    }

    fn next_seat(&self) -> Seat {
        self.toy.next_seat()
    }

    fn play(&mut self, mv: &Take) -> Result<u32, Self::Illegal> {
        let gain = self.toy.play(mv)?;
        if FLAW == FORESIGHT && self.seed.0[0] > 9 {
            let seat = self.toy.next_seat();
            let _ = self.toy.play(mv);
            let _ = self.toy.read_position(&format!("{} {seat} 0", self.toy.legal_moves().len()));
        }
        Ok(gain)
    }

    fn forget(&mut self) {
        self.seed = Seed([1; 32]);
    }

    fn retire(&mut self, seat: Seat) {
        self.toy.retire(seat);
    }

    fn legal_moves(&self) -> Vec<Take> {
        self.toy.legal_moves()
    }

    fn is_complete(&self, _: &Take) -> bool {
        FLAW != ENDLESS
    }

    fn each_move(&self, visit: &mut dyn FnMut(Take) -> ControlFlow<()>) {
        let hidden = usize::from(FLAW == SHORT_VISIT);
        let moves = self.toy.legal_moves();
        let _ = moves.iter().take(moves.len() - hidden.min(moves.len())).try_for_each(|mv| visit(*mv));
    }

    fn pick(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<Take> {
        if FLAW == NARROW_PICK { self.toy.example_move() } else { self.toy.pick(below) }
    }

    fn may_end(&self) -> bool {
        FLAW != NO_END
    }

    fn key(&self) -> u64 {
        match FLAW {
            ONE_KEY => 1,
            PAST => self.toy.key() ^ u64::from(self.seed.0[0]),
            _ => self.toy.key(),
        }
    }

    fn estimate(&self, seat: Seat) -> i32 {
        if FLAW == FLATTERY { 1 } else { self.toy.estimate(seat) }
    }

    fn scores(&self) -> Scores {
        self.toy.scores()
    }

    fn result_by_scores(&self) -> Outcome {
        self.toy.result_by_scores()
    }
}

impl<const FLAW: u8> Show for Flawed<FLAW> {
    type Trace = ();

    fn view(&self, (): &(), viewer: Viewer) -> View {
        self.toy.view(&(), viewer)
    }
}

#[track_caller]
fn refused<const FLAW: u8>(clause: &str) {
    let broken = check_game::<Flawed<FLAW>>(2).expect_err(clause);
    assert!(broken.contains(clause), "{broken}");
}

#[test]
fn a_game_without_a_flaw_is_accepted() {
    assert_eq!(check_game::<Flawed<0>>(2), Ok(()));
}

#[test]
fn a_key_tells_positions_apart() {
    refused::<ONE_KEY>("have the same key");
}

#[test]
fn every_move_is_picked_and_visited() {
    refused::<NARROW_PICK>("1 of 3 moves can be picked");
    refused::<SHORT_VISIT>("is listed, but not visited");
    refused::<ENDLESS>("is visited, but not complete");
}

#[test]
fn what_is_good_for_one_of_two_is_bad_for_the_other() {
    refused::<FLATTERY>("favour both");
}

#[test]
fn a_game_that_says_it_goes_on_goes_on() {
    refused::<NO_END>("is said not to end by this turn");
}

#[test]
fn nobody_foresees_chance() {
    refused::<FORESIGHT>("knows the true stream");
}

#[test]
fn an_ability_is_one_that_the_game_has() {
    refused::<NO_PASS>("the ability `Pass` and the game's method contradict each other");
    refused::<NO_DICE>("all seeds start alike");
    refused::<PAST>("forgets something without the ability `History`");
}
