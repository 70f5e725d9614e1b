//! How a reader wants their boards set. A wish about looks never changes what is said.

use knotpost_rules::Layout;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::replies::letter::MailForm;
use knotpost_model::{Millis, Zone};

/// A reader's wishes about looks. Stored with each board mail, so that a mail says the same however late it
/// is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Style {
    /// How the board is laid out.
    #[serde(default, skip_serializing_if = "is_standard")]
    #[serde(serialize_with = "write_layout", deserialize_with = "read_layout")]
    pub layout: Layout,
    /// Name of the time zone in which times are shown; `None`: UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Which forms of a mail are wanted.
    #[serde(default, skip_serializing_if = "MailForm::is_default")]
    pub form: MailForm,
    /// Whether all mails about a board have one Subject.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed_subject: bool,
}

impl Style {
    /// Whether nothing is wanted otherwise.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// A moment as the reader's clock shows it.
    pub fn show_time(&self, at: Millis) -> String {
        let zone = self.zone.as_deref().and_then(Zone::named);
        zone.map_or_else(|| at.to_readable(), |zone| zone.show(at))
    }

    /// Takes over one wish; names that are not about looks change nothing.
    pub(crate) fn take(&mut self, name: &str, value: &str) {
        match name {
            "board" => self.layout = value.parse().unwrap_or_default(),
            "subject" => self.fixed_subject = value == "fixed",
            "mail" => self.form = MailForm::of_wish(value),
            "timezone" => self.zone = Some(value.to_owned()),
            _ => {}
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde calls")]
fn is_standard(layout: &Layout) -> bool {
    *layout == Layout::Standard
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde calls")]
fn write_layout<S: Serializer>(layout: &Layout, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(layout.as_str())
}

/// A word of a later version stands for the standard.
fn read_layout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Layout, D::Error> {
    Ok(String::deserialize(deserializer)?.parse().unwrap_or_default())
}
