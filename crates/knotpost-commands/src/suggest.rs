//! Matching of shortened and misspelt words.

/// Letters required to shorten a command or game.
const SHORTEST_PREFIX: usize = 4;
/// Similarity required for a suggestion, from 0 to 1.
const LIKENESS: f64 = 0.55;
/// Longer than any word of the language; longer input is not compared.
const LONGEST_WORD: usize = 32;
const MOST: usize = 3;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found<T> {
    One(T),
    /// Several; their words.
    Many(Vec<String>),
    Nothing,
}

/// Finds a command or game: an exact word wins, else an unambiguous prefix of four letters or more. Case is
/// ignored; several words for one thing are not ambiguous.
pub(crate) fn resolve<'a, T: Copy + PartialEq>(
    word: &str,
    candidates: impl IntoIterator<Item = (&'a str, T)>,
) -> Found<T> {
    resolve_prefix(word, SHORTEST_PREFIX, candidates)
}

/// As [`resolve`], for prefixes from `shortest` letters on.
pub(crate) fn resolve_prefix<'a, T: Copy + PartialEq>(
    word: &str,
    shortest: usize,
    candidates: impl IntoIterator<Item = (&'a str, T)>,
) -> Found<T> {
    let mut fits: Vec<(&str, T)> = Vec::new();
    for (name, target) in candidates {
        if name.eq_ignore_ascii_case(word) {
            return Found::One(target);
        }
        let starts = name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if word.len() >= shortest && starts && !fits.iter().any(|(_, known)| *known == target) {
            fits.push((name, target));
        }
    }
    match fits.as_slice() {
        [] => Found::Nothing,
        [(_, target)] => Found::One(*target),
        several => Found::Many(several.iter().map(|(name, _)| (*name).to_owned()).collect()),
    }
}

/// Names of the nearest candidates, best first, at most three. A candidate is a word and its suggested name.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    if word.len() > LONGEST_WORD {
        return Vec::new();
    }
    let word = word.to_lowercase();
    let mut near: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|(candidate, name)| (strsim::normalized_damerau_levenshtein(&word, candidate), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut names: Vec<String> = Vec::new();
    for (_, name) in near {
        if names.len() < MOST && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

pub(crate) fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [] => String::new(),
        [only] => format!("`{}`", only.as_ref()),
        [head @ .., last] => {
            let head: Vec<String> = head.iter().map(|word| format!("`{}`", word.as_ref())).collect();
            format!("{} or `{}`", head.join(", "), last.as_ref())
        }
    }
}
