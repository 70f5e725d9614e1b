use crate::connection::{StoreError, on};
use crate::rows::{MoverRow, UserRow, UserState, is_shared};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

/// A user to be stored.
#[derive(Clone, Debug)]
pub struct NewUser {
    pub userid: String,
    pub password_hash: String,
    pub at: Millis,
}

macro_rules! select_user {
    ($rest:literal) => {
        concat!(
            "SELECT id, userid, password_hash, role, state, created_at, password_changed_at FROM users ",
            $rest
        )
    };
}

impl ReadTx {
    /// Case-insensitive.
    pub async fn find_user(&mut self, userid: &str) -> Result<Option<UserRow>, StoreError> {
        let sql = select_user!("WHERE userid_key = $1");
        Ok(
            on!(self, c => sqlx::query_as::<_, UserRow>(sql).bind(userid.to_lowercase()).fetch_optional(c).await)?,
        )
    }

    pub async fn user(&mut self, key: UserKey) -> Result<Option<UserRow>, StoreError> {
        let sql = select_user!("WHERE id = $1");
        Ok(on!(self, c => sqlx::query_as::<_, UserRow>(sql).bind(key.0).fetch_optional(c).await)?)
    }

    /// A user by key, with their preference to confirm moves and true if the token is theirs.
    pub async fn mover(
        &mut self,
        key: UserKey,
        game: &str,
        token: Option<i64>,
    ) -> Result<Option<MoverRow>, StoreError> {
        // The empty name of all games sorts before every game.
        let sql = "SELECT u.id, u.userid, u.password_hash, u.role, u.state, u.created_at, u.password_changed_at, \
                   (SELECT p.value FROM preferences p WHERE p.user_id = u.id AND p.name = 'confirm' \
                   AND (p.game = '' OR p.game = $2) ORDER BY p.game DESC LIMIT 1) AS confirm, \
                   ($3 IS NULL OR EXISTS (SELECT 1 FROM api_tokens t WHERE t.id = $3 AND t.user_id = u.id)) AS has_key \
                   FROM users u WHERE u.id = $1";
        Ok(on!(self, c => sqlx::query_as::<_, MoverRow>(sql)
            .bind(key.0)
            .bind(game)
            .bind(token)
            .fetch_optional(c)
            .await)?)
    }

    /// By name, after `after` (exclusive).
    pub async fn list_users(&mut self, after: &str, limit: i64) -> Result<Vec<UserRow>, StoreError> {
        let sql = select_user!("WHERE userid_key > $1 ORDER BY userid_key LIMIT $2");
        Ok(
            on!(self, c => sqlx::query_as::<_, UserRow>(sql).bind(after.to_lowercase()).bind(limit).fetch_all(c).await)?,
        )
    }

    /// Names with this lower-case prefix, after `after` (exclusive).
    pub async fn search_users(
        &mut self,
        begin: &str,
        after: &str,
        limit: i64,
    ) -> Result<Vec<UserRow>, StoreError> {
        // Names are of ASCII letters, digits and `-._`, without special characters of LIKE. Databases sort
        // signs differently; only the index's own order is used.
        let sql = select_user!(
            "WHERE userid_key >= $1 AND userid_key > $2 AND SUBSTR(userid_key, 1, $3) = $1 ORDER BY userid_key LIMIT $4"
        );
        let length = i32::try_from(begin.chars().count()).unwrap_or(i32::MAX);
        Ok(on!(self, c => sqlx::query_as::<_, UserRow>(sql)
            .bind(begin)
            .bind(after.to_lowercase())
            .bind(length)
            .bind(limit)
            .fetch_all(c)
            .await)?)
    }

    /// Users with this address, in lower case, confirmed or not, after `after` (exclusive).
    pub async fn users_with_address(
        &mut self,
        address_key: &str,
        after: &str,
        limit: i64,
    ) -> Result<Vec<UserRow>, StoreError> {
        let sql = select_user!(
            "WHERE id IN (SELECT user_id FROM addresses WHERE address_key = $1) AND userid_key > $2 \
             ORDER BY userid_key LIMIT $3"
        );
        Ok(on!(self, c => sqlx::query_as::<_, UserRow>(sql)
            .bind(address_key)
            .bind(after.to_lowercase())
            .bind(limit)
            .fetch_all(c)
            .await)?)
    }

    /// Active users who have confirmed this address.
    pub async fn users_at(&mut self, address_key: &str) -> Result<Vec<UserRow>, StoreError> {
        let sql = select_user!(
            "WHERE id IN (SELECT user_id FROM addresses WHERE address_key = $1 AND verified_at IS NOT NULL) \
             AND state = 'active' ORDER BY id"
        );
        Ok(on!(self, c => sqlx::query_as::<_, UserRow>(sql).bind(address_key).fetch_all(c).await)?)
    }
}

impl ReadTx {
    /// Userid, and true if others have confirmed the address too; `None`: this user has not, so the mail may
    /// reach somebody else.
    pub async fn addressee(
        &mut self,
        user: UserKey,
        address_key: &str,
    ) -> Result<Option<(String, bool)>, StoreError> {
        let sql = concat!(
            "SELECT u.userid, ",
            is_shared!("$2", "u.id"),
            " FROM users u WHERE u.id = $1 AND EXISTS (SELECT 1 FROM addresses a WHERE a.user_id = u.id \
             AND a.address_key = $2 AND a.verified_at IS NOT NULL)"
        );
        Ok(on!(self, c => sqlx::query_as::<_, (String, bool)>(sql)
            .bind(user.0)
            .bind(address_key)
            .fetch_optional(c)
            .await)?)
    }
}

impl WriteTx {
    /// Stores a new player; `None` when the name is taken.
    pub async fn insert_user(&mut self, user: &NewUser) -> Result<Option<UserKey>, StoreError> {
        let sql = "INSERT INTO users (userid, userid_key, password_hash, role, state, created_at) \
                   VALUES ($1, $2, $3, 'player', 'active', $4) \
                   ON CONFLICT (userid_key) DO NOTHING RETURNING id";
        let key: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(&user.userid)
            .bind(user.userid.to_lowercase())
            .bind(&user.password_hash)
            .bind(user.at.0)
            .fetch_optional(c)
            .await)?;
        Ok(key.map(UserKey))
    }

    /// `None` locks the account. All sessions end.
    pub async fn set_password_hash(
        &mut self,
        user: UserKey,
        hash: Option<&str>,
        at: Millis,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE users SET password_hash = $2, password_changed_at = $3 WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(hash).bind(at.0).execute(c).await.map(drop))?;
        self.drop_sessions_of(user).await
    }

    pub async fn set_userid(&mut self, user: UserKey, userid: &str) -> Result<(), StoreError> {
        let sql = "UPDATE users SET userid = $2, userid_key = $3 WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(user.0)
            .bind(userid)
            .bind(userid.to_lowercase())
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn set_user_state(&mut self, user: UserKey, state: UserState) -> Result<(), StoreError> {
        let sql = "UPDATE users SET state = $2 WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(state.as_str()).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn set_user_role(&mut self, user: UserKey, role: &str) -> Result<(), StoreError> {
        let sql = "UPDATE users SET role = $2 WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(role).execute(c).await.map(drop))?;
        Ok(())
    }
}
