//! Everything that is stored, put back as it was, and read so that two runs can be compared.

use std::fmt::Write as _;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// Keys are given from here on once the world is made, so that new ones can be told from old ones wherever they stand.
const FIRST_NEW_KEY: i64 = 70_000_000;
/// So many new keys are told.
const NEW_KEYS: i64 = 10_000_000;
/// Letters that a secret has at least: no word and no name has as many.
const SECRET: usize = 20;

/// Columns that differ between runs without anybody's noticing, by table. An empty list is all of them.
const IGNORED: [(&str, &str); 6] = [
    // From where a password was right is noted at most once an hour and process.
    ("login_hosts", ""),
    // Counted in shards by the keys of boards; the sums are compared.
    ("board_counts", ""),
    // Drawn from the secret of the board's dice.
    ("boards", "history"),
    // When a key and a session were used last is noted once in a while.
    ("api_tokens", "used_at"),
    ("web_sessions", "seen_at"),
    // Whether a mail is read at once or waits for its turn.
    ("inbox", "turn,flow,from_domain,share,attempts,due_at,reason"),
];
/// A mail, however often it was tried; of what a webhook is told it makes no difference when it is dropped, now or when
/// its turn has come.
const WAITING_MAIL: &str = "to_jsonb(t) - CASE kind WHEN 'webhook' THEN '{state,error,done_at}' ELSE '{attempts,due_at}' END::text[]";
/// How many boards there are, whichever shard counts them.
const COUNTS: &str = "SELECT 'board_counts ' || game || ' ' || sum(active) || ' ' || sum(finished) \
     FROM public.board_counts GROUP BY game";

/// What triggers write when boards and seats are deleted and come back: put back last.
const BY_TRIGGERS: [&str; 2] = ["board_counts", "boards_in_play"];

/// The tables of a database, and how to put them back.
pub(super) struct Stored {
    connection: PgConnection,
    put_back: String,
    show: String,
}

impl Stored {
    /// The world as it is now is where every run begins.
    pub(super) async fn of(url: &str) -> Self {
        let mut connection = PgConnection::connect(url).await.expect("the database opens");
        let all = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_sqlx%'";
        let tables: Vec<String> = sqlx::query_scalar(all).fetch_all(&mut connection).await.expect("tables");
        // A mail of the day that a server of before has lost.
        let lost = "DELETE FROM digests WHERE user_id = (SELECT id FROM users WHERE userid = 'ada')";
        sqlx::query(lost).execute(&mut connection).await.expect("a row");
        let mut prepare = "CREATE SCHEMA world;".to_owned();
        let mut put_back = "BEGIN; SET CONSTRAINTS ALL DEFERRED;".to_owned();
        for table in &tables {
            let _ = write!(prepare, "CREATE TABLE world.{table} AS TABLE public.{table};");
            let _ = write!(put_back, "DELETE FROM public.{table};");
        }
        for table in tables.iter().filter(|table| !BY_TRIGGERS.contains(&table.as_str())) {
            let _ =
                write!(put_back, "INSERT INTO public.{table} OVERRIDING SYSTEM VALUE TABLE world.{table};");
        }
        for table in BY_TRIGGERS {
            let _ = write!(put_back, "DELETE FROM {table}; INSERT INTO {table} TABLE world.{table};");
        }
        put_back.push_str("COMMIT");
        prepare.push_str(&keys_and_constraints(&mut connection).await);
        sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.expect("a copy");
        let mut show = COUNTS.to_owned();
        for table in &tables {
            let ignored = IGNORED.iter().find(|(name, _)| name == table).map(|(_, columns)| *columns);
            if ignored != Some("") {
                let columns = ignored.unwrap_or_default();
                let row = format!("to_jsonb(t) - string_to_array('{columns}', ',')");
                let of_new = |board: &str, columns: &str| {
                    format!(
                        "{row} - CASE WHEN {board} > {FIRST_NEW_KEY} THEN '{columns}' ELSE '{{}}' END::text[]"
                    )
                };
                let row = match table.as_str() {
                    "outbox" => WAITING_MAIL.to_owned(),
                    // Who sits first is drawn by chance, and with it how long there is to think.
                    "seats" => of_new("t.board_id", "{seat,to_move}"),
                    "boards" => of_new("t.id", "{due_at}"),
                    _ => row,
                };
                let _ =
                    write!(show, " UNION ALL SELECT '{table} ' || ({row})::text FROM public.{table} AS t");
            }
        }
        Self { connection, put_back, show }
    }

    /// Puts everything back.
    pub(super) async fn put_back(&mut self) {
        let statements = AssertSqlSafe(self.put_back.clone());
        sqlx::raw_sql(statements).execute(&mut self.connection).await.expect("as it was");
    }

    /// The rows, sorted; what is drawn by chance or counted up is masked.
    pub(super) async fn rows(&mut self) -> Vec<String> {
        let all = AssertSqlSafe(self.show.clone());
        let rows: Vec<String> = sqlx::query_scalar(all).fetch_all(&mut self.connection).await.expect("rows");
        let mut rows: Vec<String> = rows.iter().map(|row| mask(row)).collect();
        rows.sort();
        rows
    }

    /// Whether somebody waits for a lock that another holds.
    pub(super) async fn somebody_waits(&mut self) -> bool {
        let waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity \
             WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0)";
        sqlx::query_scalar(waiting).fetch_one(&mut self.connection).await.expect("an answer")
    }
}

/// Statements by which new keys begin at [`FIRST_NEW_KEY`], and references may be looked at when all rows are back.
async fn keys_and_constraints(connection: &mut PgConnection) -> String {
    let sequences = "SELECT format('SELECT setval(%L, %s);', format('%I.%I', schemaname, sequencename), $1::text) \
         FROM pg_sequences WHERE schemaname = 'public'";
    let sequences: Vec<String> = sqlx::query_scalar(sequences)
        .bind(FIRST_NEW_KEY.to_string())
        .fetch_all(&mut *connection)
        .await
        .expect("names");
    let references = "SELECT format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE;', conrelid::regclass, conname) \
         FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace";
    let references: Vec<String> =
        sqlx::query_scalar(references).fetch_all(&mut *connection).await.expect("references");
    sequences.concat() + &references.concat()
}

/// Without what no two runs have in common: new keys, and secrets drawn by chance.
pub(super) fn mask(text: &str) -> String {
    let text = text.replace("&#x2f;", "/").replace("\\\\", "");
    let mut masked = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_of_a_secret) {
        masked.push_str(&rest[..start]);
        let word = &rest[start..];
        let end = word.find(|letter: char| !is_of_a_secret(letter)).unwrap_or(word.len());
        masked.push_str(masked_word(&word[..end]));
        rest = &word[end..];
    }
    masked + rest
}

fn is_of_a_secret(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '+' | '/' | '=')
}

fn masked_word(word: &str) -> &str {
    if let Ok(number) = word.parse::<i64>() {
        let is_new = (FIRST_NEW_KEY..FIRST_NEW_KEY + NEW_KEYS).contains(&number);
        return if is_new { "NEW" } else { word };
    }
    if word.len() >= SECRET { "SECRET" } else { word }
}

#[test]
fn new_keys_and_secrets_are_masked_and_nothing_else() {
    let text = r#"users {"id":70000012,"board":12,"at":1795168800000,"hash":"$argon2id$v=19$AbCd01234567890123456789","a":"........"}"#;
    let masked =
        r#"users {"id":NEW,"board":12,"at":1795168800000,"hash":"$argon2id$v=19$SECRET","a":"........"}"#;
    assert_eq!(mask(text), masked);
}
