//! A user's own settings.

use crate::boards::ServiceError;
use crate::identity::Visitor;
use crate::play::preferences::{PreferenceLine, lines_for_all_games};
use knotpost_model::{Millis, Zone};
use knotpost_platform::clock::Clock;
use knotpost_storage::{Store, StoreError};

#[derive(Clone, Debug)]
pub struct OwnSettings {
    pub preferences: Vec<PreferenceLine>,
    pub addresses: Vec<(String, bool)>,
    pub is_bot: bool,
    pub away_until: Option<Millis>,
}

pub async fn view_own_settings(
    store: &Store,
    clock: &dyn Clock,
    visitor: &Visitor,
) -> Result<OwnSettings, ServiceError> {
    let (mut tx, now) = (store.read().await?, clock.now());
    let is_bot = tx.user(visitor.user).await?.is_some_and(|user| user.is_bot());
    let preferences = lines_for_all_games(&tx.preferences(visitor.user).await?);
    let addresses = tx.addresses(visitor.user).await?.into_iter();
    let addresses = addresses.map(|row| (row.address, row.verified_at.is_some())).collect();
    let vacations = tx.vacations(visitor.user, now).await?.into_iter();
    let away_until = vacations.map(|row| row.until_at).max_by_key(|until| until.0);
    Ok(OwnSettings { preferences, addresses, is_bot, away_until })
}

pub async fn view_zone(store: &Store, visitor: &Visitor) -> Result<Zone, StoreError> {
    let name = store.read().await?.preference(visitor.user, "", "timezone").await?;
    Ok(name.and_then(|name| Zone::named(&name)).unwrap_or_else(Zone::utc))
}
