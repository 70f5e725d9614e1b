//! Syntax of mail addresses.

use super::Args;
use crate::error::{ErrorCode, ParseError};

/// Addresses after userid and password, without surrounding brackets and commas, and without duplicates.
pub(crate) fn read_addresses(args: &Args<'_>) -> Result<Vec<String>, ParseError> {
    let addresses = args.texts(2).map(|word| {
        let address = word.trim_matches(|c: char| matches!(c, '<' | '>' | ',' | ';'));
        if is_address(address) {
            Ok(address.to_owned())
        } else {
            let message = format!("`{}` is not a mail address", args.show(word));
            Err(args.fail(ErrorCode::BadValue, message))
        }
    });
    args.names(addresses.collect::<Result<_, _>>()?, "addresses")
}

/// True for the outer shape of a mail address.
pub(crate) fn is_address(word: &str) -> bool {
    let Some((local, domain)) = word.rsplit_once('@') else { return false };
    let allowed =
        |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>' | ',' | ';' | ':');
    word.len() <= 254
        && !local.is_empty()
        && !local.contains('@')
        && !domain.is_empty()
        && word.chars().all(allowed)
        && domain.split('.').all(|label| !label.is_empty())
}
