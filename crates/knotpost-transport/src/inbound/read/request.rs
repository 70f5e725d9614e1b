//! The command request of a mail, for its subject, its body or both.

use knotpost_commands::{ErrorCode, ParseError, Vocabulary};

use super::{Mail, why_wordless};
use crate::inbound::Identified;
use crate::inbound::decide::policy::Ruling;
use knotpost_core::identity::Origin;
use knotpost_core::requests::{BoardReply, Request};
use knotpost_model::{Host, Verdicts};

impl Mail {
    pub(in crate::inbound) fn request(
        &self,
        ruling: Ruling,
        host: Option<Host>,
        verdicts: Option<&Verdicts>,
        vocabulary: &Vocabulary,
    ) -> Request {
        let aligned = self.is_aligned(verdicts);
        let (line, body) = match &self.found {
            Identified::Subject { line, comment } => (line.clone(), comment.clone()),
            Identified::Body { line, comment } if self.is_below_nothing(vocabulary) => {
                (line.clone(), comment.clone())
            }
            // If it turns out not to reply to a board mail, the answer is about the Subject.
            Identified::Body { .. } => (self.message.subject.trim().to_owned(), String::new()),
            Identified::Multiple { lines, surplus } => {
                // One line beyond the limit makes the command say so.
                let surplus = std::iter::repeat_n("help".to_owned(), *surplus);
                ("multiple".to_owned(), lines.iter().cloned().chain(surplus).collect::<Vec<_>>().join("\n"))
            }
            Identified::Unclear { subject, comment } => (subject.clone(), comment.clone()),
        };
        let said = match &self.found {
            Identified::Body { line, comment } => Some((line.clone(), comment.clone())),
            // An empty reply is answered with examples.
            Identified::Unclear { comment, .. } if comment.is_empty() => Some(Default::default()),
            _ => None,
        };
        let wordless = matches!(&self.found, Identified::Unclear { comment, .. } if comment.is_empty())
            .then(|| ParseError::new(ErrorCode::UnknownCommand, why_wordless(&self.message)));
        let answering = said.zip(self.claim.clone()).map(|((line, comment), claim)| BoardReply {
            claim,
            line: wordless.clone().map_or(Ok(line), Err),
            comment,
            credit: ruling.credit(),
        });
        let origin = Origin::mail(self.sender.clone(), host, aligned);
        let request = Request::of_line(line, body, origin, vocabulary);
        let request = match wordless {
            // The Subject of an answer says nothing about the hidden words.
            Some(error) if self.message.sealed.is_some() && !request.names_verb() => request.refused(error),
            _ => request,
        };
        request.unless_it_answers(answering)
    }

    fn is_below_nothing(&self, vocabulary: &Vocabulary) -> bool {
        knotpost_commands::says_nothing(&self.message.subject, vocabulary)
    }

    /// True if these verdicts prove that the mail comes from the domain of its author.
    pub(in crate::inbound) fn is_aligned(&self, verdicts: Option<&Verdicts>) -> bool {
        verdicts.is_some_and(|verdicts| verdicts.prove(self.author_domain()))
    }
}
