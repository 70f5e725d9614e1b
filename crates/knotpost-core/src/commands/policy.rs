//! Vocabulary of a verb's requirements: authentication and rate. Checked elsewhere.

use super::Rate;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) demand: Demand,
    pub(crate) spends: Spends,
}

/// Reauthentication of a logged-in user, so that an unattended browser does not give the account away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    Nothing,
    /// A recent password.
    Lately,
    /// The password with the command itself.
    Typed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spends {
    Nothing,
    Share(Rate),
    /// Counted for a name as well.
    ShareAbout(Rate, String),
    /// Charged for known users only. Without the right password nothing happens, and tries are counted
    /// elsewhere.
    ShareOfUser(Rate),
    /// As `ShareOfUser`, counted per user and place as well.
    ShareOfUserAt(Rate, String),
}

impl Policy {
    pub(super) const FREE: Self = Self { demand: Demand::Nothing, spends: Spends::Nothing };

    pub(super) fn demands(demand: Demand) -> Self {
        Self { demand, ..Self::FREE }
    }

    pub(super) fn spends(spends: Spends) -> Self {
        Self { spends, ..Self::FREE }
    }
}
