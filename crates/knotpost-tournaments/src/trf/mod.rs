//! Tournament report files: TRF16 with its usual extensions, and TRF26.

mod read;

pub use read::{TrfError, read_trf};
