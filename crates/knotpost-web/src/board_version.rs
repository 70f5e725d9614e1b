//! Board versions as text, in pages and event ids, so that no change between them is missed.

use knotpost_core::queries::BoardVersion;
use knotpost_model::BoardState;

pub(super) fn format_version(version: &BoardVersion) -> String {
    let number = |value: Option<i64>| value.map_or("-".to_owned(), |value| value.to_string());
    let (moved, remark, proposed) =
        (number(version.moved_at), number(version.remark), number(version.proposed_at));
    format!("{}.{moved}.{remark}.{proposed}.{}", version.ply, version.state.as_str())
}

pub(super) fn parse_version(word: &str) -> Option<BoardVersion> {
    let number = |value: &str| if value == "-" { Some(None) } else { value.parse().ok().map(Some) };
    let parts: Vec<&str> = word.split('.').collect();
    let [ply, moved, remark, proposed, state] = parts[..] else { return None };
    Some(BoardVersion {
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
    fn versions_are_formatted_and_parsed() {
        let version = BoardVersion {
            ply: 7,
            moved_at: Some(1_795_271_558_103),
            remark: None,
            proposed_at: Some(3),
            state: BoardState::Active,
        };
        assert_eq!(format_version(&version), "7.1795271558103.-.3.active");
        assert_eq!(parse_version(&format_version(&version)), Some(version));
        for other in ["", "7", "7.1.-.3", "7.1.-.3.lost", "x.1.-.3.over", "7.1.-.3.over.1", "7.1.-.3.over\n"]
        {
            assert_eq!(parse_version(other), None, "{other:?}");
        }
    }
}
