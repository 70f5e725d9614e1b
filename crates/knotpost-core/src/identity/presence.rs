//! Absence of users: gone, suspended, on vacation, or not reached by notifications.

use crate::config::Config;
use knotpost_platform::clock::Clock;
use std::collections::HashMap;

use knotpost_model::{Millis, UserKey};
use knotpost_storage::{PresenceRow, ReadTx, StoreError, UserState};

/// A visit to the pages within this time counts as being reached.
const SEEN_MS: i64 = 7 * 86_400_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    Gone,
    Suspended,
    Away(Millis),
    Unreached,
    Untold,
}

impl Absence {
    pub(crate) fn about(self, userid: &str) -> String {
        match self {
            Self::Gone => format!("{userid} has left the server."),
            Self::Suspended => format!("The account of {userid} is suspended."),
            Self::Away(until) => format!("{userid} is on vacation until {}.", until.to_readable()),
            Self::Unreached => format!("Mail to {userid} comes back."),
            Self::Untold => {
                format!(
                    "{userid} cannot be reached: no mail arrives, and they have not looked in for a week."
                )
            }
        }
    }

    pub(crate) fn about_own_seek(self) -> Option<String> {
        match self {
            Self::Away(until) => Some(format!(
                "It rests while you are on vacation, until {}, and goes on then.",
                until.to_readable()
            )),
            Self::Untold => Some(
                "It rests, since you could not be told of a board: confirm a mail address, or log in on the web once a \
                 week, and it goes on."
                    .to_owned(),
            ),
            Self::Gone | Self::Suspended | Self::Unreached => None,
        }
    }

    fn in_short(self) -> String {
        match self {
            Self::Gone => "gone".to_owned(),
            Self::Suspended => "suspended".to_owned(),
            Self::Away(until) => {
                format!("away until {}", until.to_readable().split(' ').next().unwrap_or_default())
            }
            Self::Unreached => "mail comes back".to_owned(),
            Self::Untold => "not reached".to_owned(),
        }
    }

    /// True if it suspends the user's search.
    pub(crate) fn rests(self) -> bool {
        self != Self::Unreached
    }
}

/// Gravest first.
pub(crate) fn absences_of(row: &PresenceRow, now: Millis) -> Vec<Absence> {
    match row.state {
        UserState::Deleted => return vec![Absence::Gone],
        UserState::Suspended => return vec![Absence::Suspended],
        UserState::Active => {}
    }
    let mut found = Vec::new();
    found.extend(row.away_until.map(Millis).filter(|until| *until > now).map(Absence::Away));
    let is_program = row.role == "bot" || row.role == knotpost_storage::PROGRAM;
    if !row.takes_mail && !is_program {
        let is_told = row.has_webhook || row.seen_at.is_some_and(|seen| now.0 - seen < SEEN_MS);
        match (is_told, row.has_address) {
            (true, true) => found.push(Absence::Unreached),
            (true, false) => {}
            (false, _) => found.push(Absence::Untold),
        }
    }
    found
}

/// Absences per user; users without any are left out.
pub(crate) async fn absences(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    config: &Config,
    users: &[UserKey],
) -> Result<HashMap<UserKey, Vec<Absence>>, StoreError> {
    let (now, confirmed_only) = (clock.now(), config.confirms_addresses());
    let rows = tx.presence(users, confirmed_only).await?;
    let found = rows.iter().map(|row| (row.user_id, absences_of(row, now)));
    Ok(found.filter(|(_, absences)| !absences.is_empty()).collect())
}

/// Reason for which the user's search is suspended.
pub(crate) async fn find_rest(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    config: &Config,
    user: UserKey,
) -> Result<Option<Absence>, StoreError> {
    let found = absences(tx, clock, config, &[user]).await?.remove(&user).unwrap_or_default();
    Ok(found.into_iter().find(|absence| absence.rests()))
}

/// Suffix such as `, away until 2026-12-01`; empty for present users.
pub(crate) fn in_short(absences: Option<&Vec<Absence>>) -> String {
    absences.into_iter().flatten().flat_map(|absence| [", ".to_owned(), absence.in_short()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(100 * 86_400_000);

    fn there() -> PresenceRow {
        PresenceRow {
            user_id: UserKey(1),
            userid: "bob".to_owned(),
            role: "player".to_owned(),
            state: UserState::Active,
            away_until: None,
            has_address: true,
            takes_mail: true,
            has_webhook: false,
            seen_at: None,
        }
    }

    #[test]
    fn every_state_of_a_user_has_a_word() {
        let day = 86_400_000;
        let soon = NOW.plus(day);
        let stopped = || PresenceRow { takes_mail: false, ..there() };
        let cases = [
            (there(), vec![], false),
            (PresenceRow { state: UserState::Deleted, ..stopped() }, vec![Absence::Gone], true),
            (PresenceRow { state: UserState::Suspended, ..there() }, vec![Absence::Suspended], true),
            (PresenceRow { away_until: Some(soon.0), ..there() }, vec![Absence::Away(soon)], true),
            (PresenceRow { away_until: Some(NOW.0), ..there() }, vec![], false),
            (stopped(), vec![Absence::Untold], true),
            (PresenceRow { has_webhook: true, ..stopped() }, vec![Absence::Unreached], false),
            (PresenceRow { seen_at: Some(NOW.0 - 6 * day), ..stopped() }, vec![Absence::Unreached], false),
            (PresenceRow { seen_at: Some(NOW.0 - 7 * day), ..stopped() }, vec![Absence::Untold], true),
            (PresenceRow { has_address: false, seen_at: Some(NOW.0), ..stopped() }, vec![], false),
            (PresenceRow { has_address: false, ..stopped() }, vec![Absence::Untold], true),
            (PresenceRow { role: "program".to_owned(), ..stopped() }, vec![], false),
            (
                PresenceRow { away_until: Some(soon.0), ..stopped() },
                vec![Absence::Away(soon), Absence::Untold],
                true,
            ),
        ];
        for (row, expected, rests) in cases {
            let found = absences_of(&row, NOW);
            assert_eq!(found, expected, "{row:?}");
            assert_eq!(found.iter().any(|absence| absence.rests()), rests, "{row:?}");
            assert!(found.iter().all(|absence| absence.about("bob").contains("bob")), "{row:?}");
        }
    }
}
