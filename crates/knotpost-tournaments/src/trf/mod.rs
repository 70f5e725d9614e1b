//! Tournament report files: TRF16 with its usual extensions, and TRF26.

mod read;
mod write;

pub use read::{TrfError, read_trf};
pub use write::write_trf;
