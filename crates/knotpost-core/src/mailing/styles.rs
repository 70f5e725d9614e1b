//! Style of a user's mails: looked up in their preferences.

use std::borrow::Cow;

use crate::replies::{Reply, Style};
use knotpost_model::{Address, UserKey};
use knotpost_storage::{ALL_GAMES, PreferenceRow, ReadTx, StoreError};

/// Preferences of a user that differ from the default, for all games and for single ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes(Vec<PreferenceRow>);

impl Wishes {
    /// Those of this user.
    pub(crate) async fn of(tx: &mut ReadTx, user: UserKey) -> Result<Self, StoreError> {
        Ok(Self(tx.preferences(user).await?))
    }

    /// Those of a mail's reader: the user it is for, or the only one with that address.
    pub(crate) async fn of_reader(
        tx: &mut ReadTx,
        recipient: &Address,
        user: Option<UserKey>,
    ) -> Result<Self, StoreError> {
        let user = match user {
            Some(user) => Some(user),
            None => match tx.users_at(&recipient.key()).await?.as_slice() {
                [only] => Some(only.id),
                _ => None,
            },
        };
        match user {
            Some(user) => Self::of(tx, user).await,
            None => Ok(Self::default()),
        }
    }

    /// Style of the boards of a game.
    pub(crate) fn style(&self, game: &str) -> Style {
        let mut style = Style::default();
        // Sorted by game: what is wanted for all games comes first and gives way.
        for wish in self.0.iter().filter(|wish| wish.game == ALL_GAMES || wish.game == game) {
            style.take(&wish.name, &wish.value);
        }
        style
    }

    /// Style of a mail that says this.
    pub(crate) fn style_of_mail(&self, reply: &Reply) -> Style {
        match reply {
            Reply::Board(sheet) => self.style(&sheet.game),
            _ => self.style(ALL_GAMES),
        }
    }

    /// The reply with its boards as the user wants those of each game.
    pub(crate) fn lay_out<'r>(&self, reply: &'r Reply) -> Cow<'r, Reply> {
        if !reply.has_board() || self.0.iter().all(|wish| wish.name != "board") {
            return Cow::Borrowed(reply);
        }
        let mut reply = reply.clone();
        reply.lay_out(&|game: &str| self.style(game).layout);
        Cow::Owned(reply)
    }
}

/// Style in which a user wants the boards of a game.
pub(crate) async fn style_of(tx: &mut ReadTx, user: UserKey, game: &str) -> Result<Style, StoreError> {
    Ok(Wishes::of(tx, user).await?.style(game))
}
