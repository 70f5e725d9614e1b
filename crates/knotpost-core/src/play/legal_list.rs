//! Legal moves in words: in natural order, and in short where all first parts combine with all numbers.

use std::cmp::Ordering;
use std::collections::BTreeSet;

const MOST_LISTED: usize = 60;

/// Lists moves, cut after [`MOST_LISTED`]; empty if there are none.
pub(crate) fn describe(mut legal: Vec<String>) -> String {
    legal.sort_unstable_by(|one, other| compare(one, other));
    if let Some(described) = describe_product(&legal) {
        return described;
    }
    let shown: Vec<&str> = legal.iter().take(MOST_LISTED).map(String::as_str).collect();
    let more = legal.len().saturating_sub(shown.len());
    let tail = if more > 0 { format!(" … and {more} more") } else { String::new() };
    format!("{}{tail}", shown.join(" "))
}

/// `any of a to o, then any of 1 to 8`, for long lists.
fn describe_product(legal: &[String]) -> Option<String> {
    if legal.len() <= MOST_LISTED {
        return None;
    }
    let (mut letters, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for word in legal {
        let mut signs = word.chars();
        letters.insert(signs.next().filter(char::is_ascii_alphabetic)?);
        numbers.insert(signs.as_str().parse::<u32>().ok().filter(|_| !signs.as_str().starts_with('0'))?);
    }
    let is_whole = letters.len() * numbers.len() == legal.len();
    let letters: Vec<u32> = letters.into_iter().map(u32::from).collect();
    let letters = ranges(&letters, |letter| char::from_u32(letter).unwrap_or_default().to_string());
    let numbers = ranges(&Vec::from_iter(numbers), |number| number.to_string());
    is_whole.then(|| format!("any of {letters}, then any of {numbers}"))
}

/// Numbers in words; three or more in a row as a range.
fn ranges(numbers: &[u32], name: impl Fn(u32) -> String) -> String {
    let parts: Vec<String> = numbers
        .chunk_by(|one, next| one + 1 == *next)
        .flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{} to {}", name(*first), name(*last))],
            _ => run.iter().map(|number| name(*number)).collect(),
        })
        .collect();
    parts.join(", ")
}

/// Natural order: `a9` before `a10`.
fn compare(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one, other);
    while !one.is_empty() && !other.is_empty() {
        let (first, second) = (take(&mut one), take(&mut other));
        let order = match (first.parse::<u64>(), second.parse::<u64>()) {
            (Ok(first), Ok(second)) => first.cmp(&second),
            _ => first.cmp(second),
        };
        if order.is_ne() {
            return order;
        }
    }
    one.len().cmp(&other.len())
}

/// Leading digits, or leading non-digits.
fn take<'a>(word: &mut &'a str) -> &'a str {
    let is_number = word.starts_with(|sign: char| sign.is_ascii_digit());
    let end = word.find(|sign: char| sign.is_ascii_digit() != is_number).unwrap_or(word.len());
    let (part, rest) = word.split_at(end);
    *word = rest;
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn numbers_are_in_the_order_in_which_people_count() {
        assert_eq!(describe(words("a10 a9 b1 a1 b10,a2 b9,c1")), "a1 a9 a10 b1 b9,c1 b10,a2");
        assert_eq!(describe(Vec::new()), "");
    }

    #[test]
    fn many_moves_of_which_none_lacks_are_told_in_few_words() {
        let all = |entries: &[u32]| -> Vec<String> {
            ('a'..='o').flat_map(|face| entries.iter().map(move |entry| format!("{face}{entry}"))).collect()
        };
        assert_eq!(describe(all(&[1, 2, 3, 4, 5, 6])), "any of a to o, then any of 1 to 6");
        assert_eq!(describe(all(&[1, 2, 3, 7, 9, 10])), "any of a to o, then any of 1 to 3, 7, 9, 10");
        let mut one_less = all(&[1, 2, 3, 4, 5, 6]);
        one_less.remove(40);
        assert!(describe(one_less).ends_with(" … and 29 more"));
        assert!(describe(all(&[1, 2])).starts_with("a1 a2 b1 "));
    }
}
