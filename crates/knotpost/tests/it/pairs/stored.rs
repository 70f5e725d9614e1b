//! Everything that is stored, put back as it was, and read so that two runs can be compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sqlx::{AssertSqlSafe, Connection as _};
use sqlx_postgres::PgConnection;

/// Keys are given from here on once the world is made, so that new ones can be told from old ones wherever they stand.
const FIRST_NEW_KEY: i64 = 70_000_000;
/// How many new keys are told apart.
const NEW_KEYS: i64 = 10_000_000;
/// Letters that a secret has at least: no word and no name has as many.
const SECRET: usize = 20;
/// Rows that were put back leave dead ones, which every query passes; they are removed every fifty rounds.
const VACUUMED: u32 = 50;

/// Columns that differ between runs without anybody's noticing, by table.
const IGNORED: [(&str, &str); 3] = [
    // When a key and a session were used last is noted once in a while; that a password was given, before what it was
    // given for is done, and for that password alone.
    ("api_tokens", "used_at"),
    ("web_sessions", "seen_at,password_at,password_mark"),
    // Whether a mail is read at once or waits for its turn.
    ("inbox", "turn,flow,from_domain,share,attempts,due_at,reason"),
];
/// A mail, however often it was tried; of what a webhook is told it makes no difference when it is dropped, now or when
/// its turn has come.
const WAITING_MAIL: &str = "to_jsonb(t) - CASE kind WHEN 'webhook' THEN '{state,error,done_at}' ELSE '{attempts,due_at}' END::text[]";

/// A mail of the day that a server of before has lost; and mails that were sent, without their text.
const AGED: &str = "
    DELETE FROM digests WHERE user_id = (SELECT id FROM users WHERE userid = 'ada');
    UPDATE outbox SET facts = NULL WHERE state = 'sent';
";

/// Beside the tables their copy, and the names of those that were written to since they were put back.
const PREPARE: &str = "
    CREATE SCHEMA world;
    CREATE TABLE world.touched (name text NOT NULL);
    CREATE FUNCTION world.touch() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO world.touched VALUES (TG_TABLE_NAME); RETURN NULL; END $$;
";

/// The tables of a database, and how to put them back.
pub(super) struct Stored {
    connection: PgConnection,
    pub(super) tables: Vec<String>,
    /// The rows of every table as they are compared.
    world: BTreeMap<String, Vec<String>>,
    /// How often everything was put back.
    rounds: u32,
}

impl Stored {
    /// The world as it is now is where every run begins.
    pub(super) async fn of(url: &str) -> Self {
        let mut connection = PgConnection::connect(url).await.expect("the database opens");
        let all = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_sqlx%'";
        let tables: Vec<String> = sqlx::query_scalar(all).fetch_all(&mut connection).await.expect("tables");
        sqlx::raw_sql(AGED).execute(&mut connection).await.expect("rows");
        let mut prepare = PREPARE.to_owned();
        for table in &tables {
            let _ = write!(
                prepare,
                "CREATE TABLE world.{table} AS TABLE public.{table};
                 CREATE TRIGGER touch AFTER INSERT OR UPDATE OR DELETE ON public.{table}
                 EXECUTE FUNCTION world.touch();"
            );
        }
        prepare.push_str(&new_keys(&mut connection).await);
        // Rows are put back as a replica does it: no trigger fires, no reference is looked at.
        prepare.push_str("SET session_replication_role = replica; SET jit = off;");
        sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.expect("a copy");
        let mut world: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (table, row) in rows(&mut connection, &tables).await {
            let row = format!("{table} {row}");
            world.entry(table).or_default().push(row);
        }
        Self { connection, tables, world, rounds: 0 }
    }

    /// The tables that were written to since everything was put back.
    pub(super) async fn touched(&mut self) -> Vec<String> {
        let touched = "SELECT DISTINCT name FROM world.touched";
        sqlx::query_scalar(touched).fetch_all(&mut self.connection).await.expect("names")
    }

    /// Puts everything back.
    pub(super) async fn put_back(&mut self) {
        let touched = self.touched().await;
        let mut statements = "BEGIN; DELETE FROM world.touched;".to_owned();
        for table in &touched {
            let _ = write!(
                statements,
                "DELETE FROM public.{table}; INSERT INTO public.{table} OVERRIDING SYSTEM VALUE TABLE world.{table};"
            );
        }
        statements.push_str("COMMIT");
        sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut self.connection).await.expect("as it was");
        self.rounds += 1;
        if self.rounds.is_multiple_of(VACUUMED) {
            sqlx::raw_sql("VACUUM").execute(&mut self.connection).await.expect("free pages");
        }
    }

    /// What was written since everything was put back: the rows that are new (`+`) and those that are gone (`-`),
    /// sorted; what is drawn by chance or counted up is masked.
    pub(super) async fn changes(&mut self) -> Vec<String> {
        let tables = self.touched().await;
        let mut gone: Vec<String> =
            tables.iter().filter_map(|table| self.world.get(table)).flatten().cloned().collect();
        let mut changes = Vec::new();
        for (table, row) in rows(&mut self.connection, &tables).await {
            let row = format!("{table} {row}");
            match gone.iter().position(|other| *other == row) {
                Some(at) => drop(gone.swap_remove(at)),
                None => changes.push(format!("+ {}", mask(&row))),
            }
        }
        changes.extend(gone.iter().map(|row| format!("- {}", mask(row))));
        changes.sort();
        changes
    }

    /// Whether somebody waits for a lock that another holds.
    pub(super) async fn somebody_waits(&mut self) -> bool {
        let waiting = "SELECT EXISTS (SELECT FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock' \
             AND cardinality(pg_blocking_pids(pid)) > 0)";
        sqlx::query_scalar(waiting).fetch_one(&mut self.connection).await.expect("an answer")
    }
}

/// The rows of these tables as they are compared, each with its table's name.
async fn rows(connection: &mut PgConnection, tables: &[String]) -> Vec<(String, String)> {
    let selects: Vec<String> = tables.iter().filter_map(|table| select(table)).collect();
    if selects.is_empty() {
        return Vec::new();
    }
    let all = AssertSqlSafe(selects.join(" UNION ALL "));
    sqlx::query_as(all).fetch_all(connection).await.expect("rows")
}

/// The query for the rows of a table; `None`: nobody notices a difference.
fn select(table: &str) -> Option<String> {
    let ignored = IGNORED.iter().find(|(name, _)| *name == table).map_or("", |(_, columns)| *columns);
    let row = format!("to_jsonb(t) - '{{{ignored}}}'::text[]");
    let of_new = |key: &str, columns: &str| {
        format!("{row} - CASE WHEN {key} > {FIRST_NEW_KEY} THEN '{{{columns}}}' ELSE '{{}}' END::text[]")
    };
    let row = match table {
        // From where a password was right is noted at most once an hour and process.
        "login_hosts" => return None,
        // How many boards there are, whichever shard counts them.
        "board_counts" => "jsonb_build_array(game, sum(active), sum(finished))".to_owned(),
        "outbox" => WAITING_MAIL.to_owned(),
        // Who sits first depends on which server begins the board, and with it how long there is to think.
        "seats" => of_new("t.board_id", "seat,to_move"),
        "boards" => of_new("t.id", "due_at"),
        _ => row,
    };
    let grouped = if table == "board_counts" { "GROUP BY game" } else { "" };
    Some(format!("SELECT '{table}', ({row})::text FROM public.{table} AS t {grouped}"))
}

/// Statements by which new keys begin at [`FIRST_NEW_KEY`].
async fn new_keys(connection: &mut PgConnection) -> String {
    let sequences = "SELECT format('SELECT setval(%L, %s);', format('%I.%I', schemaname, sequencename), $1::text) \
         FROM pg_sequences WHERE schemaname = 'public'";
    let statements: Vec<String> = sqlx::query_scalar(sequences)
        .bind(FIRST_NEW_KEY.to_string())
        .fetch_all(&mut *connection)
        .await
        .expect("names");
    statements.concat()
}

/// Without what no two runs have in common: new keys, and secrets drawn by chance.
pub(super) fn mask(text: &str) -> String {
    let text = mask_tournaments(&text.replace("&#x2f;", "/").replace("\\\\", ""));
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

/// Names of new tournaments hold their keys.
fn mask_tournaments(text: &str) -> String {
    let mut pieces = text.split("t7");
    let mut masked = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.bytes().take_while(u8::is_ascii_digit).count() {
            7 => masked.extend(["tNEW", &piece[7..]]),
            _ => masked.extend(["t7", piece]),
        }
    }
    masked
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
    let text = r#"users {"id":70000012,"board":12,"at":1795168800000,"hash":"$argon2id$v=19$AbCd01234567890123456789","a":"........","of":"nt70000012, t7"}"#;
    let masked = r#"users {"id":NEW,"board":12,"at":1795168800000,"hash":"$argon2id$v=19$SECRET","a":"........","of":"ntNEW, t7"}"#;
    assert_eq!(mask(text), masked);
}
