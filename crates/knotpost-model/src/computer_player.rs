//! Userids of the server's computer players: `knotbot-1` to `knotbot-8`, by level.

/// Highest level; the lowest is 1.
pub const LEVELS: u8 = 8;
/// Followed by the level.
const PREFIX: &str = "knotbot-";

pub fn userid_of(level: u8) -> String {
    format!("{PREFIX}{level}")
}

pub fn level_of(userid: &str) -> Option<u8> {
    let (prefix, digits) = userid.split_at_checked(PREFIX.len())?;
    let level = digits.parse().ok().filter(|level| (1..=LEVELS).contains(level))?;
    (prefix.eq_ignore_ascii_case(PREFIX) && digits.len() == 1).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_and_a_userid_belong_together() {
        for level in 1..=LEVELS {
            assert_eq!(level_of(&userid_of(level)), Some(level));
        }
        assert_eq!(level_of("KnotBot-3"), Some(3));
        for other in [
            "",
            "ann",
            "knotbot",
            "knotbot-",
            "knotbot-0",
            "knotbot-9",
            "knotbot-03",
            "knotbot-+3",
            "knotbötchen",
        ] {
            assert_eq!(level_of(other), None, "{other}");
        }
    }
}
