use crate::connection::Result;
use crate::rows::{MoverRow, UserRow, UserState, is_shared};
use crate::transaction::{ReadTx, Statements, WriteTx};
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
    pub async fn find_user(&mut self, userid: &str) -> Result<Option<UserRow>> {
        let sql = select_user!("WHERE userid_key = $1");
        self.fetch_optional(sql, &[&userid.to_lowercase()]).await
    }

    pub async fn user(&mut self, key: UserKey) -> Result<Option<UserRow>> {
        let sql = select_user!("WHERE id = $1");
        self.fetch_optional(sql, &[&key]).await
    }

    /// A user by key, with their preference to confirm moves and true if the token is theirs.
    pub async fn mover(&mut self, key: UserKey, game: &str, token: Option<i64>) -> Result<Option<MoverRow>> {
        // The empty name of all games sorts before every game.
        let sql = "SELECT u.id, u.userid, u.password_hash, u.role, u.state, u.created_at, u.password_changed_at, \
                   (SELECT p.value FROM preferences p WHERE p.user_id = u.id AND p.name = 'confirm' \
                   AND (p.game = '' OR p.game = $2) ORDER BY p.game DESC LIMIT 1) AS confirm, \
                   ($3 IS NULL OR EXISTS (SELECT 1 FROM api_tokens t WHERE t.id = $3 AND t.user_id = u.id)) AS has_key \
                   FROM users u WHERE u.id = $1";
        self.fetch_optional(sql, &[&key, &game, &token]).await
    }

    /// By name, after `after` (exclusive).
    pub async fn list_users(&mut self, after: &str, limit: i64) -> Result<Vec<UserRow>> {
        let sql = select_user!("WHERE userid_key > $1 ORDER BY userid_key LIMIT $2");
        self.fetch_all(sql, &[&after.to_lowercase(), &limit]).await
    }

    /// Names with this lower-case prefix, after `after` (exclusive).
    pub async fn search_users(&mut self, begin: &str, after: &str, limit: i64) -> Result<Vec<UserRow>> {
        // Names are of ASCII letters, digits and `-._`, without special characters of LIKE. Databases sort
        // signs differently; only the index's own order is used.
        let sql = select_user!(
            "WHERE userid_key >= $1 AND userid_key > $2 AND SUBSTR(userid_key, 1, $3) = $1 ORDER BY userid_key LIMIT $4"
        );
        let length = i32::try_from(begin.chars().count()).unwrap_or(i32::MAX);
        self.fetch_all(sql, &[&begin, &after.to_lowercase(), &length, &limit]).await
    }

    /// Users with this address, in lower case, confirmed or not, after `after` (exclusive).
    pub async fn users_with_address(
        &mut self,
        address_key: &str,
        after: &str,
        limit: i64,
    ) -> Result<Vec<UserRow>> {
        let sql = select_user!(
            "WHERE id IN (SELECT user_id FROM addresses WHERE address_key = $1) AND userid_key > $2 \
             ORDER BY userid_key LIMIT $3"
        );
        self.fetch_all(sql, &[&address_key, &after.to_lowercase(), &limit]).await
    }

    /// Active users who have confirmed this address.
    pub async fn users_at(&mut self, address_key: &str) -> Result<Vec<UserRow>> {
        let sql = select_user!(
            "WHERE id IN (SELECT user_id FROM addresses WHERE address_key = $1 AND verified_at IS NOT NULL) \
             AND state = 'active' ORDER BY id"
        );
        self.fetch_all(sql, &[&address_key]).await
    }
}

impl ReadTx {
    /// Userid, and true if others have confirmed the address too; `None`: this user has not, so the mail may
    /// reach somebody else.
    pub async fn addressee(&mut self, user: UserKey, address_key: &str) -> Result<Option<(String, bool)>> {
        let sql = concat!(
            "SELECT u.userid, ",
            is_shared!("$2", "u.id"),
            " FROM users u WHERE u.id = $1 AND EXISTS (SELECT 1 FROM addresses a WHERE a.user_id = u.id \
             AND a.address_key = $2 AND a.verified_at IS NOT NULL)"
        );
        self.fetch_optional(sql, &[&user, &address_key]).await
    }
}

impl WriteTx {
    /// Stores a new player; `None` when the name is taken.
    pub async fn insert_user(&mut self, user: &NewUser) -> Result<Option<UserKey>> {
        let sql = "INSERT INTO users (userid, userid_key, password_hash, role, state, created_at) \
                   VALUES ($1, $2, $3, 'player', 'active', $4) \
                   ON CONFLICT (userid_key) DO NOTHING RETURNING id";
        self.fetch_optional(sql, &[&user.userid, &user.userid.to_lowercase(), &user.password_hash, &user.at])
            .await
    }

    /// `None` locks the account. All sessions end.
    pub async fn set_password_hash(&mut self, user: UserKey, hash: Option<&str>, at: Millis) -> Result<()> {
        let sql = "UPDATE users SET password_hash = $2, password_changed_at = $3 WHERE id = $1";
        self.exec(sql, &[&user, &hash, &at]).await?;
        self.drop_sessions_of(user).await
    }

    pub async fn set_userid(&mut self, user: UserKey, userid: &str) -> Result<()> {
        let sql = "UPDATE users SET userid = $2, userid_key = $3 WHERE id = $1";
        self.exec(sql, &[&user, &userid, &userid.to_lowercase()]).await
    }

    pub async fn set_user_state(&mut self, user: UserKey, state: UserState) -> Result<()> {
        self.exec("UPDATE users SET state = $2 WHERE id = $1", &[&user, &state]).await
    }

    pub async fn set_user_role(&mut self, user: UserKey, role: &str) -> Result<()> {
        self.exec("UPDATE users SET role = $2 WHERE id = $1", &[&user, &role]).await
    }
}
