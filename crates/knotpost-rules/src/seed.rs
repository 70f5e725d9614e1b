//! The seed from which a board draws whatever chance it needs. Where seeds come from is not known here.

use std::{fmt, str::FromStr};

/// 32 bytes of chance, fixed when the board begins; printed as 64 hexadecimal digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Seed(pub [u8; 32]);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Seeds stay secret while a board is played, so debug output hides them.
impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

/// A text is not a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seed is 64 hexadecimal digits")]
pub struct ParseSeedError;

impl FromStr for Seed {
    type Err = ParseSeedError;

    fn from_str(text: &str) -> Result<Self, ParseSeedError> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut seed = Self::default();
        if pairs.len() != seed.0.len() || !rest.is_empty() {
            return Err(ParseSeedError);
        }
        for (byte, &[high, low]) in seed.0.iter_mut().zip(pairs) {
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Ok(seed)
    }
}

fn digit(byte: u8) -> Result<u8, ParseSeedError> {
    char::from(byte).to_digit(16).map(|digit| digit as u8).ok_or(ParseSeedError)
}
