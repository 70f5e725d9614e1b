//! The verbs about accounts: signing up, addresses, passwords, preferences, vacations.

pub(super) mod add;
pub(super) mod addresses;
pub(super) mod change_address;
pub(super) mod change_password;
pub(super) mod delete;
pub(super) mod password_reset;
pub(super) mod set;
pub(super) mod signoff;
pub(super) mod signup;
pub(super) mod vacation;
