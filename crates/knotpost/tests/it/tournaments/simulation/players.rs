//! Players of the club, of whom some are suspended for a while.

use knotpost_core::admin::UserEdit;
use knotpost_core::boards::ServiceError;
use knotpost_model::Address;
use knotpost_storage::{NewUser, StoreError, UserState};

use super::dice::Dice;
use crate::harness::{TestApp, edit_user};

/// Everybody's: checking it must cost next to nothing.
pub(super) const PASSWORD: &str = "chocolate-pie";
const HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$dG91cm5hbWVudC1zYWx0IQ$pKW9lKmv37Ir790XufXtVAlQenju2NazI4nSk+JRhRs";

#[derive(Default)]
pub(super) struct Players {
    pub(super) active: Vec<String>,
    suspended: Vec<String>,
    /// Users of whom a server was cut off while it changed something.
    doubtful: Vec<String>,
}

pub(super) fn address_of(userid: &str) -> String {
    format!("{userid}@{userid}.example")
}

impl Players {
    /// Players who read mails without pictures, about their own turns.
    pub(super) async fn sign_up(app: &TestApp, count: u64) -> Self {
        let active: Vec<String> = (1..=count).map(|number| format!("user{number}")).collect();
        let (names, now) = (active.clone(), app.app.clock.now());
        let signed_up = app.app.store.write(async move |tx| {
            for name in &names {
                let new = NewUser { userid: name.clone(), password_hash: HASH.to_owned(), at: now };
                let key = tx.insert_user(&new).await?.expect("a new name");
                let address = address_of(name).parse::<Address>().expect("an address");
                tx.add_address(key, &address, Some(now), now).await?;
                tx.set_preference(key, "", "mail", Some("text")).await?;
                tx.set_preference(key, "", "moves", Some("mine")).await?;
            }
            Ok::<_, StoreError>(())
        });
        signed_up.await.unwrap();
        Self { active, ..Self::default() }
    }

    pub(super) fn is_active(&self, userid: &str) -> bool {
        self.active.iter().any(|name| name == userid)
    }

    /// Deletes, suspends or lets in again, or nothing.
    pub(super) async fn administer(&mut self, app: &TestApp, dice: &mut Dice) {
        let (from, edit) = match dice.below(100) {
            0 => (&mut self.active, UserEdit::Delete),
            1..4 => (&mut self.active, UserEdit::Suspend),
            4..40 => (&mut self.suspended, UserEdit::Lift),
            _ => return,
        };
        if from.is_empty() || (from.len() < 10 && !matches!(edit, UserEdit::Lift)) {
            return;
        }
        let who = from.swap_remove(dice.below(from.len()));
        match edit_user(&app.app, &who, edit.clone()).await {
            Ok(()) => match edit {
                UserEdit::Suspend => self.suspended.push(who),
                UserEdit::Lift => self.active.push(who),
                _ => {}
            },
            Err(ServiceError::Store(_)) if app.app.store.is_cut_off() => self.doubtful.push(who),
            Err(ServiceError::Store(error)) => panic!("{}", error.with_causes()),
            Err(ServiceError::Refused(refusal)) => panic!("{}", refusal.message),
        }
    }

    /// Looks at what became of those of whom that is not known.
    pub(super) async fn look_again(&mut self, app: &TestApp) {
        for who in std::mem::take(&mut self.doubtful) {
            let user = app.app.store.read().await.unwrap().find_user(&who).await.unwrap().expect("a user");
            match user.state {
                UserState::Active => self.active.push(who),
                UserState::Suspended => self.suspended.push(who),
                UserState::Deleted => {}
            }
        }
    }

    /// Nobody who is suspended is in a tournament.
    pub(super) async fn check(&self, app: &TestApp) {
        let mut tx = app.app.store.read().await.unwrap();
        for who in &self.suspended {
            let user = tx.find_user(who).await.unwrap().expect("a user");
            assert_eq!(tx.entries_of(user.id).await.unwrap(), [], "{who} is suspended");
        }
    }
}
