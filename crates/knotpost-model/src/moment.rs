//! Timestamps in the form for programs.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::Millis;

/// RFC 3339 in UTC, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("format" = "date-time"))]
pub struct Moment(#[schemars(with = "String")] Millis);

impl Deref for Moment {
    type Target = Millis;

    fn deref(&self) -> &Millis {
        &self.0
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339())
    }
}

impl From<Millis> for Moment {
    fn from(at: Millis) -> Self {
        Self(at)
    }
}

impl From<i64> for Moment {
    fn from(millis: i64) -> Self {
        Self(Millis(millis))
    }
}
