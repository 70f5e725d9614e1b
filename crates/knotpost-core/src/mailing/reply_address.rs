//! Reply addresses: `NAME+r.NUMBER.SIGNATURE@DOMAIN`, with the number of a mail in the outbox.
//!
//! Knows what an address proves, not what its mail is about.

use crate::app::App;
use crate::replies::Letter;
use knotpost_model::{OutboxKey, OwnAddresses};
use knotpost_platform::secret::KeyRing;
use knotpost_storage::{OutboxOrigin, OutboxRow};

/// Bytes of the signature: 80 bits, beside the id of its key.
const SIGNATURE: usize = 10;
/// The longest local part (RFC 5321, section 4.5.3.1.1).
const LONGEST_LOCAL: usize = 64;
/// The longest local part after the server's own name, with a number of twelve digits.
const LONGEST_TAG: usize = "+r.e".len() + 12 + ".".len() + 2 + 2 * SIGNATURE;

/// Effect of a mail to a reply address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Answering the mail.
    Reply,
    /// Ending mails: a mail to it needs no sender, so it is never the address at which a board is played.
    End,
}

impl Purpose {
    fn mark(self) -> &'static str {
        match self {
            Self::Reply => "",
            Self::End => "e",
        }
    }

    fn label(self) -> &'static [u8] {
        match self {
            Self::Reply => b"reply",
            Self::End => b"end",
        }
    }
}

/// The parts of a mail that its addresses are signed over. The recipient is the one who may answer. The Message-ID, drawn
/// by lot, tells the mail from another one with its number: numbers are given again after a restore.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MailRef<'m> {
    number: OutboxKey,
    recipient: &'m str,
    message_id: &'m str,
}

impl<'m> From<&'m OutboxRow> for MailRef<'m> {
    fn from(row: &'m OutboxRow) -> Self {
        Self { number: row.id, recipient: &row.recipient, message_id: &row.message_id }
    }
}

impl<'m> From<&'m OutboxOrigin> for MailRef<'m> {
    fn from(row: &'m OutboxOrigin) -> Self {
        Self { number: row.id, recipient: &row.recipient, message_id: &row.message_id }
    }
}

impl MailRef<'_> {
    /// The address of this mail.
    pub(crate) fn address(self, app: &App, purpose: Purpose) -> String {
        app.own.reply(&self.token(&app.secret, purpose))
    }

    fn token(self, keys: &KeyRing, purpose: Purpose) -> String {
        let signature = self.signed(purpose, |parts| keys.sign(parts).to_text(SIGNATURE));
        format!("{}{}.{signature}", purpose.mark(), self.number.0)
    }

    fn signed<T>(self, purpose: Purpose, with: impl FnOnce(&[&[u8]]) -> T) -> T {
        let (number, recipient) = (self.number.0.to_be_bytes(), self.recipient.to_lowercase());
        let parts: [&[u8]; 4] = [purpose.label(), &number, recipient.as_bytes(), self.message_id.as_bytes()];
        with(&parts)
    }
}

/// Placeholder of an address in a mail that is composed before its row has a number; [`set_addresses`] replaces it at
/// sending. It holds the random Message-ID, so that no user's text can contain it.
pub(crate) fn pending(own: &OwnAddresses, purpose: Purpose, message_id: &str) -> String {
    let unique = message_id.split('@').next().unwrap_or_default();
    own.reply(&format!("{}{unique}", purpose.mark()))
}

/// Replaces the placeholders in a letter.
pub(crate) fn set_addresses(app: &App, mail: MailRef<'_>, letter: &mut Letter) {
    for purpose in [Purpose::Reply, Purpose::End] {
        let (pending, address) = (pending(&app.own, purpose, mail.message_id), mail.address(app, purpose));
        for text in [&mut letter.reply_to, &mut letter.unsubscribe_to, &mut letter.html].into_iter().flatten()
        {
            *text = text.replace(&pending, &address);
        }
    }
}

/// False if the server's own name is so long that no address fits behind it.
pub(crate) fn fits(app: &App) -> bool {
    let own = app.own.plain();
    own.rsplit_once('@').is_some_and(|(local, _)| local.len() + LONGEST_TAG <= LONGEST_LOCAL)
}

/// The token of a reply address as it came, unverified.
#[derive(Clone, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) purpose: Purpose,
    pub(crate) number: OutboxKey,
    signature: &'t str,
}

impl<'t> Token<'t> {
    /// Reads a token in lower case; mail programs change the case of addresses, and `OwnAddresses` takes that back.
    pub(crate) fn read(word: &'t str) -> Option<Self> {
        let (purpose, rest) = match word.strip_prefix(Purpose::End.mark()) {
            Some(rest) => (Purpose::End, rest),
            None => (Purpose::Reply, word),
        };
        let (number, signature) = rest.split_once('.')?;
        Some(Self { purpose, number: OutboxKey(number.parse().ok()?), signature })
    }

    /// True if this server gave it out with this mail.
    pub(crate) fn is_of(&self, keys: &KeyRing, mail: MailRef<'_>) -> bool {
        mail.number == self.number
            && mail.signed(self.purpose, |parts| keys.is_signed_text(parts, SIGNATURE, self.signature))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use knotpost_model::OwnAddresses;
    use knotpost_platform::clock::SystemEntropy;
    use proptest::prelude::*;

    fn keys() -> KeyRing {
        KeyRing::parse(&"5".repeat(64)).unwrap()
    }

    const MAIL: MailRef<'_> = MailRef {
        number: OutboxKey(17),
        recipient: "Ann@ann.example",
        message_id: "knotpost.1@here.example",
    };

    fn is_of(token: &str, keys: &KeyRing, mail: MailRef<'_>) -> bool {
        Token::read(token).is_some_and(|token| token.is_of(keys, mail))
    }

    #[test]
    fn an_address_is_of_one_mail_recipient_and_purpose() {
        let keys = keys();
        let token = MAIL.token(&keys, Purpose::Reply);
        assert!(is_of(&token, &keys, MAIL));
        assert!(is_of(&token, &keys, MailRef { recipient: "ann@ANN.example", ..MAIL }));
        for other in [
            MailRef { number: OutboxKey(18), ..MAIL },
            MailRef { recipient: "eve@ann.example", ..MAIL },
            MailRef { message_id: "knotpost.2@here.example", ..MAIL },
        ] {
            assert!(!is_of(&token, &keys, other), "{other:?}");
            let moved = token.replacen("17", &other.number.0.to_string(), 1);
            assert!(!is_of(&moved, &keys, other), "{moved}");
        }
        assert!(!is_of(&format!("e{token}"), &keys, MAIL), "who answers a mail ends none");
        let ends = MAIL.token(&keys, Purpose::End);
        assert!(is_of(&ends, &keys, MAIL) && !is_of(&ends[1..], &keys, MAIL));
    }

    #[test]
    fn a_token_that_was_cut_or_changed_is_none() {
        let keys = keys();
        let token = MAIL.token(&keys, Purpose::Reply);
        for end in 0..token.len() {
            assert!(!is_of(&token[..end], &keys, MAIL), "{end}");
            let other = if &token[end..=end] == "0" { "1" } else { "0" };
            let changed = format!("{}{other}{}", &token[..end], &token[end + 1..]);
            assert!(!is_of(&changed, &keys, MAIL), "{changed}");
        }
        assert!(!is_of(&format!("{token}0"), &keys, MAIL));
    }

    #[test]
    fn a_token_is_good_until_its_key_is_dropped() {
        let keys = keys();
        let first = keys.list().next().unwrap().0;
        let token = MAIL.token(&keys, Purpose::Reply);
        let rotated = keys.rotated(&SystemEntropy::default()).unwrap();
        assert!(is_of(&token, &rotated, MAIL));
        assert_ne!(MAIL.token(&rotated, Purpose::Reply), token);
        assert!(!is_of(&token, &rotated.without(first).unwrap(), MAIL));
    }

    #[test]
    fn an_address_has_eighty_bits_and_fits_into_a_local_part() {
        let token = MailRef { number: OutboxKey(999_999_999_999), ..MAIL }.token(&keys(), Purpose::End);
        let own = OwnAddresses::new(&format!("{}@games.example", "x".repeat(64 - LONGEST_TAG))).unwrap();
        let address = own.reply(&token);
        assert_eq!(address.split('@').next().unwrap().len(), LONGEST_LOCAL);
        assert!(own.recipient(&address).is_some());
        assert_eq!(token.split_once('.').unwrap().1.len(), 2 + 80 / 4, "the id of the key and 80 bits");
    }

    proptest! {
        #[test]
        fn nothing_that_is_sent_makes_it_panic(word in "\\PC{0,80}|e?[0-9]{0,20}\\.[0-9a-f]{0,40}") {
            prop_assert!(!is_of(&word, &keys(), MAIL));
        }
    }
}
