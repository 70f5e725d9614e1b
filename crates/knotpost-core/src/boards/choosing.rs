//! A move composed by pointing, with a preview. Nothing here changes a board.

use knotpost_rules::{Cast, Choices, Position, Turn, View, Viewer};

/// Bytes of a move.
const LONGEST: usize = 200;
/// Parts of a move; enough to claim all targets of the largest board.
const MOST_PARTS: usize = 40;

#[derive(Default)]
pub struct Choosing {
    /// Canonical spelling of the parts chosen.
    pub begun: String,
    pub before: String,
    pub spots: Vec<String>,
    pub choices: Choices,
    pub preview: Option<View>,
    pub refusal: Option<String>,
}

/// Evaluates a partial move, pointed or typed, of the player to move.
pub fn choose(position: &dyn Position, cast: &Cast, text: &str) -> Choosing {
    let text: String = text.trim().chars().take(LONGEST).collect();
    let (begun, before, spots) = follow(position, &text);
    if begun == text {
        let choices = position.choices(&begun);
        let preview =
            if choices.is_complete { play(position, cast, &begun).ok().map(|(_, view)| view) } else { None };
        return Choosing { begun, before, spots, choices, preview, refusal: None };
    }
    match play(position, cast, &text) {
        Ok((begun, view)) => {
            let choices = Choices { next: Vec::new(), is_complete: true };
            Choosing { begun, choices, preview: Some(view), ..Choosing::default() }
        }
        Err(refusal) => {
            Choosing { choices: position.choices(""), refusal: Some(refusal), ..Choosing::default() }
        }
    }
}

/// Valid prefix of a text, the prefix without its last part, and its spots.
fn follow(position: &dyn Position, text: &str) -> (String, String, Vec<String>) {
    let (mut begun, mut before, mut spots) = (String::new(), String::new(), Vec::new());
    for _ in 0..MOST_PARTS {
        if begun == text {
            break;
        }
        let choices = position.choices(&begun);
        let fitting = choices.next.into_iter().filter(|choice| text.starts_with(&choice.begun));
        // Longest wins: `e10` begins with `e1`.
        let Some(choice) = fitting.max_by_key(|choice| choice.begun.len()) else { break };
        spots.extend(choice.kind.spot().map(str::to_owned));
        before = std::mem::replace(&mut begun, choice.begun);
    }
    (begun, before, spots)
}

/// Canonical text of a turn and the board after it, with future rolls sealed.
fn play(position: &dyn Position, cast: &Cast, text: &str) -> Result<(String, View), String> {
    let mut position = position.clone_box();
    position.seal_chance();
    let played = position.play(Turn::from_word(text)).map_err(|refused| refused.to_string())?;
    let cast = Cast { now: None, players: cast.players.clone() };
    Ok((played.canonical, position.view(Viewer::Spectator).with_cast(cast)))
}
