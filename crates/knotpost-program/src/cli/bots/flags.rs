//! The flags that computer players add to those of `knotpost play`.

use crate::cli::play::request::RequestError;

pub(super) struct Words(pub(super) Vec<String>);

const OTHERS: [&str; 8] =
    ["--legal", "--interactive", "--help-rules", "--verify-dice", "--svg", "--png", "--layout", "--record"];

impl Words {
    pub(super) fn of(words: &[String], command: &'static str) -> Result<Self, RequestError> {
        let is_flag = |flag: &&&str| words.iter().any(|word| word.split('=').next() == Some(**flag));
        match OTHERS.iter().find(is_flag) {
            Some(flag) if !(*flag == "--record" && command == "think") => {
                Err(RequestError::OtherCommand { flag, command })
            }
            _ => Ok(Self(words.to_vec())),
        }
    }

    /// Takes out a flag with a value; the last one counts.
    pub(super) fn take(&mut self, flag: &'static str) -> Result<Option<String>, RequestError> {
        let mut taken = None;
        while let Some(at) = self.0.iter().position(|word| word.split('=').next() == Some(flag)) {
            let word = self.0.remove(at);
            let value = match word.split_once('=') {
                Some((_, value)) => Some(value.to_owned()),
                None => (at < self.0.len()).then(|| self.0.remove(at)),
            };
            taken = Some(value.ok_or(RequestError::NeedsValue(flag))?);
        }
        Ok(taken)
    }

    pub(super) fn take_number(
        &mut self,
        flag: &'static str,
        least: u64,
    ) -> Result<Option<u64>, RequestError> {
        let Some(text) = self.take(flag)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number| *number >= least);
        number.map(Some).ok_or(RequestError::Number(flag, least))
    }
}
