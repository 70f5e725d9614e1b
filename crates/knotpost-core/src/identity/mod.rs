//! Accounts: passwords, sessions, API keys, addresses, webhooks, and the rates at which requests are taken.

pub(crate) mod authentication;
pub(crate) mod bearer;
pub(crate) mod browsers;
pub(crate) mod buckets;
pub(crate) mod confirming;
pub(crate) mod credentials;
pub(crate) mod feed_keys;
pub(crate) mod habits;
pub(crate) mod hashing;
pub(crate) mod limits;
pub(crate) mod origin;
pub(crate) mod passkeys;
pub(crate) mod presence;
pub(crate) mod profiles;
pub(crate) mod resets;
pub(crate) mod server_key;
pub(crate) mod sessions;
pub(crate) mod strangers;
pub(crate) mod tokens;
pub(crate) mod undoing;
pub(crate) mod webhook_settings;

pub use authentication::whose_password;
pub use bearer::{Bearer, Scope};
pub use browsers::{BrowserView, BrowserWish, MOST_BROWSERS, add_browser, view_browsers};
pub use confirming::{Asked, ask_again, too_old as confirmation_too_old};
pub use credentials::{Credentials, HashError, Login, Try};
pub use feed_keys::{FeedKey, FeedReader, end_feed_key, find_feed_reader, renew_feed_key, view_feed_key};
pub use habits::{Habits, Outcome};
pub use limits::{Limited, Limits};
pub use origin::{Origin, Proof, ProvenUser, gave_password_lately};
pub use passkeys::{
    LoginQuestion, PasskeyAnswer, PasskeyView, PasskeyWish, add_passkey, ask_for_passkey, ask_to_log_in,
    log_in_by_passkey, offers_passkeys, remove_passkey, rename_passkey, view_passkeys,
};
pub use profiles::{
    GameRating, ListedPlayer, Manner, PlayerPage, Profile, view_manner, view_players, view_profile,
};
pub use resets::{set_password_by_link, view_reset};
pub use server_key::{KeyError, KeyUse, adopt_key, check_key, compare_key, reseal_webhooks, view_key_use};
pub use sessions::{
    RECENT_MS, SESSION_MS, SessionView, Visitor, ask_for_link, find_visitor, give_password, log_in,
    log_in_by_link, log_out, log_out_everywhere, view_link, view_sessions,
};
pub use strangers::{Strangers, is_welcome, view_stranger_policy};
pub use tokens::{
    FreshToken, LONGEST_NAME as LONGEST_TOKEN_NAME, MOST_DAYS as MOST_TOKEN_DAYS, TokenView, TokenWish,
    USUAL_DAYS, create_token, find_bearer, revoke_token, view_tokens,
};
pub use undoing::{NotUndone, UndoLink, undo_address_change, view_address_change};
pub use webhook_settings::{
    FreshHook, HookView, HookWish, MOST_WEBHOOKS, create_webhook, remove_webhook, renew_webhook_secret,
    start_webhook, test_webhook, view_webhooks,
};
