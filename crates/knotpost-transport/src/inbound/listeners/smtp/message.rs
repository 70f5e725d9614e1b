//! The message phase of a session: read, pass to the intake, reply.

use std::sync::Arc;

use knotpost_mail::data::{DataReader, Progress, Received};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::reply::{Charset, write_reply};
use super::session::{Session, Transaction};
use super::stream::Wire;
use super::{Envelope, Protocol, Receipt};
use knotpost_core::intake::Way;

/// Multiple of the limit up to which a message is read to its end, so that it is refused with a reply.
const MAX_OVERSIZE_FACTOR: usize = 4;
/// Bytes above which a message needs a place for large ones, until it is stored.
const LARGE: usize = 256 * 1024;

enum Reading {
    /// Complete; a large one with its place.
    Ended(Received, Option<OwnedSemaphorePermit>),
    /// Complete, but all places for large messages were taken.
    Crowded,
    /// Beyond [`MAX_OVERSIZE_FACTOR`].
    Endless,
    TimedOut,
}

impl Session {
    /// Returns false if the connection is to be closed.
    pub(super) async fn take_message<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        wire: &mut Wire<S>,
    ) -> std::io::Result<bool> {
        let Some(transaction) = self.transaction.take() else { return Ok(true) };
        let reading = tokio::select! {
            read = timeout(self.settings.message_timeout, self.read_message(wire)) => {
                read.unwrap_or(Ok(Reading::TimedOut))?
            }
            () = self.grace_is_over() => {
                let text = "the server is going down, please try again later";
                self.say(&mut wire.output, 421, "4.3.2", text);
                return Ok(false);
            }
        };
        let copies = match self.settings.protocol {
            Protocol::Smtp => 1,
            Protocol::Lmtp => transaction.recipients.len(),
        };
        let charset = transaction.charset;
        // Other servers may see the end of such a message elsewhere, so later bytes must not be read as commands (SMTP
        // smuggling).
        let goes_on =
            matches!(reading, Reading::Ended(Received::Whole(_) | Received::TooLarge, _) | Reading::Crowded);
        let receipt = match reading {
            Reading::Ended(Received::Whole(raw), _place) => {
                self.intake.receive(self.envelope(transaction), raw).await
            }
            Reading::Crowded => Receipt::TryLater {
                code: 452,
                enhanced: "4.3.1",
                text: "too many large mails arrive at the moment; please try again in a few minutes".to_owned(),
            },
            Reading::Ended(Received::TooLarge, _) | Reading::Endless => Receipt::Refused {
                code: 552,
                enhanced: "5.3.4",
                text: format!("a message may have {} bytes at most", self.settings.max_message),
            },
            Reading::Ended(Received::Malformed, _) => Receipt::Refused {
                code: 550,
                enhanced: "5.6.0",
                text: "every line of a message ends with CR LF, neither of them stands alone, and there is no NUL"
                    .to_owned(),
            },
            Reading::TimedOut => {
                self.say(&mut wire.output, 421, "4.4.2", "waited too long for the end of the message");
                return Ok(false);
            }
        };
        if matches!(receipt, Receipt::Refused { .. }) {
            self.errors += 1;
        }
        for _ in 0..copies {
            write_receipt(&mut wire.output, &receipt, charset);
        }
        if !goes_on {
            wire.discard_rest();
        }
        Ok(goes_on)
    }

    async fn read_message<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        wire: &mut Wire<S>,
    ) -> std::io::Result<Reading> {
        let mut reader = DataReader::new(self.settings.max_message);
        let (mut total, mut place, mut is_crowded) = (0, None, false);
        while total <= self.settings.max_message.saturating_mul(MAX_OVERSIZE_FACTOR) {
            let Ok(chunk) = timeout(self.settings.data_timeout, wire.chunk()).await else {
                return Ok(Reading::TimedOut);
            };
            let chunk = chunk?;
            if chunk.is_empty() {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let (taken, progress) = reader.ingest(chunk);
            wire.consume(taken);
            total += taken;
            if place.is_none() && reader.held() > LARGE {
                place = Arc::clone(&self.settings.large_messages).try_acquire_owned().ok();
                if place.is_none() {
                    is_crowded = true;
                    reader.give_up();
                }
            }
            if progress == Progress::Ended {
                return Ok(match reader.finish() {
                    Received::TooLarge if is_crowded => Reading::Crowded,
                    received => Reading::Ended(received, place),
                });
            }
        }
        Ok(Reading::Endless)
    }

    fn envelope(&self, transaction: Transaction) -> Envelope {
        Envelope {
            way: match self.settings.protocol {
                Protocol::Smtp => Way::Smtp,
                Protocol::Lmtp => Way::Lmtp,
            },
            peer: self.peer,
            helo: self.helo.clone(),
            mail_from: transaction.mail_from,
            recipients: transaction.recipients,
        }
    }
}

fn write_receipt(out: &mut Vec<u8>, receipt: &Receipt, charset: Charset) {
    match receipt {
        Receipt::Stored { text } => write_reply(out, 250, "2.0.0", text, charset),
        Receipt::Refused { code, enhanced, text } => {
            write_reply(out, (*code).clamp(500, 599), enhanced, text, charset);
        }
        Receipt::TryLater { code, enhanced, text } => {
            write_reply(out, (*code).clamp(400, 499), enhanced, text, charset);
        }
    }
}
