//! Boxilies: rule cases, deals, boards, whole games, and a slow judge that agrees.

mod boards;
mod cases;
mod deals;
mod games;
mod slow;
mod texts;
