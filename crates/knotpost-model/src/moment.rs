//! A point in time as programs read it.

use schemars::JsonSchema;
use serde::Serialize;

use super::Millis;

/// RFC 3339 in UTC, to the second.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("format" = "date-time"))]
pub struct Moment(String);

impl From<Millis> for Moment {
    fn from(at: Millis) -> Self {
        Self(at.to_rfc3339())
    }
}

/// Unix milliseconds, as rows hold them.
impl From<i64> for Moment {
    fn from(millis: i64) -> Self {
        Millis(millis).into()
    }
}
