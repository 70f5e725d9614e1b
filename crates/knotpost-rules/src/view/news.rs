//! The gains and captures of the last move, in one sentence.

use std::fmt;

/// The effects of a move beyond what it placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// The side that moved, such as `Horz`.
    pub side: &'static str,
    /// Its effect, as the rest of a sentence: `closes a knot of 8`.
    pub action: String,
    /// Points won by it, zero where a game does not count by the move.
    pub gain: u32,
}

impl fmt::Display for News {
    /// The sentence: `Horz closes a knot of 8: +8.`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.side, self.action)?;
        if self.gain > 0 {
            write!(f, ": +{}", self.gain)?;
        }
        f.write_str(".")
    }
}

/// Words as an enumeration: `a`, `a and b`, `a, b and c`.
pub fn join_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_a_sentence_with_the_points_where_points_are_won() {
        let news = News { side: "Horz", action: "closes a knot of 8".to_owned(), gain: 8 };
        assert_eq!(news.to_string(), "Horz closes a knot of 8: +8.");
        assert_eq!(News { gain: 0, ..news }.to_string(), "Horz closes a knot of 8.");
        let words = ["a1", "b2", "c3"].map(str::to_owned);
        assert_eq!(join_words(&words), "a1, b2 and c3");
        assert_eq!(join_words(&words[..2]), "a1 and b2");
    }
}
