//! The key by which duplicate mails are recognised. Trace headers never count: one mail by two routes has different
//! ones.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::inbound::parse::Message;

/// 64 lower-case hexadecimal digits, equal for mails with the same sender (case aside), Subject, text and Message-ID;
/// without an id, From and Date count. The text counts since some programs give two mails one id.
///
/// HMAC-SHA256, so that the database does not reveal the text and collisions cannot be constructed.
pub fn dedupe_key(message: &Message, sender: &str, key: &[u8; 32]) -> String {
    let mut digest = Digest::new(key);
    digest.field(&sender.trim().to_lowercase());
    if let Some(id) = message.message_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        digest.field("id");
        digest.field(id);
    } else {
        digest.field("content");
        digest.field(&message.from.join(",").to_lowercase());
        digest.field(message.date_raw.as_deref().unwrap_or_default());
    }
    digest.field(&message.subject);
    digest.field(&normal_text(message.text.as_deref().unwrap_or_default()));
    digest.finish()
}

/// Removes differences made in transit: blanks at line ends, blank lines at the end.
fn normal_text(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for line in text.trim_end().lines() {
        normal.push_str(line.trim_end());
        normal.push('\n');
    }
    normal
}

struct Digest(Hmac<Sha256>);

impl Digest {
    fn new(key: &[u8; 32]) -> Self {
        // A key of the block size is always accepted, and HMAC pads shorter ones with zeros anyway.
        let mut block = [0; 64];
        block[..32].copy_from_slice(key);
        Self(Hmac::<Sha256>::new(&block.into()))
    }

    /// Prefixed by its length, so that different lists of fields never give the same bytes.
    fn field(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_be_bytes());
        self.0.update(text.as_bytes());
    }

    fn finish(self) -> String {
        self.0.finalize().into_bytes().iter().fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn mail() -> Message {
        Message {
            from: vec!["fred@x.y".into()],
            subject: "move".into(),
            text: Some("hi \n\n".into()),
            ..Message::default()
        }
    }

    #[test]
    fn the_same_mail_by_another_way_has_the_same_key() {
        let other_way =
            Message { received_count: 9, text: Some("hi\n".into()), return_path: Some("x".into()), ..mail() };
        assert_eq!(dedupe_key(&mail(), "Fred@x.y", &KEY), dedupe_key(&other_way, "fred@x.y", &KEY));
        assert_eq!(dedupe_key(&mail(), "fred@x.y", &KEY).len(), 64);
    }

    #[test]
    fn everything_that_was_written_counts() {
        let with_id =
            |text: &str| Message { message_id: Some("1@x".into()), text: Some(text.into()), ..mail() };
        let id = dedupe_key(&with_id("a"), "fred@x.y", &KEY);
        assert_eq!(dedupe_key(&with_id("a \n\n"), "fred@x.y", &KEY), id);
        assert_ne!(dedupe_key(&with_id("b"), "fred@x.y", &KEY), id);
        assert_ne!(dedupe_key(&Message { subject: "move 2".into(), ..with_id("a") }, "fred@x.y", &KEY), id);
        assert_ne!(
            dedupe_key(&Message { message_id: Some("2@x".into()), ..with_id("a") }, "fred@x.y", &KEY),
            id
        );
        assert_ne!(dedupe_key(&with_id("a"), "joe@x.y", &KEY), id);
        let base = dedupe_key(&mail(), "fred@x.y", &KEY);
        for changed in [
            Message { subject: "move 2".into(), ..mail() },
            Message { text: Some("ho".into()), ..mail() },
            Message { date_raw: Some("Tue".into()), ..mail() },
            Message { from: vec!["joe@x.y".into()], ..mail() },
        ] {
            assert_ne!(dedupe_key(&changed, "fred@x.y", &KEY), base);
        }
        assert_ne!(dedupe_key(&mail(), "fred@x.y", &[8; 32]), base);
    }
}
