//! A move put together by pointing, and a look at the board as it would be after it. Nothing here changes a board.

use knotpost_rules::{Cast, Choices, PartKind, Position, Turn, View, Viewer};

/// A move longer than this is none.
const LONGEST: usize = 200;
/// A move has no more parts than this; all targets of the largest board can be claimed at once.
const MOST_PARTS: usize = 40;

/// A move that is being put together.
pub struct Choosing {
    /// What was chosen so far, canonically spelt.
    pub begun: String,
    /// The same without its last part.
    pub before: String,
    /// Spots among what was chosen.
    pub spots: Vec<String>,
    /// How it can go on.
    pub choices: Choices,
    /// The board after it, when it can be played as it is.
    pub preview: Option<View>,
    /// Why what was typed is no move.
    pub refusal: Option<String>,
}

/// Looks at what was chosen, by pointing or by typing, for the player to move.
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
            let (before, spots) = (String::new(), Vec::new());
            Choosing { begun, before, spots, choices, preview: Some(view), refusal: None }
        }
        Err(refusal) => Choosing {
            choices: position.choices(""),
            begun: String::new(),
            before: String::new(),
            spots: Vec::new(),
            preview: None,
            refusal: Some(refusal),
        },
    }
}

/// As much of the text as is parts of a move: that, the same without the last part, and the spots in it.
fn follow(position: &dyn Position, text: &str) -> (String, String, Vec<String>) {
    let (mut begun, mut before, mut spots) = (String::new(), String::new(), Vec::new());
    for _ in 0..MOST_PARTS {
        if begun == text {
            break;
        }
        let choices = position.choices(&begun);
        let fitting = choices.next.into_iter().filter(|choice| text.starts_with(&choice.begun));
        // `e10` begins with `e1`.
        let Some(choice) = fitting.max_by_key(|choice| choice.begun.len()) else { break };
        if let PartKind::Spot(name) = choice.kind {
            spots.push(name);
        }
        before = std::mem::replace(&mut begun, choice.begun);
    }
    (begun, before, spots)
}

/// The canonical text of a turn and the board after it, no roll ahead of its time.
fn play(position: &dyn Position, cast: &Cast, text: &str) -> Result<(String, View), String> {
    let mut position = position.clone_box();
    position.seal_chance();
    let played = position.play(Turn::from_word(text)).map_err(|refused| refused.to_string())?;
    let cast = Cast { now: None, players: cast.players.clone() };
    Ok((played.canonical, position.view(Viewer::Spectator).with_cast(cast)))
}
