//! Queued moves on the page: made from a line of moves, shown, and taken back by the command `queue`.

use knotpost_core::queries::QueuedAnswer;
use minijinja::{Value, context};

use crate::pages::practice::{Line, SWAP};

struct Answer {
    /// Player and move of the reply.
    reply: Option<(String, String)>,
    play: String,
}

/// A line of moves as a player of the board could queue it.
pub(super) struct Plan {
    answers: Vec<Answer>,
    open: Option<(String, String)>,
    /// True if sides are swapped on the way, which ends a queue.
    is_broken: bool,
}

impl Plan {
    /// Collects the player's own moves, each with the first move of another player before it: the reply for which a
    /// queued move can wait.
    pub(super) fn read(line: &Line, me: &str) -> Self {
        let (mut answers, mut open) = (Vec::new(), None);
        for made in line.moves() {
            if made.by == me {
                answers.push(Answer { reply: open.take(), play: made.text.clone() });
            } else if open.is_none() {
                open = Some((made.by.clone(), made.text.clone()));
            }
        }
        let moves = line.moves();
        let swap = moves.iter().position(|made| made.text == SWAP);
        let is_broken = swap.is_some_and(|swap| swap + 1 < moves.len() || open.is_some());
        Self { answers, open, is_broken }
    }

    fn words(&self) -> String {
        let word = |answer: &Answer| match &answer.reply {
            Some((_, reply)) => format!("if:{reply} {}", answer.play),
            None => answer.play.clone(),
        };
        self.answers.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// `is_turn`: the first move is made at once.
    pub(super) fn facts(&self, is_turn: bool, players: usize) -> Value {
        let fact = |answer: &Answer| {
            let (by, reply) = answer.reply.clone().unzip();
            context! { by, reply, play => answer.play.clone() }
        };
        // A single move at once is made on the board itself.
        let least = if is_turn { 2 } else { 1 };
        let is_ready = !self.is_broken && self.open.is_none() && self.answers.len() >= least;
        let (by, reply) = self.open.clone().unzip();
        context! {
            answers => self.answers.iter().map(fact).collect::<Vec<_>>(),
            words => self.words(),
            is_broken => self.is_broken,
            is_of_several => players > 2,
            is_ready, is_turn, by, reply,
        }
    }
}

/// Shows each queued move with the `queue` command that keeps only those before it.
pub(super) fn queue_facts(queue: &[QueuedAnswer]) -> Vec<Value> {
    let mut kept: Vec<String> = Vec::new();
    let mut facts = Vec::new();
    for answer in queue {
        let rest = if kept.is_empty() { "none".to_owned() } else { kept.join(" ") };
        let (reply, play) = (answer.reply.clone(), answer.play.clone());
        let number = answer.number.map(|number| format!("#{number}")).unwrap_or_default();
        kept.push(match &reply {
            Some(reply) => format!("if:{reply}{number} {play}"),
            None => format!("{play}{number}"),
        });
        facts.push(context! { reply, play, number => answer.number, rest });
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(reply: Option<&str>, play: &str, number: Option<i64>) -> QueuedAnswer {
        QueuedAnswer { reply: reply.map(str::to_owned), play: play.to_owned(), number }
    }

    #[test]
    fn taking_a_move_back_keeps_what_stands_before_it() {
        let queue = [queued(Some("f9"), "a3", Some(7)), queued(None, "b1", None), queued(None, "c2", None)];
        let facts = queue_facts(&queue);
        let rests: Vec<String> = facts.iter().map(|one| one.get_attr("rest").unwrap().to_string()).collect();
        assert_eq!(rests, ["none", "if:f9#7 a3", "if:f9#7 a3 b1"]);
        for rest in &rests {
            assert!(knotpost_commands::read_queue_field(rest).is_some(), "{rest}");
        }
    }
}
