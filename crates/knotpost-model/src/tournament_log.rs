//! Words of a tournament's log, and of how players leave.

use crate::words;

words! {
    /// An event of a tournament.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "snake_case")]
    TournamentAction {
        /// It was announced.
        Announce = "announce",
        /// It takes entries as the repetition of another one.
        Repeat = "repeat",
        /// Its start was put off: too few had entered.
        PutOff = "put_off",
        /// It began, or its next stage did.
        Start = "start",
        /// A player came to a ladder.
        Enter = "enter",
        /// A challenger won, and took the place of the challenged.
        Climb = "climb",
        /// All boards of the round have begun.
        Opened = "opened",
        /// The deadline is near.
        Remind = "remind",
        /// The director gave the round more time.
        Extend = "extend",
        /// The director let a user enter.
        Admit = "admit",
        /// The director took a player out.
        Expel = "expel",
        /// The director decided a board.
        Award = "award",
        /// The director wrote to all players.
        Say = "say",
        /// Another one directs from now on.
        Hand = "hand",
        /// It was cancelled.
        Cancel = "cancel",
        /// A player left, or was taken out by the server.
        Out = "out",
        /// A board was removed or could not be read, and counts as a tie.
        Removed = "removed",
        /// A season of a league is over.
        SeasonOver = "season_over",
        /// It is over.
        Over = "over",
    }

    /// Reason for which a player is out of a tournament.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    LeaveReason {
        /// They withdrew.
        Withdrew = "withdrew",
        /// They lost on time: twice, or without ever having moved.
        Time = "time",
        /// They lost a game of a ladder on time.
        Late = "late",
        /// The director took them out.
        Expelled = "expelled",
        /// Their account was suspended.
        Suspended = "suspended",
        /// They left the server.
        Deleted = "deleted",
    }
}

impl LeaveReason {
    /// A sentence about a player.
    pub fn about(self, userid: &str) -> String {
        match self {
            Self::Withdrew => format!("{userid} has withdrawn from the tournament."),
            Self::Time => format!("{userid} has lost on time and is out of the tournament."),
            Self::Late => format!("{userid} has lost a game on time and is off the ladder."),
            Self::Expelled => format!("The director has taken {userid} out of the tournament."),
            Self::Suspended => {
                format!("The account of {userid} is suspended; {userid} is out of the tournament.")
            }
            Self::Deleted => format!("{userid} has left the server."),
        }
    }
}
