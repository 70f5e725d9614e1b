//! How a user wants their mails: looked up in their preferences.

use crate::replies::letter::MailForm;
use crate::replies::{Reply, Style};
use knotpost_model::{Address, UserKey};
use knotpost_storage::{ALL_GAMES, ReadTx, StoreError};

/// Which forms of this mail its reader wants: the user it is for, or the only one with that address.
pub(crate) async fn form_for(
    tx: &mut ReadTx,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
) -> Result<MailForm, StoreError> {
    let user = match user {
        Some(user) => Some(user),
        None => match tx.users_at(&recipient.key()).await?.as_slice() {
            [only] => Some(only.id),
            _ => None,
        },
    };
    let Some(user) = user else { return Ok(MailForm::default()) };
    let game = match reply {
        Reply::Board(sheet) => sheet.game.as_str(),
        _ => ALL_GAMES,
    };
    Ok(style_of(tx, user, game).await?.form)
}

/// How a user wants the boards of a game set.
pub(crate) async fn style_of(tx: &mut ReadTx, user: UserKey, game: &str) -> Result<Style, StoreError> {
    let mut style = Style::default();
    // Sorted by game: what is wanted for all games comes first and gives way.
    for wish in tx.preferences(user).await? {
        if wish.game.is_empty() || wish.game == game {
            style.take(&wish.name, &wish.value);
        }
    }
    Ok(style)
}
