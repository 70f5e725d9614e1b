//! The promises of every game, whatever its rules; games' test suites call [`check_game`]. A toy game shows that
//! nothing but the typed traits is needed to take part.
//!
//! The kit is compiled with feature `test-kit` only. It reports the first broken promise as a sentence.

mod meta;
mod search;
mod toy;

pub use meta::check_meta;
pub use toy::Toy;

use crate::{
    Ability, AnyGame, GameOptions, GivenOption, Kind, OptionKind, OptionSpec, Position, Scores, Seat, Seats,
    Seed, Show, Status, Turn, Viewer,
};

/// A broken promise, as one sentence.
pub type Broken = String;

/// Turns that a check plays at most: games whose pieces come back need not end by themselves.
const MAX_TURNS: usize = 400;
/// Letters of a position string that are edited at most, each in seven ways.
const MAX_EDITED: usize = 28;

/// Checks a game under all its single options, some pairs of the first two, and all numbers of players, playing `rounds`
/// random games each.
///
/// # Errors
/// The first promise that does not hold.
pub fn check_game<G: Show>(rounds: u64) -> Result<(), Broken> {
    let game: &dyn AnyGame = &Kind::<G>::default();
    check_meta(game.meta())?;
    check_option_refusals(game)?;
    check_help(game)?;
    for players in game.meta().players.clone() {
        for given in list_option_sets(game) {
            let options = game.parse_options(&given, players).map_err(|error| error.to_string())?;
            check_options_round_trip(game, &options, players)?;
            for round in 0..rounds {
                let played = check_play(game, &options, players, round);
                played.and_then(|()| search::check_search::<G>(&options, players, round)).map_err(
                    |broken| {
                        format!(
                            "{} {options} with {players} players, round {round}: {broken}",
                            game.meta().name
                        )
                    },
                )?;
            }
        }
    }
    Ok(())
}

/// No option, each value of each option by itself, and for the first two a few of their values together.
fn list_option_sets(game: &dyn AnyGame) -> Vec<Vec<GivenOption>> {
    let values: Vec<Vec<GivenOption>> = game.meta().options.iter().map(list_values).collect();
    let pairs = match values.as_slice() {
        [first, second, ..] => first.iter().zip(second.iter().rev().cycle()).take(3).collect(),
        _ => Vec::new(),
    };
    let pairs = pairs.into_iter().map(|(one, other)| vec![one.clone(), other.clone()]);
    let least = *game.meta().players.start();
    let pairs = pairs.filter(|pair| game.parse_options(pair, least).is_ok());
    let singles = values.iter().flatten().map(|value| vec![value.clone()]);
    std::iter::once(Vec::new()).chain(singles).chain(pairs).collect()
}

/// Each value of an option; of a number the least, one in the middle and the greatest.
fn list_values(spec: &OptionSpec) -> Vec<GivenOption> {
    let one = |name: &str, value: Option<String>| GivenOption { name: name.to_owned(), value };
    match spec.kind {
        OptionKind::Flag => vec![one(spec.name, None)],
        OptionKind::Either(usual, other) => vec![one(usual, None), one(other, None)],
        OptionKind::Number { min, max } => [min, i32::midpoint(min, max), max]
            .map(|number| one(spec.name, Some(number.to_string())))
            .to_vec(),
        OptionKind::Choice(words) => {
            words.iter().map(|word| one(spec.name, Some((*word).to_owned()))).collect()
        }
        OptionKind::Text { shape, .. } => vec![one(spec.name, Some(shape.to_owned()))],
    }
}

fn ensure(holds: bool, broken: impl FnOnce() -> Broken) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(broken()) }
}

/// Unknown options, repetitions and impossible numbers of players are refused.
fn check_option_refusals(game: &dyn AnyGame) -> Result<(), Broken> {
    let least = *game.meta().players.start();
    let unknown = [GivenOption { name: "no_such_option".to_owned(), value: None }];
    ensure(game.parse_options(&unknown, least).is_err(), || "an unknown option is accepted".to_owned())?;
    for set in list_option_sets(game).into_iter().filter(|set| !set.is_empty()) {
        let twice = [set.clone(), set].concat();
        ensure(game.parse_options(&twice, least).is_err(), || format!("{twice:?} is accepted"))?;
    }
    let (few, many) = (least - 1, game.meta().players.end() + 1);
    ensure(game.parse_options(&[], few).is_err(), || format!("{few} players are accepted"))?;
    ensure(game.parse_options(&[], many).is_err(), || format!("{many} players are accepted"))
}

fn check_options_round_trip(game: &dyn AnyGame, options: &GameOptions, players: usize) -> Result<(), Broken> {
    let words: Vec<_> = options.to_string().split_whitespace().filter_map(GivenOption::from_word).collect();
    let again = game.parse_options(&words, players).map_err(|error| error.to_string())?;
    ensure(again == *options, || format!("`{options}` reads back as `{again}`"))
}

/// The help page fits a mail and names every option.
fn check_help(game: &dyn AnyGame) -> Result<(), Broken> {
    let page = game.help().to_string();
    let wide = page.lines().find(|line| line.chars().count() > 72);
    ensure(wide.is_none(), || format!("the help page has a wide line: {wide:?}"))?;
    for spec in game.meta().options {
        ensure(page.contains(&spec.usage()), || format!("the help page lacks {}", spec.usage()))?;
    }
    Ok(())
}

/// Plays one random game and checks each promise at each position.
fn check_play(game: &dyn AnyGame, options: &GameOptions, players: usize, round: u64) -> Result<(), Broken> {
    let seed = Seed::default();
    let mut chance = Chance(round.wrapping_mul(2_654_435_769).wrapping_add(players as u64 + 1));
    let mut position = game.setup(options, players, &seed);
    let mut replay = game.setup(options, players, &seed);
    let mut gains = vec![0; players];
    // Slow checks of long games are made at turns that lie ever further apart, and at the end.
    let mut thorough = 0;
    for turn in 0..MAX_TURNS {
        check_standing(position.as_ref(), players)?;
        if turn < 12 || turn == thorough || position.status().is_over() {
            check_position_string(game, options, position.as_ref(), &seed)?;
            check_views(game, position.as_ref(), players)?;
        }
        if turn == thorough || position.status().is_over() {
            check_only_spelling(game, options, players, &position.position(), &mut chance)?;
        }
        if position.status().is_over() {
            break;
        }
        if turn == thorough {
            check_refusals(position.as_mut())?;
            check_legal_list(position.as_ref())?;
            thorough += 1 + turn / 2;
        }
        let mv = choose_move(position.as_ref(), &mut chance)?;
        let mut sealed = position.clone_box();
        let played = position.play(Turn::from_word(&mv)).map_err(|error| format!("{mv}: {error}"))?;
        check_seal(sealed.as_mut(), position.as_ref(), &mv)?;
        if let Some(sum) = gains.get_mut(played.seat.index()) {
            *sum += played.gain;
        }
        let again =
            replay.play(Turn::from_word(&played.canonical)).map_err(|error| format!("{mv}: {error}"))?;
        ensure(again == played, || format!("{mv} replays as {again:?}"))?;
        ensure(replay.position() == position.position(), || format!("{mv} replays to another position"))?;
    }
    if let (Scores::Points(points), true) = (position.scores(), gains.iter().any(|gain| *gain > 0)) {
        ensure(points == gains, || format!("gains {gains:?} are not the scores {points:?}"))?;
    }
    check_retirement(position.as_ref(), players)
}

/// Status, seats to move, legal moves and result agree with each other.
fn check_standing(position: &dyn Position, players: usize) -> Result<(), Broken> {
    check_scores(position, players)?;
    let outcome = position.result_by_scores();
    ensure(outcome.placings.len() == players, || "placings are not one a seat".to_owned())?;
    ensure(!outcome.winners().is_empty(), || "nobody is in first place".to_owned())?;
    let (moves, words) = (position.legal_moves(), position.legal_words());
    match position.status() {
        Status::Over(_) => {
            ensure(moves.is_empty() && words.is_empty(), || "a finished game has legal turns".to_owned())?;
            ensure(position.to_move().is_empty(), || "a finished game has a seat to move".to_owned())
        }
        Status::ToAct(seat) => {
            ensure(seat == position.next_seat(), || "two different seats are to move".to_owned())?;
            ensure(position.to_move().contains(seat), || "the seat to act may not".to_owned())?;
            ensure(!moves.is_empty() || !words.is_empty(), || "there is nothing to do".to_owned())?;
            ensure(moves.is_sorted(), || "legal moves are not sorted".to_owned())?;
            let example = position.example_move();
            ensure(example.iter().all(|mv| moves.contains(mv)), || {
                format!("the example {example:?} is illegal")
            })?;
            ensure(example.is_some() != moves.is_empty(), || "there is no example of a legal move".to_owned())
        }
    }
}

/// There is a score a seat, or none at all.
fn check_scores(position: &dyn Position, players: usize) -> Result<(), Broken> {
    let (scores, found) = (position.scores(), position.scores().texts().len());
    ensure(scores == Scores::None || found == players, || format!("{found} scores for {players} seats"))
}

/// The string reads back as what is left of the position when it has forgotten what happened before.
fn check_position_string(
    game: &dyn AnyGame,
    options: &GameOptions,
    position: &dyn Position,
    seed: &Seed,
) -> Result<(), Broken> {
    let text = position.position();
    let players = position.result_by_scores().placings.len();
    let mut forgotten = position.clone_box();
    forgotten.forget();
    let again =
        game.parse_position(options, players, seed, &text).map_err(|error| format!("{text}: {error}"))?;
    ensure(again.position() == text, || format!("{text} reads back as {}", again.position()))?;
    let status = (forgotten.status(), again.status());
    ensure(status.0 == status.1, || format!("{text}: {:?} reads back as {:?}", status.0, status.1))?;
    // Not part of a position string: the right to swap belongs to games from the start.
    ensure(again.legal_moves() == forgotten.legal_moves(), || format!("{text} reads back with other moves"))?;
    let _ = again.view(Viewer::Spectator).to_string();
    let wide =
        position.view(Viewer::Seat(Seat::FIRST)).legend().lines().any(|line| line.chars().count() > 72);
    ensure(!wide, || "the legend does not fit a mail".to_owned())
}

/// A string that differs from a position's own is refused or is the own string of another position.
fn check_only_spelling(
    game: &dyn AnyGame,
    options: &GameOptions,
    players: usize,
    text: &str,
    chance: &mut Chance,
) -> Result<(), Broken> {
    let whole = [text.to_ascii_uppercase(), text.replace(' ', "  "), format!(" {text}"), format!("{text}\n")];
    let letters: Vec<char> = text.chars().collect();
    let mut places: Vec<usize> = (0..letters.len()).collect();
    while places.len() > MAX_EDITED {
        places.swap_remove(chance.below(places.len()));
    }
    let edited: Vec<String> = places.into_iter().flat_map(|at| edit(&letters, at, chance)).collect();
    for mutant in whole.into_iter().chain(edited) {
        let Ok(read) = game.parse_position(options, players, &Seed::default(), &mutant) else { continue };
        let printed = read.position();
        ensure(printed == mutant, || format!("`{mutant}` is read, but printed as `{printed}`"))?;
    }
    Ok(())
}

/// The text with this character changed in its case, doubled, left out, exchanged with the next one, and made
/// another one of the text or of a few that numbers and names may begin or end with.
fn edit(letters: &[char], at: usize, chance: &mut Chance) -> Vec<String> {
    let Some((before, [letter, after @ ..])) = letters.split_at_checked(at) else { return Vec::new() };
    let spell = |middle: &[char]| before.iter().chain(middle).chain(after).collect::<String>();
    let flipped =
        if letter.is_ascii_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    let strangers = ['0', '1', '3', '9', '+', '-', '?', '.', ',', '\u{660}', '\u{212a}'];
    let stranger = strangers.get(chance.below(strangers.len())).copied().unwrap_or('0');
    let other = letters.get(chance.below(letters.len())).copied().unwrap_or('0');
    let next = after.first().copied().unwrap_or(' ');
    let exchanged: String = before.iter().chain(&[next, *letter]).chain(after.iter().skip(1)).collect();
    vec![
        spell(&[flipped]),
        spell(&[*letter, *letter]),
        spell(&[]),
        spell(&[stranger]),
        spell(&[stranger, *letter]),
        spell(&[other]),
        exchanged,
    ]
}

/// Without the ability `Hidden` all viewers see the same: one drawing serves them all.
fn check_views(game: &dyn AnyGame, position: &dyn Position, players: usize) -> Result<(), Broken> {
    if game.meta().abilities.has(Ability::Hidden) {
        return Ok(());
    }
    let open = position.view(Viewer::Spectator);
    let differs = Seats::first(players).iter().find(|seat| position.view(Viewer::Seat(*seat)) != open);
    ensure(differs.is_none(), || "seats see different things without the ability `Hidden`".to_owned())
}

/// Nonsense is refused and changes nothing, and so are words that are not legal now.
fn check_refusals(position: &mut dyn Position) -> Result<(), Broken> {
    let before = (position.position(), position.view(Viewer::Spectator));
    let words = position.legal_words();
    let mut refused = vec!["", "?", "zzz", "a0", "a", "99999999999999999999", "\u{e9}", "a1a1,"];
    refused.extend(["pass", "swap"].into_iter().filter(|word| !words.contains(word)));
    let legal = position.legal_moves();
    for text in refused.into_iter().filter(|text| !legal.iter().any(|mv| mv == text)) {
        ensure(position.play(Turn::from_word(text)).is_err(), || format!("`{text}` is accepted"))?;
        let after = (position.position(), position.view(Viewer::Spectator));
        ensure(after == before, || format!("`{text}` is refused but changed the position"))?;
    }
    Ok(())
}

/// Every move of the list is accepted, in either case, is its own canonical spelling, and has a spelling for lists that is
/// read alike.
fn check_legal_list(position: &dyn Position) -> Result<(), Broken> {
    for mv in position.legal_moves() {
        ensure(position.is_legal_syntax(&mv), || format!("{mv} is legal but not a move"))?;
        let played = position.clone_box().play(Turn::Move(&mv)).map_err(|error| format!("{mv}: {error}"))?;
        ensure(played.canonical == mv, || format!("{mv} is played as {}", played.canonical))?;
        ensure(is_canonical(&mv), || format!("{mv} is not spelt as a canonical move"))?;
        let listed = position.clone_box().play(Turn::Move(&played.text));
        let is_read = position.is_legal_syntax(&played.text) && listed.as_ref() == Ok(&played);
        ensure(is_read, || format!("{mv} is listed as {}, which is another move", played.text))?;
        let loud = position.clone_box().play(Turn::Move(&mv.to_ascii_uppercase()));
        ensure(loud == Ok(played), || format!("{mv} in capitals is another move"))?;
    }
    Ok(())
}

/// Lower case, and no sign with a meaning of its own in mails, addresses or records.
fn is_canonical(mv: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b":/,=-".contains(&byte);
    mv.bytes().all(fits) && !mv.starts_with('-')
}

/// A retired seat is never asked to move again while another is left.
fn check_retirement(position: &dyn Position, players: usize) -> Result<(), Broken> {
    let mut position = position.clone_box();
    let retired = position.next_seat();
    position.retire(retired);
    ensure(position.next_seat() != retired, || "a retired seat is to move".to_owned())?;
    for _ in 0..players {
        let Some(mv) = position.example_move() else { break };
        position.play(Turn::Move(&mv)).map_err(|error| error.to_string())?;
        ensure(position.next_seat() != retired, || "a retired seat is to move again".to_owned())?;
    }
    check_scores(position.as_ref(), players)
}

/// A sealed copy plays the turn just the same, but shows and draws nothing that comes by chance after it.
fn check_seal(sealed: &mut dyn Position, after: &dyn Position, mv: &str) -> Result<(), Broken> {
    sealed.seal_chance();
    sealed.play(Turn::from_word(mv)).map_err(|error| format!("{mv}, chance sealed: {error}"))?;
    if after.roll().is_none() {
        return ensure(sealed.position() == after.position(), || format!("{mv} differs with chance sealed"));
    }
    ensure(sealed.roll().is_none(), || format!("{mv} shows a roll though chance is sealed"))?;
    let idle = sealed.legal_moves().is_empty() && sealed.legal_words().is_empty();
    ensure(idle, || format!("a turn after {mv} can be played without its roll"))
}

/// Puts a move together from its parts, at random.
fn choose_steps(position: &dyn Position, chance: &mut Chance) -> Result<Option<String>, Broken> {
    let mut begun = String::new();
    while let Some(steps) = position.steps(&begun).map_err(|error| format!("{begun}: {error}"))? {
        ensure(steps.next.is_sorted(), || format!("the parts after `{begun}` are not sorted"))?;
        let count = steps.next.len();
        let Some(next) = (count > 0).then(|| steps.next.into_iter().nth(chance.below(count))).flatten()
        else {
            break;
        };
        begun = next;
    }
    Ok(Some(begun).filter(|begun| !begun.is_empty()))
}

fn choose_move(position: &dyn Position, chance: &mut Chance) -> Result<String, Broken> {
    if let Some(mv) = choose_steps(position, chance)? {
        return Ok(mv);
    }
    let mut choices = position.legal_moves();
    choices.extend(position.legal_words().into_iter().map(str::to_owned));
    let count = choices.len().max(1);
    choices.into_iter().nth(chance.below(count)).ok_or_else(|| "there is nothing to do".to_owned())
}

/// A small repeatable source of choices (xorshift64*).
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        bits as usize % count
    }
}
