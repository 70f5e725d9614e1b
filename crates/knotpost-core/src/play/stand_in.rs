//! Computer players for unmatched seeks, if the user wants them.

use knotpost_commands::ComputerWish;
use knotpost_rules::AnyGame;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::play::challenge::Cause;
use crate::play::opponents::{Readiness, may_be_paired, readiness, start_sought};
use knotpost_model::computer_player::{LEVELS, level_of, userid_of};
use knotpost_model::rating::shown;
use knotpost_model::{BoardRef, Millis};
use knotpost_storage::{ReadTx, SeatRow, StoreError, UserRow, WriteTx};

const MOST_BOARDS: i64 = 5;
const USUAL_LEVEL: u8 = 3;
/// Rating just below the first level.
const LOWEST_RATING: i64 = 1_100;
/// Rating points per level.
const POINTS_OF_LEVEL: i64 = 100;

pub(crate) async fn take_seek(
    tx: &mut WriteTx,
    app: &App,
    game: &'static dyn AnyGame,
    user: &UserRow,
    wish: ComputerWish,
    now: Millis,
) -> Result<Vec<BoardRef>, ServiceError> {
    let name = game.meta().name;
    let mut boards = Vec::new();
    let Some(seek) = tx.seek(name, user.id).await? else { return Ok(boards) };
    if seek.wanted > MOST_BOARDS {
        let message =
            format!("computer players begin at most {MOST_BOARDS} boards at a time, not {}", seek.wanted);
        return Err(Refusal::new(Code::BadValue, message).about_game(name).into());
    }
    let level = match wish {
        ComputerWish::Level(level) => level,
        ComputerWish::Suited => suit(tx.rating(name, user.id).await?.map(|row| shown(row.rating))),
    };
    let bot = tx.find_user(&userid_of(level)).await?.filter(UserRow::is_computer_player);
    let Some(bot) = bot.filter(|_| app.config.bots.enabled) else {
        let message = format!("there is no computer player of level {level} here");
        return Err(Refusal::new(Code::NotSupported, message).about_game(name).into());
    };
    for _ in 0..seek.wanted {
        if !may_be_paired(tx, app.clock.as_ref(), &app.config, name, user, &[bot.id]).await?
            || readiness(tx, &app.config, name, &bot, &[user.id]).await? != Readiness::Ready
        {
            break;
        }
        let (players, cause) = ([user.clone(), bot.clone()], Cause::Challenge(Some(user.userid.clone())));
        boards.push(start_sought(tx, app, game, &seek, players, cause, now).await?);
    }
    Ok(boards)
}

pub(crate) async fn are_computer_players(
    tx: &mut ReadTx,
    seats: impl Iterator<Item = &SeatRow> + Clone + Send,
) -> Result<bool, StoreError> {
    // Looked up only for names of the right form, on most boards nobody.
    if !seats.clone().all(|seat| level_of(&seat.userid).is_some()) {
        return Ok(false);
    }
    for seat in seats {
        if !tx.user(seat.user_id).await?.is_some_and(|user| user.is_computer_player()) {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn suit(rating: Option<i64>) -> u8 {
    let Some(rating) = rating else { return USUAL_LEVEL };
    let level = (rating - LOWEST_RATING) / POINTS_OF_LEVEL;
    u8::try_from(level.clamp(1, LEVELS.into())).unwrap_or(USUAL_LEVEL)
}

#[cfg(test)]
mod tests {
    use super::suit;

    #[test]
    fn better_players_get_better_opponents() {
        assert_eq!(suit(None), 3);
        let levels = [800, 1_250, 1_400, 1_500, 1_799, 1_900, 2_900].map(|rating| suit(Some(rating)));
        assert_eq!(levels, [1, 1, 3, 4, 6, 8, 8]);
    }
}
