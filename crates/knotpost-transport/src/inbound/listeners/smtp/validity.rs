//! Expiry of a certificate (RFC 5280, section 4.1); of its DER only the fields up to there are read.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use knotpost_model::Millis;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// `None` if this is no certificate.
pub(super) fn end_of(der: &[u8]) -> Option<Millis> {
    let (_, certificate, _) = value(der)?;
    let (SEQUENCE, mut rest, _) = value(certificate)? else { return None };
    if *rest.first()? == VERSION {
        rest = value(rest)?.2;
    }
    // Serial number, algorithm, issuer.
    for _ in 0..3 {
        rest = value(rest)?.2;
    }
    let (SEQUENCE, validity, _) = value(rest)? else { return None };
    let (_, _, end) = value(validity)?;
    let (tag, time, _) = value(end)?;
    let time = std::str::from_utf8(time).ok()?;
    let time = match tag {
        // Section 4.1.2.5.1: years from 50 are of the last century.
        UTC_TIME if time.get(..2)? < "50" => format!("20{time}"),
        UTC_TIME => format!("19{time}"),
        GENERALIZED_TIME => time.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%SZ", &time).ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(Millis(time.timestamp().as_millisecond()))
}

fn value(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        length if *length < 0x80 => (usize::from(*length), rest),
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
        [&[tag, 0x82, (content.len() >> 8) as u8, content.len() as u8], content].concat()
    }

    fn certificate(version: bool, end: &[u8]) -> Vec<u8> {
        let mut inner = if version { tagged(VERSION, &[2, 1, 2]) } else { Vec::new() };
        for part in [tagged(2, &[7]), tagged(SEQUENCE, &[]), tagged(SEQUENCE, &[])] {
            inner.extend(part);
        }
        let start = tagged(UTC_TIME, b"200101000000Z");
        inner.extend(tagged(SEQUENCE, &[start, end.to_vec()].concat()));
        tagged(SEQUENCE, &tagged(SEQUENCE, &inner))
    }

    #[test]
    fn the_end_is_read_in_both_forms() {
        let short = tagged(UTC_TIME, b"261125120000Z");
        let long = tagged(GENERALIZED_TIME, b"20261125120000Z");
        for der in [certificate(true, &short), certificate(false, &short), certificate(true, &long)] {
            assert_eq!(end_of(&der), Some(Millis(1_795_608_000_000)));
        }
        let der = certificate(true, &short);
        assert!((0..der.len()).all(|length| end_of(&der[..length]).is_none()), "a part is none");
    }
}
