//! Legal turns, found by the rules alone: for a board as the server describes it, and for whole games in advance.

use anyhow::Context as _;
use knotpost_rules::{GivenOption, Position, Registry, Seed, Turn};
use serde_json::Value;

use crate::dice::{Dice, happens};

/// A turn to make.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// As it is typed.
    pub(crate) word: String,
    /// As the move list will show it.
    pub(crate) text: String,
}

/// A word that is no legal turn of any game.
pub(crate) const ILLEGAL: &str = "zz99";

/// Some legal turn of the board that the API describes.
pub(crate) fn choose(registry: &Registry, board: &Value, dice: &mut Dice) -> anyhow::Result<Chosen> {
    let text =
        |key: &str| board.get(key).and_then(Value::as_str).with_context(|| format!("no {key}: {board}"));
    let game = registry.find(text("game")?).context("an unknown game")?;
    let players = board.get("players").and_then(Value::as_array).context("no players")?.len();
    let given: Vec<GivenOption> =
        text("options")?.split_whitespace().filter_map(GivenOption::from_word).collect();
    let options = game.parse_options(&given, players)?;
    // Only the server knows the seed; the draw after this turn does not matter here.
    let mut position = game.parse_position(&options, players, &Seed::default(), text("position")?)?;
    let word = draw(position.as_ref(), dice)?;
    let played = position.play(Turn::from_word(&word))?;
    Ok(Chosen { word, text: played.text })
}

fn draw(position: &dyn Position, dice: &mut Dice) -> anyhow::Result<String> {
    let words = position.legal_words();
    if let Some(word) = dice.choice(&words)
        && happens(dice, 30)
    {
        return Ok((*word).to_owned());
    }
    draw_move(position, dice)
}

/// A move step by step where there are steps, since the list of all of them may be long.
fn draw_move(position: &dyn Position, dice: &mut Dice) -> anyhow::Result<String> {
    let mut begun = String::new();
    while let Some(steps) = position.steps(&begun)? {
        match dice.choice(&steps.next) {
            Some(next) => begun.clone_from(next),
            None => return Ok(begun),
        }
    }
    let moves = position.legal_moves();
    dice.choice(&moves).cloned().context("there is no legal move")
}

/// Games that follow from the moves alone: no dice and no deal, which depend on a seed that only the server knows.
pub(crate) const WITHOUT_LUCK: [&str; 2] = ["osbox", "obsidio"];

/// The first moves of a random game of two, as the move list will show them; there is no forced pass among them.
pub(crate) fn draw_game(
    registry: &Registry,
    name: &str,
    moves: usize,
    dice: &mut Dice,
) -> anyhow::Result<Vec<String>> {
    let game = registry.find(name).with_context(|| format!("no game {name}"))?;
    let options = game.parse_options(&[], 2)?;
    for _ in 0..10_000 {
        let (mut position, mut made) = (game.setup(&options, 2, &Seed::default()), Vec::new());
        while made.len() < moves && position.forced().is_none() && !position.status().is_over() {
            let word = draw_move(position.as_ref(), dice)?;
            made.push(position.play(Turn::Move(&word))?.text);
        }
        if made.len() == moves && position.forced().is_none() && !position.status().is_over() {
            return Ok(made);
        }
    }
    anyhow::bail!("no game of {name} lasts {moves} moves")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_turn_is_found_in_every_game_and_is_legal() {
        let registry = knotpost_games::registry();
        for game in registry.iter() {
            let name = game.meta().name;
            let options = game.parse_options(&[], 2).expect("defaults");
            let mut position = game.setup(&options, 2, &Seed::default());
            let board =
                json!({ "game": name, "options": "", "players": [1, 2], "position": position.position() });
            let chosen = choose(&registry, &board, &mut Dice::with_seed(5)).expect("a turn");
            assert!(position.clone().play(Turn::from_word(ILLEGAL)).is_err(), "{name}");
            let played = position.play(Turn::from_word(&chosen.word)).expect("it is legal");
            assert_eq!(played.text, chosen.text, "{name}");
        }
    }

    #[test]
    fn games_differ_from_board_to_board_and_the_same_seed_draws_the_same() {
        let registry = knotpost_games::registry();
        for name in WITHOUT_LUCK {
            let games = |seed| {
                let mut dice = Dice::with_seed(seed);
                (0..5).map(|_| draw_game(&registry, name, 20, &mut dice).expect("a game")).collect::<Vec<_>>()
            };
            let mut drawn = games(7);
            assert_eq!(drawn, games(7), "{name}");
            assert_ne!(drawn, games(8), "{name}");
            drawn.sort();
            drawn.dedup();
            assert_eq!(drawn.len(), 5, "{name}");
        }
    }
}
