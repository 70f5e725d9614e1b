//! Obsidio: rule cases, boards, an independent slow model, whole games, numbers of move sequences.

mod boards;
mod cases;
mod notation;
mod perft;
mod random;
mod slow;
mod transcripts;
