//! What the server needs of the machine it runs on: time, randomness, private files, secret keys and counted
//! connections. Nothing here knows games, mail or storage.

pub mod clock;
pub mod connections;
pub mod files;
pub mod secret;
