//! The state of a board as one word, in pages and event ids, so that no change is missed between a page and its events.

use knotpost_core::queries::Pulse;
use knotpost_model::BoardState;

/// Encodes a state for a query and for the id of an event.
pub(super) fn pulse_id(pulse: &Pulse) -> String {
    let number = |value: Option<i64>| value.map_or("-".to_owned(), |value| value.to_string());
    let (moved, remark, proposed) = (number(pulse.moved_at), number(pulse.remark), number(pulse.proposed_at));
    format!("{}.{moved}.{remark}.{proposed}.{}", pulse.ply, pulse.state.as_str())
}

/// Decodes a state; `None` for an invalid word.
pub(super) fn read_pulse(word: &str) -> Option<Pulse> {
    let number = |value: &str| if value == "-" { Some(None) } else { value.parse().ok().map(Some) };
    let parts: Vec<&str> = word.split('.').collect();
    let [ply, moved, remark, proposed, state] = parts[..] else { return None };
    Some(Pulse {
        ply: ply.parse().ok()?,
        moved_at: number(moved)?,
        remark: number(remark)?,
        proposed_at: number(proposed)?,
        state: BoardState::try_from(state.to_owned()).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulse_is_told_in_a_word_and_read_again() {
        let pulse = Pulse {
            ply: 7,
            moved_at: Some(1_795_271_558_103),
            remark: None,
            proposed_at: Some(3),
            state: BoardState::Active,
        };
        assert_eq!(pulse_id(&pulse), "7.1795271558103.-.3.active");
        assert_eq!(read_pulse(&pulse_id(&pulse)), Some(pulse));
        for other in ["", "7", "7.1.-.3", "7.1.-.3.lost", "x.1.-.3.over", "7.1.-.3.over.1", "7.1.-.3.over\n"]
        {
            assert_eq!(read_pulse(other), None, "{other:?}");
        }
    }
}
