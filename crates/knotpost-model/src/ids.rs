//! Keys of stored rows, one type each so that they cannot be mixed up.

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl From<i64> for $name {
            fn from(key: i64) -> Self {
                Self(key)
            }
        }

        impl From<$name> for i64 {
            fn from(key: $name) -> Self {
                key.0
            }
        }
    )*};
}

keys! {
    UserKey,
    BoardKey,
    RemarkKey,
    InboxKey,
    OutboxKey,
}
