//! The token of a reply address: what it says, how it is written into a local part, and its signature.
//!
//! Knows bytes and digests; what a token entitles to is the business of `reply_grant`.

use std::sync::LazyLock;

use crate::app::App;
use data_encoding::{BASE32_NOPAD, Encoding};
use knotpost_model::{Millis, OwnAddresses};
use knotpost_platform::secret::Signature;
use knotpost_storage::UserRow;

/// Bytes of a signature: 96 bits, so that token, mark and name fit into the 64 octets of a local part.
const SIGNATURE: usize = 12;
/// The longest local part (RFC 5321, section 4.5.3.1.1).
const LONGEST_LOCAL: usize = 64;
const DAY_MS: i64 = 86_400_000;

/// Lower-case base32 without padding: mail programs change the case of addresses.
static ALPHABET: LazyLock<Encoding> = LazyLock::new(|| {
    let mut letters = BASE32_NOPAD.specification();
    letters.symbols = letters.symbols.to_ascii_lowercase();
    // The specification is the standard one in other letters, which always makes an encoding.
    letters.encoding().unwrap_or(BASE32_NOPAD)
});

/// What a token is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A board, as a player saw it.
    Board {
        /// The board's row, never 0.
        board: i64,
        /// Where the player sat.
        seat: i64,
        /// The number of the last move.
        ply: i64,
        /// Tells boards of the same ply apart.
        state_digest: u16,
        /// What the mail was about.
        about: About,
    },
    /// What another user wrote.
    Message {
        /// The row of that user, never 0.
        author: i64,
    },
    /// An answer from a strange address that waits for a confirmation.
    Held {
        /// Its row, never 0.
        id: i64,
        /// Tells it from one that had this row before.
        mark: u32,
    },
    /// The address itself: that somebody reads there.
    Address,
    /// What a link in the same mail does as well. It holds under any password.
    Link {
        act: Act,
        /// The row it is done to, never 0.
        row: i64,
    },
}

/// What is done by a link, or by a mail to the address beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// No mails to everybody any more.
    StopBroadcasts,
    /// No reminders any more.
    StopNags,
    /// No mails about a board that its reader does not play on.
    StopWatching,
    /// No mail about the end of a board.
    StopEndings,
    /// A change of addresses is taken back.
    UndoChange,
    /// No puzzles any more.
    StopPuzzles,
    /// No mails of the day any more.
    StopDigests,
    /// No messages of other users any more.
    StopMessages,
}

impl Act {
    /// In the order of their numbers in tokens: a new one comes last.
    const ALL: [Self; 8] = [
        Self::StopBroadcasts,
        Self::StopNags,
        Self::StopWatching,
        Self::StopEndings,
        Self::UndoChange,
        Self::StopPuzzles,
        Self::StopDigests,
        Self::StopMessages,
    ];
}

/// What a mail about a board was about, and so what its reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// The board: a reply acts on it.
    Play,
    /// What somebody said: a reply says something back.
    Talk,
}

/// Seats in tokens of mails about what somebody said are counted from here on. No board has that many, and in such a
/// token nothing is longer than in one about a board.
const TALKING_SEATS: i64 = 64;

/// Acts stand where others have a seat, from this number on.
const ACTS: i64 = 2 * TALKING_SEATS;

/// The day of a token that is good for ever.
pub(crate) const NEVER_EXPIRES: u16 = u16::MAX;

/// The part of a token that is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Payload {
    /// What it is about.
    pub(crate) subject: Subject,
    /// The row of the address that it was mailed to.
    pub(crate) address: i64,
    /// The last day on which it is good, counted from 1970.
    pub(crate) expires: u16,
}

/// The number of a day, and of those that follow.
pub(crate) fn day(now: Millis, later: i64) -> u16 {
    u16::try_from(now.0 / DAY_MS + later).unwrap_or(u16::MAX)
}

impl Payload {
    fn write(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(20);
        match self.subject {
            Subject::Board { board, seat, ply, state_digest, about } => {
                let seat = match about {
                    About::Play => seat,
                    About::Talk => seat + TALKING_SEATS,
                };
                for number in [board, seat, ply] {
                    write_number(&mut bytes, number);
                }
                bytes.extend(state_digest.to_be_bytes());
            }
            Subject::Held { id, mark } => {
                for number in [0, id, i64::from(mark)] {
                    write_number(&mut bytes, number);
                }
            }
            // No seat has the number 0.
            Subject::Message { author } => {
                for number in [author, 0] {
                    write_number(&mut bytes, number);
                }
            }
            // No row has the number 0.
            Subject::Address => {
                for number in [0, 0] {
                    write_number(&mut bytes, number);
                }
            }
            Subject::Link { act, row } => {
                for number in [row, ACTS + act as i64] {
                    write_number(&mut bytes, number);
                }
            }
        }
        write_number(&mut bytes, self.address);
        bytes.extend(self.expires.to_be_bytes());
        bytes
    }

    fn read(mut bytes: &[u8]) -> Option<Self> {
        let subject = match read_number(&mut bytes)? {
            0 => match read_number(&mut bytes)? {
                0 => Subject::Address,
                id => Subject::Held { id, mark: u32::try_from(read_number(&mut bytes)?).ok()? },
            },
            row => match read_number(&mut bytes)? {
                0 => Subject::Message { author: row },
                act if act >= ACTS => {
                    let act = usize::try_from(act - ACTS).ok().and_then(|act| Act::ALL.get(act))?;
                    Subject::Link { act: *act, row }
                }
                seat => {
                    let ply = read_number(&mut bytes)?;
                    let (state_digest, rest) = bytes.split_first_chunk::<2>()?;
                    let state_digest = u16::from_be_bytes(*state_digest);
                    bytes = rest;
                    let (seat, about) = match seat.checked_sub(TALKING_SEATS) {
                        Some(seat) if seat > 0 => (seat, About::Talk),
                        _ => (seat, About::Play),
                    };
                    Subject::Board { board: row, seat, ply, state_digest, about }
                }
            },
        };
        let address = read_number(&mut bytes)?;
        let expires = u16::from_be_bytes(bytes.try_into().ok()?);
        Some(Self { subject, address, expires })
    }
}

/// Seven bits a byte, the lowest first; the high bit says that more follow.
fn write_number(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = number.unsigned_abs();
    while rest > 0x7f {
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<i64> {
    let mut number: u64 = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return i64::try_from(number).ok();
        }
    }
    None
}

/// A token as it came: read, but not yet known to be ours.
#[derive(Clone, Debug)]
pub(crate) struct Unproven {
    /// What it says.
    pub(crate) payload: Payload,
    signed: Vec<u8>,
    key: u8,
    signature: Vec<u8>,
}

impl Unproven {
    /// Reads a token, in whatever case it came.
    pub(crate) fn read(token: &str) -> Option<Self> {
        let mut signed = ALPHABET.decode(token.to_ascii_lowercase().as_bytes()).ok()?;
        let signature = signed.split_off(signed.len().checked_sub(SIGNATURE)?);
        let key = signed.pop()?;
        Some(Self { payload: Payload::read(&signed)?, signed, key, signature })
    }

    /// Whether this server gave it to this user at this address, under their present password where that counts.
    pub(crate) fn is_genuine(&self, app: &App, address: &str, user: &UserRow) -> bool {
        let key = address.to_lowercase();
        let parts = parts(self.payload.subject, &self.signed, key.as_bytes(), user);
        app.secret.is_signed(self.key, &parts, &self.signature)
    }

    /// Whether its time is over.
    pub(crate) fn has_expired(&self, now: Millis) -> bool {
        day(now, 0) > self.payload.expires
    }
}

/// Where a mail is answered without a password. What it entitles to belongs to the reader of one address: it can be
/// taken out for a mail to that address alone.
#[derive(Clone, Debug)]
pub(crate) struct ReplyTo {
    reply: String,
    bound_to: String,
}

impl ReplyTo {
    /// The Reply-To of a mail with this envelope recipient; `None` when the token is for another address.
    pub(crate) fn for_mail_to(self, recipient: &str) -> Option<String> {
        (recipient.to_lowercase() == self.bound_to).then_some(self.reply)
    }
}

/// The reply address with this token, for mails to this address; `None` when the server's own name is so long that no
/// token fits behind it.
pub(crate) fn reply_address(app: &App, payload: Payload, address: &str, user: &UserRow) -> Option<ReplyTo> {
    let mut bytes = payload.write();
    let reader = address.to_lowercase();
    let Signature { key, mac } = app.secret.sign(&parts(payload.subject, &bytes, reader.as_bytes(), user));
    bytes.push(key);
    bytes.extend(mac.iter().take(SIGNATURE));
    fitting(&app.own, &bytes).map(|reply| ReplyTo { reply, bound_to: reader })
}

fn fitting(own: &OwnAddresses, bytes: &[u8]) -> Option<String> {
    let reply = own.reply(&ALPHABET.encode(bytes));
    let fits = reply.rsplit_once('@').is_some_and(|(local, _)| local.len() <= LONGEST_LOCAL);
    fits.then_some(reply)
}

/// What is signed: the password's hash too, so that a new password ends what was given out before. What a link does is
/// done under any password: whoever took an account changed it.
fn parts<'a>(subject: Subject, payload: &'a [u8], address: &'a [u8], user: &'a UserRow) -> [&'a [u8]; 4] {
    match subject {
        Subject::Link { .. } => [b"link", payload, address, &[]],
        _ => [b"reply", payload, address, user.password_hash.as_deref().unwrap_or_default().as_bytes()],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const LARGE: Payload = Payload {
        subject: Subject::Board {
            board: 100_000_000,
            seat: 6,
            ply: 10_000,
            state_digest: u16::MAX,
            about: About::Talk,
        },
        address: 10_000_000,
        expires: u16::MAX,
    };

    fn subjects() -> impl Strategy<Value = Subject> {
        let board = (1..i64::MAX, 1..TALKING_SEATS, 0..1_000_000_i64, any::<u16>(), any::<bool>());
        prop_oneof![
            board.prop_map(|(board, seat, ply, state_digest, talks)| {
                let about = if talks { About::Talk } else { About::Play };
                Subject::Board { board, seat, ply, state_digest, about }
            }),
            (1..i64::MAX).prop_map(|author| Subject::Message { author }),
            (1..i64::MAX, any::<u32>()).prop_map(|(id, mark)| Subject::Held { id, mark }),
            Just(Subject::Address),
            (prop::sample::select(&Act::ALL[..]), 1..i64::MAX)
                .prop_map(|(act, row)| Subject::Link { act, row }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(subject in subjects(), address in 0..i64::MAX, expires: u16) {
            let payload = Payload { subject, address, expires };
            prop_assert_eq!(Payload::read(&payload.write()), Some(payload));
        }

        #[test]
        fn nothing_that_is_sent_makes_it_panic(token in "\\PC{0,80}|[a-z2-7]{0,80}") {
            let _ = Unproven::read(&token);
        }

        #[test]
        fn an_address_that_is_given_out_can_be_written_to(
            local in "[a-z][a-z0-9.-]{0,62}[a-z0-9]",
            subject in subjects(),
            address in 0..i64::MAX,
        ) {
            let Ok(own) = OwnAddresses::new(&format!("{local}@games.example")) else { return Ok(()) };
            let bytes = [Payload { subject, address, expires: 1 }.write(), vec![0; 1 + SIGNATURE]].concat();
            if let Some(reply) = fitting(&own, &bytes) {
                prop_assert!(reply.rsplit_once('@').unwrap().0.len() <= 64);
                prop_assert!(own.recipient(&reply).is_some());
            }
        }
    }

    #[test]
    fn tokens_of_a_large_server_fit_after_a_name_of_sixteen_letters() {
        let own = OwnAddresses::new("sixteen-letters0@games.example").unwrap();
        assert!(fitting(&own, &[LARGE.write(), vec![0; 1 + SIGNATURE]].concat()).is_some());
        let own = OwnAddresses::new(&format!("{}@games.example", "x".repeat(40))).unwrap();
        assert_eq!(fitting(&own, &[LARGE.write(), vec![0; 1 + SIGNATURE]].concat()), None);
    }

    /// Mails with tokens lie in mailboxes for years: each kind is read as it was written.
    #[test]
    fn tokens_have_the_bytes_of_every_version() {
        let board = |about| Subject::Board { board: 300, seat: 2, ply: 7, state_digest: 0x0102, about };
        let link = |act| Subject::Link { act, row: 5 };
        let number_of = |act| match act {
            Act::StopBroadcasts => 0x80,
            Act::StopNags => 0x81,
            Act::StopWatching => 0x82,
            Act::StopEndings => 0x83,
            Act::UndoChange => 0x84,
            Act::StopPuzzles => 0x85,
            Act::StopDigests => 0x86,
            Act::StopMessages => 0x87,
        };
        let acts = Act::ALL.map(|act| (link(act), vec![5, number_of(act), 1]));
        let others = [
            (board(About::Play), vec![0xac, 2, 2, 7, 1, 2]),
            (board(About::Talk), vec![0xac, 2, 66, 7, 1, 2]),
            (Subject::Message { author: 5 }, vec![5, 0]),
            (Subject::Held { id: 5, mark: 200 }, vec![0, 5, 0xc8, 1]),
            (Subject::Address, vec![0, 0]),
        ];
        for (subject, bytes) in acts.into_iter().chain(others) {
            let payload = Payload { subject, address: 9, expires: 0x0304 };
            let bytes = [bytes, vec![9, 3, 4]].concat();
            assert_eq!((payload.write(), Payload::read(&bytes)), (bytes, Some(payload)));
        }
    }

    #[test]
    fn a_token_is_taken_out_for_a_mail_to_its_address_alone() {
        let token = ReplyTo { reply: "games+r.x@games.example".into(), bound_to: "ann@ann.example".into() };
        assert_eq!(token.clone().for_mail_to("Ann@ann.example").as_deref(), Some("games+r.x@games.example"));
        assert_eq!(token.for_mail_to("eve@ann.example"), None);
    }

    #[test]
    fn tokens_survive_a_change_of_case() {
        let token = ALPHABET.encode(&[LARGE.write(), vec![9], vec![7; SIGNATURE]].concat());
        assert_eq!(token, token.to_ascii_lowercase());
        let read = Unproven::read(&token.to_ascii_uppercase()).unwrap();
        assert_eq!((read.payload, read.key), (LARGE, 9));
        let without_key = ALPHABET.encode(&[LARGE.write(), vec![7; SIGNATURE]].concat());
        assert!(Unproven::read(&without_key).is_none());
    }

    #[test]
    fn a_day_later_than_the_last_is_too_late() {
        let token = ALPHABET.encode(&[LARGE.write(), vec![9], vec![7; SIGNATURE]].concat());
        let mut unproven = Unproven::read(&token).unwrap();
        unproven.payload.expires = day(Millis(0), 90);
        assert!(!unproven.has_expired(Millis(90 * DAY_MS + 1)));
        assert!(unproven.has_expired(Millis(91 * DAY_MS)));
    }
}
