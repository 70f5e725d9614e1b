//! Signed links, by which a mail's reader acts without a password.

use data_encoding::HEXLOWER_PERMISSIVE;
use knotpost_model::{Millis, UserKey, words};
use knotpost_platform::secret::{KeyRing, to_hex};

const SIGNATURE: usize = 20;
/// Bytes in a return path, whose local part is short (64 bits).
const RETURN_SIGNATURE: usize = 8;

/// Unambiguous letters and digits of codes.
pub(crate) const CODE_SIGNS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    pub user: UserKey,
    /// In lower case.
    pub address: String,
    pub until: Millis,
}

words! {
    /// Links of a user that are good for a while after they were asked for. Neither their age nor their use is checked here.
    TimedLink {
        /// To choose a new password.
        Reset = "reset",
        /// To log in.
        Magic = "magic",
        /// To the archive, for a user who is logged in.
        Archive = "archive",
    }
}

/// Signed text; unambiguous since addresses have no blanks.
fn until_and(until: Millis, address: &str) -> String {
    format!("{} {address}", until.0)
}

#[derive(Debug)]
pub struct Links {
    secret: KeyRing,
    public_url: String,
}

impl Links {
    pub fn new(secret: &KeyRing, public_url: &str) -> Self {
        Self { secret: secret.clone(), public_url: public_url.trim_end_matches('/').to_owned() }
    }

    /// URL at which the reader of `address` confirms it for `user`.
    pub fn confirmation(&self, user: UserKey, address: &str, until: Millis) -> String {
        let signature = self.sign("confirm", user, &until_and(until, address));
        let address = to_hex(address.as_bytes());
        format!("{}/confirm/{}.{address}.{}.{signature}", self.public_url, user.0, until.0)
    }

    /// `None`: not signed by us.
    pub fn read_confirmation(&self, token: &str) -> Option<Confirmation> {
        let [user, address, until, signature] = parts(token)?;
        let (user, until) = (UserKey(user.parse().ok()?), Millis(until.parse().ok()?));
        let address = read_address(address)?;
        let is_ours = self.is_signed("confirm", user, &until_and(until, &address), signature);
        is_ours.then_some(Confirmation { user, address, until })
    }

    /// URL at which the reader of `address` reverts a change of addresses.
    pub fn undo(&self, change: i64, address: &str) -> String {
        let signature = self.sign("undo", UserKey(change), address);
        format!("{}/not-me/{change}.{}.{signature}", self.public_url, to_hex(address.as_bytes()))
    }

    /// Change and address; `None`: not signed by us.
    pub fn read_undo(&self, token: &str) -> Option<(i64, String)> {
        let [change, address, signature] = parts(token)?;
        let (change, address) = (change.parse().ok()?, read_address(address)?);
        self.is_signed("undo", UserKey(change), &address, signature).then_some((change, address))
    }

    /// URL for a request of that time.
    pub fn timed(&self, kind: TimedLink, user: UserKey, at: Millis) -> String {
        let signature = self.sign(kind.as_str(), user, &at.0.to_string());
        format!("{}/{}/{}.{}.{signature}", self.public_url, kind.as_str(), user.0, at.0)
    }

    /// User and time of the request; `None`: not signed by us.
    pub fn read_timed(&self, kind: TimedLink, token: &str) -> Option<(UserKey, Millis)> {
        let [user, at, signature] = parts(token)?;
        let (user, at) = (UserKey(user.parse().ok()?), Millis(at.parse().ok()?));
        self.is_signed(kind.as_str(), user, &at.0.to_string(), signature).then_some((user, at))
    }

    /// Code for the same reset by mail: 60 bits as `ABCD-EFGH-JKLM`.
    pub fn reset_code(&self, user: UserKey, at: Millis) -> String {
        let parts: [&[u8]; 3] = [b"reset code", &user.0.to_be_bytes(), &at.0.to_be_bytes()];
        let digest = self.secret.sign(&parts).mac;
        let signs: Vec<char> = digest
            .iter()
            .take(12)
            .filter_map(|byte| CODE_SIGNS.get(usize::from(byte % 32)).map(|sign| char::from(*sign)))
            .collect();
        signs.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
    }

    /// URL to unsubscribe from a kind of mails, a word without dots.
    pub fn unsubscribe(&self, user: UserKey, kind: &str) -> String {
        format!("{}/unsubscribe/{}.{kind}.{}", self.public_url, user.0, self.sign("unsubscribe", user, kind))
    }

    /// User and kind; `None`: not signed by us.
    pub fn read_unsubscribe(&self, token: &str) -> Option<(UserKey, String)> {
        let [user, kind, signature] = parts(token)?;
        let user = UserKey(user.parse().ok()?);
        self.is_signed("unsubscribe", user, kind, signature).then(|| (user, kind.to_owned()))
    }

    /// Signature of a return path. It covers the recipient: should a database ever reuse a number, an old
    /// bounce does not hit a new mail.
    pub fn bounce_signature(&self, outbox: i64, recipient: &str) -> String {
        let parts: [&[u8]; 3] = [b"bounce", &outbox.to_be_bytes(), recipient.as_bytes()];
        self.secret.sign(&parts).to_text(RETURN_SIGNATURE)
    }

    pub fn is_bounce_signature(&self, signature: &str, outbox: i64, recipient: &str) -> bool {
        let parts: [&[u8]; 3] = [b"bounce", &outbox.to_be_bytes(), recipient.as_bytes()];
        self.secret.is_signed_text(&parts, RETURN_SIGNATURE, signature)
    }

    fn sign(&self, kind: &str, user: UserKey, text: &str) -> String {
        let parts: [&[u8]; 3] = [kind.as_bytes(), &user.0.to_be_bytes(), text.as_bytes()];
        self.secret.sign(&parts).to_text(SIGNATURE)
    }

    fn is_signed(&self, kind: &str, user: UserKey, text: &str, signature: &str) -> bool {
        let parts: [&[u8]; 3] = [kind.as_bytes(), &user.0.to_be_bytes(), text.as_bytes()];
        self.secret.is_signed_text(&parts, SIGNATURE, signature)
    }
}

fn parts<const N: usize>(token: &str) -> Option<[&str; N]> {
    token.split('.').collect::<Vec<_>>().try_into().ok()
}

fn read_address(hex: &str) -> Option<String> {
    String::from_utf8(HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_platform::clock::SystemEntropy;

    fn links() -> Links {
        let data = tempfile::tempdir().expect("a folder");
        let secret = KeyRing::load("", &data.path().join("secret.key"), &SystemEntropy::default());
        Links::new(&secret.expect("a key"), "http://x/")
    }

    #[test]
    fn a_confirmation_is_read_back_and_cannot_be_altered() {
        let links = links();
        let link = links.confirmation(UserKey(7), "ann@example.org", Millis(99));
        let token = link.strip_prefix("http://x/confirm/").expect("a page of the server");
        let said =
            Confirmation { user: UserKey(7), address: "ann@example.org".to_owned(), until: Millis(99) };
        assert_eq!(links.read_confirmation(token), Some(said));
        assert_eq!(links.read_confirmation(&token.replacen(".99.", ".100.", 1)), None);
        assert_eq!(
            links.read_confirmation(&token.replacen(".99.", ".", 1)),
            None,
            "nobody takes the end off"
        );
        assert_eq!(links.read_confirmation(&token.replacen('7', "8", 1)), None);
        assert_eq!(links.read_confirmation(&token[..token.len() - 1]), None);
        assert_eq!(links.read_confirmation("7.zz.00"), None);
    }

    #[test]
    fn a_reset_is_of_one_user_and_moment() {
        let links = links();
        let link = links.timed(TimedLink::Reset, UserKey(7), Millis(99));
        let token = link.strip_prefix("http://x/reset/").expect("a page of the server");
        assert_eq!(links.read_timed(TimedLink::Reset, token), Some((UserKey(7), Millis(99))));
        assert_eq!(links.read_timed(TimedLink::Reset, &token.replacen("99", "98", 1)), None);
        assert_eq!(links.read_timed(TimedLink::Reset, &token.replacen('7', "8", 1)), None);
        let code = links.reset_code(UserKey(7), Millis(99));
        assert!(code.len() == 14 && code.split('-').all(|group| group.len() == 4), "{code}");
        assert_ne!(code, links.reset_code(UserKey(7), Millis(98)));
        assert_ne!(code, links.reset_code(UserKey(8), Millis(99)));
    }

    #[test]
    fn the_link_to_an_archive_is_no_link_of_another_kind() {
        let links = links();
        let link = links.timed(TimedLink::Archive, UserKey(7), Millis(99));
        let token = link.strip_prefix("http://x/archive/").expect("a page of the server");
        assert_eq!(links.read_timed(TimedLink::Archive, token), Some((UserKey(7), Millis(99))));
        for other in [TimedLink::Reset, TimedLink::Magic] {
            assert_eq!(links.read_timed(other, token), None);
        }
    }

    #[test]
    fn an_unsubscription_is_of_one_user_and_kind() {
        let links = links();
        let link = links.unsubscribe(UserKey(7), "broadcasts");
        let token = link.strip_prefix("http://x/unsubscribe/").expect("a page of the server");
        assert_eq!(links.read_unsubscribe(token), Some((UserKey(7), "broadcasts".to_owned())));
        assert_eq!(links.read_unsubscribe(&token.replacen("broadcasts", "messages", 1)), None);
        assert_eq!(links.read_unsubscribe(&token.replacen('7', "8", 1)), None);
    }

    #[test]
    fn return_paths_fit_into_a_local_part() {
        let own = knotpost_model::OwnAddresses::new("pbmserv@example.org").expect("an address");
        let path = own.bounce(&i64::MAX.to_string(), &links().bounce_signature(i64::MAX, "a@b.example"));
        assert!(path.parse::<knotpost_model::Address>().is_ok(), "{path}");
        let links = links();
        let signature = links.bounce_signature(1, "a@b.example");
        assert!(links.is_bounce_signature(&signature, 1, "a@b.example"));
        for (id, recipient) in [(2, "a@b.example"), (1, "b@b.example")] {
            assert!(!links.is_bounce_signature(&signature, id, recipient), "{id} {recipient}");
        }
    }
}
