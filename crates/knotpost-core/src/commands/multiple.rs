//! `multiple`: size limits of its answers. Its lines run through `execute`, each as a command.

use crate::boards::{Code, Refusal};
use crate::requests::Ready;
use knotpost_model::Channel;

/// Bytes of answers after which a `multiple` refuses further queries. Changes are always answered.
pub(crate) fn most_answered(ready: &Ready) -> usize {
    // An unauthenticated mail gets a smaller answer.
    let is_unproven = ready.origin.channel == Channel::Mail && ready.user().is_none();
    if is_unproven { 40_000 } else { 400_000 }
}

pub(crate) fn too_much_asked() -> Refusal {
    Refusal::new(Code::TooMuchMail, "the answers to the lines before this one fill the mail already")
        .hint("Ask the rest in another mail.")
}

pub(crate) fn no_lines() -> Refusal {
    Refusal::new(Code::WrongArguments, "there is no command in the text of this `multiple`")
        .hint("Write one command per line into the body; lines that start with # or > are skipped.")
}
