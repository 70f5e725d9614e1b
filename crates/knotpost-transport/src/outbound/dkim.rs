//! Signatures on our mail (DKIM: RFC 6376, and RFC 8463 for Ed25519).
//!
//! The same mail with the same date and key always gets the same signature, so that a mail sent again stays the same
//! bytes. Knows a message as header fields and a body, nothing of what it says.

use std::fmt::Write as _;

use data_encoding::BASE64;
use secrecy::ExposeSecret as _;
use sha2::{Digest as _, Sha256};

use super::dkim_key::{KeyError, SigningKey, zone_line};
use knotpost_core::config::Config;
use knotpost_model::Millis;

/// The fields that are signed, each once more than it occurs, so that a field added later breaks the signature.
const SIGNED: &[&str] = &[
    "From",
    "To",
    "Cc",
    "Subject",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
    "Reply-To",
    "Sender",
    "List-Id",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Content-Disposition",
    "Auto-Submitted",
];
/// Where the lines of the field are folded.
const FOLD: usize = 76;

/// Signs what the server sends.
pub struct Signer {
    key: SigningKey,
    domain: String,
    selector: String,
}

impl std::fmt::Debug for Signer {
    /// Omits the key.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Signer").field("domain", &self.domain).finish_non_exhaustive()
    }
}

impl Signer {
    /// The signer of a configuration; `None` when it names no key. The domain is that of the server's address.
    ///
    /// # Errors
    /// When the key cannot be used.
    pub fn from_config(config: &Config) -> Result<Option<Self>, KeyError> {
        let key = config.dkim.key.expose_secret();
        if key.is_empty() {
            return Ok(None);
        }
        let domain = config.server.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
        Ok(Some(Self {
            key: SigningKey::read(key)?,
            domain: domain.to_ascii_lowercase(),
            selector: config.dkim.selector.clone(),
        }))
    }

    /// The name at which verifiers look for the public key.
    pub fn record_name(&self) -> String {
        format!("{}._domainkey.{}", self.selector, self.domain)
    }

    /// The text of the TXT record there.
    pub fn record(&self) -> String {
        self.key.record()
    }

    /// Both as the line of a zone file.
    pub fn zone_line(&self) -> String {
        zone_line(&self.record_name(), &self.record())
    }

    /// The message with its signature on top. `date` is the time that the signature names.
    ///
    /// # Errors
    /// When signing fails, which it does not with a key that was read.
    pub fn sign(&self, message: &[u8], date: Millis) -> Result<Vec<u8>, KeyError> {
        let (fields, body) = split(message);
        let mut names: Vec<&str> = Vec::new();
        let mut data = Vec::new();
        for name in SIGNED {
            // From the last to the first: RFC 6376, section 5.4.2.
            for field in fields.iter().rev().filter(|field| field.is_named(name)) {
                field.write_relaxed(&mut data);
                names.push(name);
            }
            names.push(name);
        }
        let digest = BASE64.encode(&Sha256::digest(relaxed_body(body)));
        let mut signature = self.unsigned(date, &names, &digest);
        let unsigned = Field { name: b"DKIM-Signature", value: signature.as_bytes() };
        unsigned.write_relaxed(&mut data);
        // The field itself is signed without its line end.
        data.truncate(data.len().saturating_sub(2));
        let proof = BASE64.encode(&self.key.sign(&data)?);
        for line in proof.as_bytes().chunks(FOLD - 2) {
            let _ = write!(signature, "\r\n {}", String::from_utf8_lossy(line));
        }
        Ok([b"DKIM-Signature:", signature.as_bytes(), b"\r\n", message].concat())
    }

    /// The value of the field up to the place where the signature itself is put.
    fn unsigned(&self, date: Millis, names: &[&str], digest: &str) -> String {
        let seconds = date.0.div_euclid(1000).max(0);
        let mut value = format!(
            " v=1; a={}; c=relaxed/relaxed; d={};\r\n s={}; t={seconds};\r\n h=",
            self.key.algorithm(),
            self.domain,
            self.selector
        );
        let mut column = 3;
        for (index, name) in names.iter().enumerate() {
            let end = if index + 1 == names.len() { ';' } else { ':' };
            if column + name.len() + 1 > FOLD {
                value.push_str("\r\n ");
                column = 1;
            }
            column += name.len() + 1;
            value.push_str(name);
            value.push(end);
        }
        let _ = write!(value, "\r\n bh={digest};\r\n b=");
        value
    }
}

/// A header field as it stands in the message, without its last line end.
struct Field<'a> {
    name: &'a [u8],
    value: &'a [u8],
}

impl Field<'_> {
    fn is_named(&self, name: &str) -> bool {
        self.name.trim_ascii_end().eq_ignore_ascii_case(name.as_bytes())
    }

    /// RFC 6376, section 3.4.2: lower-case name, one line, single blanks, none at either end.
    fn write_relaxed(&self, out: &mut Vec<u8>) {
        out.extend(self.name.trim_ascii_end().to_ascii_lowercase());
        out.push(b':');
        let line: Vec<u8> =
            self.value.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
        write_single_blanked(line.trim_ascii(), out);
        out.extend(b"\r\n");
    }
}

/// Fields and body of a message whose lines end in CRLF.
fn split(message: &[u8]) -> (Vec<Field<'_>>, &[u8]) {
    let mut fields: Vec<&[u8]> = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(line) = message.get(at..).filter(|rest| !rest.is_empty()) {
        let length = line.windows(2).position(|pair| pair == b"\r\n").map_or(line.len(), |end| end + 2);
        let is_folded = line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        if !is_folded && at > start {
            fields.extend(message.get(start..at));
            start = at;
        }
        if line.starts_with(b"\r\n") {
            return (fields.into_iter().filter_map(field).collect(), line.get(2..).unwrap_or_default());
        }
        at += length;
    }
    fields.extend(message.get(start..).filter(|rest| !rest.is_empty()));
    (fields.into_iter().filter_map(field).collect(), &[])
}

fn field(bytes: &[u8]) -> Option<Field<'_>> {
    let colon = bytes.iter().position(|byte| *byte == b':')?;
    let (name, value) = bytes.split_at(colon);
    Some(Field { name, value: value.get(1..).unwrap_or_default() })
}

/// RFC 6376, section 3.4.4: single blanks, none before line ends, no empty lines at the end.
fn relaxed_body(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut empty = 0;
    let mut rest = body;
    while !rest.is_empty() {
        let end = rest.windows(2).position(|pair| pair == b"\r\n").unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        rest = after.get(2..).unwrap_or_default();
        let blanks = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let line = line.get(..line.len() - blanks).unwrap_or_default();
        if line.is_empty() {
            empty += 1;
            continue;
        }
        out.extend(b"\r\n".repeat(std::mem::take(&mut empty)));
        write_single_blanked(line, &mut out);
        out.extend(b"\r\n");
    }
    out
}

/// Every run of blanks as one.
fn write_single_blanked(line: &[u8], out: &mut Vec<u8>) {
    let mut after_blank = false;
    for byte in line {
        let is_blank = matches!(byte, b' ' | b'\t');
        if !is_blank {
            out.push(*byte);
        } else if !after_blank {
            out.push(b' ');
        }
        after_blank = is_blank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_reduced_as_the_standard_says() {
        // The example of RFC 6376, section 3.4.5.
        assert_eq!(relaxed_body(b" C \r\nD \t E\r\n\r\n\r\n"), b" C\r\nD E\r\n");
        assert_eq!(relaxed_body(b""), b"");
        assert_eq!(relaxed_body(b"\r\n \r\n"), b"");
        assert_eq!(relaxed_body(b"a\r\n\r\n \t\r\nb"), b"a\r\n\r\n\r\nb\r\n");
    }

    #[test]
    fn headers_are_reduced_as_the_standard_says() {
        let (fields, body) = split(b"A: X\r\nB : Y\t\r\n\tZ  \r\n\r\n C \r\n");
        let mut out = Vec::new();
        for field in &fields {
            field.write_relaxed(&mut out);
        }
        assert_eq!((out.as_slice(), body), (&b"a:X\r\nb:Y Z\r\n"[..], &b" C \r\n"[..]));
        let (fields, body) = split(b"A: X\r\nB: Y");
        assert_eq!((fields.len(), body), (2, &b""[..]));
    }

    #[test]
    fn long_records_are_split_into_strings() {
        let line = zone_line("s._domainkey.x.example", &"k".repeat(300));
        assert_eq!(
            line,
            format!("s._domainkey.x.example. IN TXT ( \"{}\" \"{}\" )", "k".repeat(255), "k".repeat(45))
        );
    }
}
