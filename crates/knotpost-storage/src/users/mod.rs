//! Users: addresses, sessions, keys, settings, and facts for their mails.

mod accounts;
mod address_changes;
mod addresses;
mod api_tokens;
mod guarding;
mod habits;
mod passkeys;
mod preferences;
mod presence;
mod readers;
mod relations;
mod resets;
mod sessions;
mod user_games;
mod vacations;

pub use accounts::NewUser;
pub use address_changes::AddressChange;
pub use addresses::{AddressRow, ConfirmationShare};
pub use api_tokens::{NewToken, TokenRow};
pub use habits::{ListedUserRow, ResultRow};
pub use passkeys::{NewPasskey, PasskeyRow};
pub use preferences::{ALL_GAMES, PreferenceRow};
pub use presence::PresenceRow;
pub use sessions::SessionRow;
pub use vacations::VacationRow;
