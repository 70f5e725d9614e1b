//! The words in which a verb says what it demands and what it spends. Who is asked and what is left is known elsewhere.

use super::Rate;

/// What a command demands of its sender, and what it spends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) demand: Demand,
    pub(crate) spends: Spends,
}

/// What a user who is logged in must show beside, so that a browser found open does not give an account away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    Nothing,
    /// The password, now or a moment ago.
    Lately,
    /// The password, with the command itself.
    Typed,
}

/// The rate of which a command takes a share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spends {
    /// None.
    Nothing,
    Share(Rate),
    /// This one, counted for a name as well.
    ShareAbout(Rate, String),
    /// This one, where the user is known. Without the right password nothing is sent; the tries are counted elsewhere.
    ShareOfUser(Rate),
    /// The same, counted for the user at one place as well.
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
