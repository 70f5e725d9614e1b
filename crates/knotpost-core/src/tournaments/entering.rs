//! Entering a tournament, and withdrawing from it.

use super::ladder;
use super::league;
use super::reading::{find_tournament, read_terms, show};
use super::view::{TournamentView, takes_entries};
use crate::boards::{Code, Refusal, ServiceError};
use crate::config::Config;
use crate::mailing::post::registered_addresses;
use knotpost_model::{
    LeaveReason, Millis, PlayerState, TournamentAction, TournamentForm, TournamentName, TournamentState,
    TournamentTerms,
};
use knotpost_storage::{EntryRow, StoreError, TournamentRow, UserRow, WriteTx};

const DAY_MS: i64 = 86_400_000;
/// Time for which nobody enters who lost on time.
const BAR_MS: i64 = 30 * DAY_MS;
/// The same after a second time within this time.
const LONG_BAR_MS: i64 = 90 * DAY_MS;

/// Enters a user, who plays from the start on. Entered already: the same answer, and nothing changes.
pub async fn enter(
    tx: &mut WriteTx,
    config: &Config,
    user: &UserRow,
    name: TournamentName,
    now: Millis,
) -> Result<TournamentView, ServiceError> {
    let mut row = find_tournament(tx, name).await?;
    let state = tx.player_state(name, user.id).await?;
    if state == Some(PlayerState::In) && row.state != TournamentState::Cancelled {
        return Ok(show(tx, row, None).await?);
    }
    let terms = read_terms(&row)?;
    check_open(&row, &terms)?;
    check_user(tx, config, user, &row, &terms, now).await?;
    check_numbers(tx, config, user, &row, &terms).await?;
    match state {
        Some(_) if row.state == TournamentState::Open => {
            tx.set_entered(name, user.id, PlayerState::In, now).await?;
        }
        // Whoever comes back to one that is played begins again, and earlier games stay with the entry they left.
        _ => {
            let entry = tx.insert_player(name, user.id, now).await?;
            if row.form == TournamentForm::Ladder {
                ladder::enter(tx, name, (entry, user.id), now).await?;
            }
        }
    }
    row.entered += 1;
    if row.state == TournamentState::Open && row.entered >= i64::from(terms.maximum) {
        row.due_at = Some(now);
        tx.update_tournament(&row).await?;
    }
    Ok(show(tx, row, None).await?)
}

fn check_open(row: &TournamentRow, terms: &TournamentTerms) -> Result<(), Refusal> {
    let name = row.id;
    let message = match row.state {
        state if takes_entries(row.form, state) => {
            if row.entered < i64::from(terms.maximum) {
                return Ok(());
            }
            format!("{name} is full: {} players have entered, and {} can", row.entered, terms.maximum)
        }
        TournamentState::Open | TournamentState::Running => {
            format!("{name} has begun, and takes no more entries")
        }
        TournamentState::Over => format!("{name} is over"),
        TournamentState::Cancelled => format!("{name} was cancelled"),
    };
    let refusal = Refusal::new(Code::Conflict, message);
    Err(match row.next_id {
        Some(next) => refusal.hint(format!("{next} has the same terms and takes entries.")),
        None => refusal.hint("`tournaments open` lists those that take entries."),
    })
}

/// Checks that this user may play here at all.
async fn check_user(
    tx: &mut WriteTx,
    config: &Config,
    user: &UserRow,
    row: &TournamentRow,
    terms: &TournamentTerms,
    now: Millis,
) -> Result<(), ServiceError> {
    let name = row.id;
    let refuse = |message: String| Refusal::new(Code::NotAllowed, message);
    if !config.tournaments.enabled {
        return Err(refuse("no tournaments are played on this server".to_owned()).into());
    }
    if user.is_bot() {
        return Err(refuse("programs play in no tournament".to_owned())
            .hint("The program's owner can, from an account of their own.")
            .into());
    }
    if registered_addresses(tx, config, user.id).await?.is_empty() {
        return Err(refuse("who plays in a tournament needs a confirmed address of mail".to_owned())
            .hint("`add USERID PASSWORD ADDRESS` asks at an address whether it is yours; reply `confirm` there.")
            .into());
    }
    if tx.shares_address(name, user.id, config.confirms_addresses()).await? {
        return Err(refuse(format!(
            "one of those who entered {name} shares an address with you; one person plays once"
        ))
        .hint("With addresses that are yours alone you can enter: `change address USERID PASSWORD ADDRESS` names them anew.")
        .into());
    }
    match tx.last_word_on(name, user.id).await? {
        Some(TournamentAction::Admit) => {}
        Some(_) => {
            return Err(refuse(format!("the director took you out of {name}"))
                .hint("`direct … admit` of the director lets you in again.")
                .into());
        }
        None if terms.closed => {
            let director = row.director.as_deref().unwrap_or("an administrator");
            return Err(refuse(format!("{name} is closed: only users whom its director admitted may enter"))
                .hint(format!("The director is {director}."))
                .into());
        }
        None => {}
    }
    if let Some(until) = barred_until(&tx.time_outs(user.id).await?).filter(|until| *until > now) {
        return Err(refuse(format!(
            "you lost on time in a tournament, and can enter another one from {} on",
            until.to_readable()
        ))
        .into());
    }
    Ok(())
}

/// The end of the time in which somebody enters nothing; `outs` are the latest two times at which they lost on time, the
/// latest first.
pub(super) fn barred_until(outs: &[Millis]) -> Option<Millis> {
    let (last, earlier) = (*outs.first()?, outs.get(1));
    let is_again = earlier.is_some_and(|earlier| last.0 - earlier.0 < LONG_BAR_MS);
    Some(last.plus(if is_again { LONG_BAR_MS } else { BAR_MS }))
}

/// Boards that an entry can bring at once.
fn most_boards(form: TournamentForm, terms: &TournamentTerms) -> i64 {
    let opponents = match form {
        TournamentForm::RoundRobin => i64::from(terms.group.min(terms.maximum)) - 1,
        TournamentForm::League => i64::from(terms.group.min(terms.maximum)) - 1 + league::MOST_MORE,
        TournamentForm::Swiss => 1,
        TournamentForm::Ladder => ladder::MOST_OPPONENTS,
    };
    opponents * i64::from(terms.games)
}

/// Checks the numbers of entries and of boards that these can bring.
async fn check_numbers(
    tx: &mut WriteTx,
    config: &Config,
    user: &UserRow,
    row: &TournamentRow,
    terms: &TournamentTerms,
) -> Result<(), ServiceError> {
    let name = row.id;
    let settings = &config.tournaments;
    let entries = tx.entries_of(user.id).await?;
    let (count, most) = (entries.len() as i64, i64::from(settings.entries_per_user));
    if count >= most {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("you are in {count} tournaments that are not over; a user can be in {most} at once"),
        )
        .hint("When one of them is over, or after `withdraw`, the same mail enters you here.")
        .into());
    }
    let mut boards = most_boards(row.form, terms);
    for entry in &entries {
        boards += boards_of(entry)?;
    }
    let most = i64::from(settings.boards_per_user);
    if boards > most {
        return Err(Refusal::new(
            Code::NotAllowed,
            format!("with {name} you could have {boards} boards of tournaments at once; a user can have {most}"),
        )
        .hint("When boards have ended, or after `withdraw` from another tournament, the same mail enters you here.")
        .into());
    }
    Ok(())
}

fn boards_of(entry: &EntryRow) -> Result<i64, StoreError> {
    // On ladders and in leagues others begin as these end.
    let goes_on = matches!(entry.form, TournamentForm::Ladder | TournamentForm::League);
    if entry.state == TournamentState::Running && !goes_on {
        return Ok(entry.open_boards);
    }
    let terms: TournamentTerms = serde_json::from_str(&entry.terms)
        .map_err(|error| StoreError::Corrupt(format!("the terms of {}: {error}", entry.id)))?;
    Ok(most_boards(entry.form, &terms))
}

/// Takes a user out at their own wish. Out already: the same answer, and nothing changes.
pub async fn withdraw(
    tx: &mut WriteTx,
    user: &UserRow,
    name: TournamentName,
    now: Millis,
) -> Result<TournamentView, ServiceError> {
    let row = find_tournament(tx, name).await?;
    match (tx.player_state(name, user.id).await?, row.state) {
        (None, _) => {
            return Err(Refusal::new(Code::Conflict, format!("you have not entered {name}"))
                .hint("`tournaments` lists those that take entries or are played.")
                .into());
        }
        (Some(PlayerState::Withdrawn), _) => {}
        (Some(PlayerState::In), TournamentState::Open) => {
            tx.set_entered(name, user.id, PlayerState::Withdrawn, now).await?;
        }
        (Some(PlayerState::In), TournamentState::Running) => {
            tx.withdraw_player(name, user.id, LeaveReason::Withdrew, now).await?;
        }
        (Some(PlayerState::In), TournamentState::Over | TournamentState::Cancelled) => {
            let what = if row.state == TournamentState::Over { "is over" } else { "was cancelled" };
            return Err(Refusal::new(Code::Conflict, format!("{name} {what}"))
                .hint("`tournaments` lists those that take entries or are played.")
                .into());
        }
    }
    let row = find_tournament(tx, name).await?;
    Ok(show(tx, row, None).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_lost_on_time_enters_nothing_for_a_month_and_again_for_three() {
        let days =
            |numbers: &[i64]| -> Vec<Millis> { numbers.iter().map(|day| Millis(day * DAY_MS)).collect() };
        for (outs, until) in [
            (days(&[]), None),
            (days(&[100]), Some(130)),
            (days(&[100, 11]), Some(190)),
            (days(&[100, 10]), Some(130)),
        ] {
            assert_eq!(barred_until(&outs), until.map(|day: i64| Millis(day * DAY_MS)), "{outs:?}");
        }
    }
}
