//! Enums of words.

/// Declares enums, each variant with the word by which it is stored and shown.
#[macro_export]
macro_rules! words {
    ($($(#[$meta:meta])* $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal),* $(,)?
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant),* }

        impl $name {
            /// In the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }

            /// Encodes a list.
            pub fn join(list: &[Self]) -> String {
                list.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(",")
            }

            /// Decodes [`Self::join`]; unknown words are left out.
            pub fn split(words: &str) -> Vec<Self> {
                words.split(',').filter_map(Self::from_word).collect()
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(word: String) -> Result<Self, String> {
                Self::from_word(&word).ok_or_else(|| format!("unknown word `{word}`"))
            }
        }
    )*};
}
