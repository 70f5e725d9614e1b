//! Open seeks: their terms in words, and the button that accepts them.

use knotpost_commands::{Command, SeekChange, parse};
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{incomplete, join};
use crate::Web;
use knotpost_core::boards::{Refusal, ServiceError};
use knotpost_core::commands::view_seeks;
use knotpost_core::identity::Visitor;

/// Sorted by game.
pub(super) async fn all(web: &Web) -> Result<Vec<Value>, ServiceError> {
    let mut seeks = Vec::new();
    for game in web.app.games.offered() {
        let meta = game.meta();
        let of_game = view_seeks(&web.app, meta.name).await?;
        seeks.extend(of_game.into_iter().map(|seek| {
            join([context! { game => meta.name, title => meta.title }, Value::from(Serde(seek))])
        }));
    }
    Ok(seeks)
}

/// Names terms as players do: `-size=7 --unrated` is `7x7, unrated`.
pub(super) fn name_terms(terms: &str) -> String {
    let words = terms.split_whitespace().map(|word| {
        let plain = word.trim_start_matches('-');
        match plain.split_once('=') {
            Some(("size", size)) => format!("{size}x{size}"),
            Some(("nagtime", days)) => format!("a reminder after {days} days"),
            Some(("forfeittime", days)) => format!("{days} days a move"),
            Some(("totaltime", days)) => format!("{days} days in all"),
            Some((name, value)) => format!("{name} {value}").replace('_', " "),
            None => plain.replace('_', " "),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Seeks with the same terms, which pairs both users at once.
pub(super) fn same_seek(web: &Web, visitor: &Visitor, game: &str, terms: &str) -> Result<Command, Refusal> {
    let line = format!("{game} seek {} - 1 {terms}", visitor.userid);
    match parse(&line, &web.app.vocabulary) {
        Ok(Command::Seek { game, who: _, change: change @ SeekChange::Want(1), options, server }) => {
            Ok(Command::Seek { game, who: visitor.credentials(), change, options, server })
        }
        Ok(_) => Err(incomplete("these terms make no sense")),
        Err(error) => Err(incomplete(error.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_said_as_players_say_them() {
        assert_eq!(name_terms("-size=7 -any_side --unrated"), "7x7, any side, unrated");
        assert_eq!(name_terms("--forfeittime=3"), "3 days a move");
        assert_eq!(name_terms("-size=5 -no_capture -score=crossings"), "5x5, no capture, score crossings");
        assert_eq!(name_terms(""), "");
    }
}
