//! Every pair of writing use cases at once, on two servers that share a PostgreSQL database: the first has done all it
//! does and waits before its commit while the second runs. What is stored then, and what both were answered, is what
//! one of the two orders one after the other leads to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use knotpost_commands::Verb;
use knotpost_server::service::{UserEdit, send_next_digest};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tokio::time::{Instant, sleep};

use crate::harness::{HOUR, Place, TestApp, edit_user};
use crate::postgres::{TestDatabase, database};

/// What the first server's transactions wait for before they commit.
const HELD: i64 = 4711;
/// A second one that neither ends nor waits for the first by then tries again and again.
const LONG_ENOUGH: Duration = Duration::from_millis(400);

/// A use case that writes.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// A command, with a text.
    Line(Verb, &'static str),
    /// The mail of the day that is due.
    Digest,
    /// An administrator suspends cid.
    Suspend,
}

use Deed::{Digest, Line, Suspend};

const DEEDS: [Deed; 42] = [
    Line(Verb::Move, "osbox move 101 ann ann-secret f1"),
    Line(Verb::Move, "osbox move 102 bob bob-secret f1"),
    Line(Verb::Queue, "osbox queue 101 bob bob-secret f9"),
    Line(Verb::Submit, "osbox submit 101 ann ann-secret f1"),
    Line(Verb::Confirm, "osbox confirm 103 ann ann-secret"),
    Line(Verb::Swap, "osbox swap 101 bob bob-secret"),
    Line(Verb::Resign, "osbox resign 102 ann ann-secret"),
    Line(Verb::Chat, "osbox chat 101 ann ann-secret"),
    Line(Verb::Challenge, "osbox challenge -size=4 ann bob"),
    Line(Verb::Challenge, "osbox challenge -size=4 cid bob"),
    Line(Verb::Limit, "osbox limit bob bob-secret 3"),
    Line(Verb::Accept, "osbox accept dan dan-secret"),
    Line(Verb::Reject, "osbox reject bob bob-secret"),
    Line(Verb::Seek, "osbox seek ann ann-secret 1"),
    Line(Verb::Seek, "osbox seek cid cid-secret 1"),
    Line(Verb::Subscribe, "osbox subscribe 101 cid cid-secret"),
    Line(Verb::Subscribe, "osbox subscribe dan dan-secret all"),
    Line(Verb::Unsubscribe, "osbox unsubscribe 104 dan dan-secret"),
    Line(Verb::Notify, "osbox notify cid cid-secret 101"),
    Line(Verb::GameSet, "osbox set bob bob-secret moves=mine"),
    Line(Verb::Set, "set bob bob-secret digest=9"),
    Line(Verb::Signup, "signup eve eve-secret eve@eve.example"),
    Line(Verb::Signup, "signup EVE eve-secret eve@other.example"),
    Line(Verb::Add, "add cid cid-secret third@cid.example"),
    Line(Verb::ChangeAddress, "change address cid cid-secret fourth@cid.example"),
    Line(Verb::ChangePassword, "change password dan dan-secret dan-other-secret"),
    Line(Verb::Signoff, "signoff cid cid-secret cid@cid.example"),
    Line(Verb::Signoff, "signoff cid cid-secret second@cid.example"),
    Line(Verb::Delete, "delete bob bob-secret"),
    Line(Verb::Delete, "delete dan dan-secret"),
    Line(Verb::Message, "message dan dan-secret bob"),
    Line(Verb::Broadcast, "broadcast ann ann-secret"),
    Line(Verb::Multiple, "multiple"),
    Line(Verb::PasswordReset, "password dan"),
    Line(Verb::Vacation, "vacation bob bob-secret 20"),
    Line(Verb::Vacation, "vacation bob bob-secret 15"),
    Line(Verb::Resend, "resend bob bob-secret"),
    Line(Verb::Move, "osbox move 104 ann ann-secret f4"),
    Line(Verb::Move, "osbox move 104 ann ann-secret f7"),
    Line(Verb::Move, "osbox move 102 ann ann-secret resign"),
    Digest,
    Suspend,
];

/// Verbs that only ask.
const QUERIES: [Verb; 13] = [
    Verb::Help,
    Verb::List,
    Verb::AllShow,
    Verb::AllGames,
    Verb::TestDisplay,
    Verb::GameHelp,
    Verb::Preview,
    Verb::Show,
    Verb::ShowAs,
    Verb::Games,
    Verb::Standings,
    Verb::History,
    Verb::Export,
];

/// Columns that are random, or tell of rows by numbers that are taken and given back by a transaction that is made again.
const RANDOM: [&str; 9] =
    ["seed", "password_hash", "message_id", "facts", "rendered", "history", "token_hash", "code", "digest"];

#[test]
fn every_verb_is_in_the_table_of_pairs() {
    for verb in Verb::all() {
        let writes = DEEDS.iter().any(|deed| matches!(deed, Line(other, _) if other == verb));
        assert_ne!(writes, QUERIES.contains(verb), "{verb:?}: a verb that writes needs a line in DEEDS");
    }
}

/// Two servers on a database whose state can be brought back.
struct Ground {
    held: TestApp,
    free: TestApp,
    lock: PgConnection,
    look: PgConnection,
    largest: i64,
    /// Asks for every row of every table, as JSON.
    question: String,
    // Last: dropped after everything that is connected to it.
    _database: TestDatabase,
}

/// What was answered, and what is stored.
type Outcome = (String, String, BTreeMap<String, Vec<String>>);

impl Ground {
    async fn new(database: TestDatabase) -> Self {
        let held_url = format!("{}&options=-c%20knotpost.held%3Don", database.url());
        let free = server(database.url().to_owned()).await;
        for name in ["ann", "bob", "cid", "dan"] {
            free.sign_up(name).await;
        }
        for line in [
            "osbox challenge -size=4 ann bob",
            "osbox challenge -size=4 bob ann",
            "osbox challenge -size=4 ann bob",
            "osbox challenge -size=4 ann bob",
            "osbox challenge -size=4 ann bob",
            "osbox submit 103 ann ann-secret f1",
            "osbox subscribe 104 dan dan-secret",
            "osbox limit bob bob-secret 6",
            "osbox reject dan dan-secret",
            "add cid cid-secret second@cid.example",
            "set bob bob-secret moves=digest",
            "osbox move 105 ann ann-secret f1",
        ] {
            let page = free.post(line, "").await;
            assert_eq!(page.outcome(), "200 ok", "{line}: {}", page.text);
        }
        free.work().await;
        let held = server(held_url).await;
        // The digest is due then.
        for app in [&free, &held] {
            app.clock.advance(22 * HOUR);
        }
        let mut look = PgConnection::connect(database.url()).await.unwrap();
        sqlx::raw_sql(PREPARE).execute(&mut look).await.unwrap();
        let largest = sqlx::query_scalar(LARGEST).fetch_one(&mut look).await.unwrap();
        let names: Vec<String> = sqlx::query_scalar(NAMES).fetch_all(&mut look).await.unwrap();
        let of_table =
            |name: &String| format!("SELECT '{name}', row_to_json(t)::text FROM public.{name} AS t");
        let question = names.iter().map(of_table).collect::<Vec<_>>().join(" UNION ALL ");
        let lock = PgConnection::connect(database.url()).await.unwrap();
        Self { held, free, lock, look, largest, question, _database: database }
    }

    async fn bring_back(&mut self) {
        sqlx::raw_sql(BRING_BACK).execute(&mut self.look).await.unwrap();
    }

    async fn one_after_the_other(&mut self, first: Deed, second: Deed) -> Outcome {
        self.bring_back().await;
        let one = self.do_it(first).await;
        let two = self.do_it(second).await;
        (one, two, self.stored().await)
    }

    async fn do_it(&self, deed: Deed) -> String {
        run(&self.free, deed).await
    }

    /// The first waits before its commit until the second has ended, or waits for the first.
    async fn at_once(&mut self, first: Deed, second: Deed) -> Outcome {
        self.bring_back().await;
        sqlx::query("SELECT pg_advisory_lock($1)").bind(HELD).execute(&mut self.lock).await.unwrap();
        let (one, two) = {
            let (held, free) = (&self.held, &self.free);
            let (look, lock) = (&mut self.look, &mut self.lock);
            let one = run(held, first);
            tokio::pin!(one);
            let mut answered = None;
            while answered.is_none() && !is_waiting(look, true).await {
                tokio::select! {
                    answer = &mut one => answered = Some(answer),
                    () = sleep(Duration::from_millis(2)) => {}
                }
            }
            let two = run(free, second);
            tokio::pin!(two);
            let (begun, mut second_answer) = (Instant::now(), None);
            while second_answer.is_none() && begun.elapsed() < LONG_ENOUGH && !is_waiting(look, false).await {
                tokio::select! {
                    answer = &mut two => second_answer = Some(answer),
                    () = sleep(Duration::from_millis(2)) => {}
                }
            }
            sqlx::query("SELECT pg_advisory_unlock($1)").bind(HELD).execute(lock).await.unwrap();
            let one = async { if let Some(answer) = answered { answer } else { one.await } };
            let two = async { if let Some(answer) = second_answer { answer } else { two.await } };
            tokio::join!(one, two)
        };
        (one, two, self.stored().await)
    }

    /// What is stored, without what no two runs have in common.
    async fn stored(&mut self) -> BTreeMap<String, Vec<String>> {
        let rows: Vec<(String, String)> =
            sqlx::query_as(AssertSqlSafe(self.question.clone())).fetch_all(&mut self.look).await.unwrap();
        let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (table, row) in rows {
            let mut row: Value = serde_json::from_str(&row).unwrap();
            for (column, value) in row.as_object_mut().unwrap() {
                let is_key = column == "id" || column.ends_with("_id");
                if RANDOM.iter().any(|random| column.contains(random))
                    || (is_key && value.as_i64().is_some_and(|key| key > self.largest))
                {
                    *value = Value::Null;
                }
            }
            tables.entry(table).or_default().push(row.to_string());
        }
        tables.values_mut().for_each(|rows| rows.sort());
        tables
    }
}

/// Whether a transaction of the first server waits to be let go, or one of the second for another one's row.
async fn is_waiting(look: &mut PgConnection, held: bool) -> bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() \
               AND wait_event_type = 'Lock' AND (wait_event = 'advisory') = $1)";
    sqlx::query_scalar(sql).bind(held).fetch_one(look).await.unwrap()
}

async fn server(url: String) -> TestApp {
    TestApp::start_with(Place::Sqlite, |config| {
        config.database.url.0 = url;
        config.secrets.key = "a7".repeat(32).into();
    })
    .await
}

async fn run(app: &TestApp, deed: Deed) -> String {
    match deed {
        Line(_, line) => {
            let text = if line == "multiple" {
                "osbox limit ann ann-secret 9\nset ann ann-secret mail=text"
            } else {
                "hello"
            };
            app.post(line, text).await.outcome()
        }
        Digest => format!("{:?}", send_next_digest(&app.app).await.is_ok()),
        Suspend => {
            format!("{:?}", edit_user(&app.app, "cid", UserEdit::Suspend).await.is_ok())
        }
    }
}

/// Keeps a copy of everything, and lets the first server wait before it commits.
const PREPARE: &str = "
    CREATE SCHEMA kept;
    CREATE FUNCTION wait_if_held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('knotpost.held', true) = 'on' THEN PERFORM pg_advisory_xact_lock_shared(4711); END IF;
        RETURN NULL;
    END $$;
    DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_sqlx%' LOOP
            EXECUTE format('CREATE TABLE kept.%1$I AS SELECT * FROM public.%1$I', name);
            EXECUTE format('CREATE CONSTRAINT TRIGGER held AFTER INSERT OR UPDATE OR DELETE ON public.%I \
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_if_held()', name);
        END LOOP;
    END $$;";

const BRING_BACK: &str = "
    DO $$ DECLARE name text; BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_sqlx%' LOOP
            EXECUTE format('DELETE FROM public.%I', name);
            EXECUTE format('INSERT INTO public.%1$I OVERRIDING SYSTEM VALUE SELECT * FROM kept.%1$I', name);
        END LOOP;
    END $$;";

const NAMES: &str =
    "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_sqlx%'";

/// Larger than every key there is; those that come later are larger still.
const LARGEST: &str = "SELECT max(setval(seqrelid::regclass, 1000)) FROM pg_sequence";

async fn compare(part: usize, parts: usize) {
    let Some(database) = database().await else { return };
    let mut ground = Ground::new(database).await;
    let mut serial: BTreeMap<(usize, usize), Arc<Outcome>> = BTreeMap::new();
    let mut faults = Vec::new();
    for (i, first) in DEEDS.into_iter().enumerate().filter(|(i, _)| i % parts == part) {
        for (j, second) in DEEDS.into_iter().enumerate() {
            let (one, two, found) = ground.at_once(first, second).await;
            let mut seen = Vec::new();
            for is_turned in [true, false] {
                let key = if is_turned { (j, i) } else { (i, j) };
                if !serial.contains_key(&key) {
                    let outcome = ground.one_after_the_other(DEEDS[key.0], DEEDS[key.1]).await;
                    serial.insert(key, Arc::new(outcome));
                }
                let expected = Arc::clone(&serial[&key]);
                let answers = if is_turned { (&expected.1, &expected.0) } else { (&expected.0, &expected.1) };
                if answers == (&one, &two) && expected.2 == found {
                    seen.clear();
                    break;
                }
                let differing: Vec<_> = found
                    .iter()
                    .filter(|(name, rows)| expected.2.get(*name) != Some(*rows))
                    .map(|(name, rows)| (name, rows, expected.2.get(name)))
                    .collect();
                seen.push(format!("{answers:?} {differing:#?}"));
            }
            if !seen.is_empty() {
                faults.push(format!("{first:?} || {second:?}: {one} {two}\n  {}", seen.join("\n  ")));
            }
        }
    }
    assert!(faults.is_empty(), "{} pairs have no order:\n{}", faults.len(), faults.join("\n"));
}

/// A part of the pairs each, so that they run side by side.
macro_rules! parts {
    ($($name:ident $part:literal)*) => {
        $(#[tokio::test]
        async fn $name() {
            compare($part, 6).await;
        })*
    };
}

parts! {
    every_pair_on_postgres_has_an_order_first_part 0
    every_pair_on_postgres_has_an_order_second_part 1
    every_pair_on_postgres_has_an_order_third_part 2
    every_pair_on_postgres_has_an_order_fourth_part 3
    every_pair_on_postgres_has_an_order_fifth_part 4
    every_pair_on_postgres_has_an_order_last_part 5
}
