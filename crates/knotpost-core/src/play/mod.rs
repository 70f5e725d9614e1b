//! Actions of players on boards: challenges, moves, proposals, resignations, and the consequences of a turn.

pub(crate) mod account_deletion;
pub(crate) mod after_turn;
pub(crate) mod boards;
pub(crate) mod challenge;
pub mod computer;
pub mod computer_turns;
pub(crate) mod invitations;
pub(crate) mod joining;
pub(crate) mod keeping;
pub(crate) mod legal_list;
pub(crate) mod meetings;
pub(crate) mod moves;
pub(crate) mod notifications;
pub(crate) mod opponents;
pub(crate) mod own_notes;
pub(crate) mod preferences;
pub(crate) mod proposals;
pub(crate) mod queries;
pub(crate) mod queue;
pub(crate) mod resignation;
pub(crate) mod stand_in;
pub(crate) mod substitution;
pub(crate) mod tournament_boards;
pub(crate) mod waiting_boards;

pub use invitations::{
    INVITATION_DAYS, Invitation, InvitationWish, accept_invitation, make_invitation, view_invitation,
    view_own_invitations, withdraw_invitation,
};
pub use joining::{Confirmed, confirm_by_link};
pub use keeping::{Practice, keep_practice};
pub use own_notes::{LONGEST_NOTE, OwnNote, view_own_note, write_own_note};
pub use preferences::{PreferenceLine, set_favourite, view_favourites};
