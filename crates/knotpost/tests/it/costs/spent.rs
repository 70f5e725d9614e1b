//! What a request took: counted, and a processor's time measured.

use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use knotpost_transport::outbound::Sent;
use rustix::time::{ClockId, clock_gettime};
use tracing::field::{Field, Visit};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use super::table::Cost;
use crate::harness::TestApp;

/// How many times as long twice as much may take: less than the four times of what grows with the square.
const MOST_GROWTH: u32 = 3;
/// Less than this is too little to compare.
const TOO_LITTLE: Duration = Duration::from_millis(15);
/// How often a figure that seems to grow with the square is measured again.
const TRIES: usize = 4;

/// What was spent between two looks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) bytes_in: usize,
    pub(super) mails: usize,
    pub(super) mail_bytes: usize,
    pub(super) rows: usize,
    pub(super) answer_bytes: usize,
    pub(super) statements: usize,
    pub(super) rows_read: usize,
    pub(super) processor: Duration,
}

impl Spent {
    /// The larger of each.
    pub(super) fn most(self, other: Self) -> Self {
        Self {
            bytes_in: self.bytes_in.max(other.bytes_in),
            mails: self.mails.max(other.mails),
            mail_bytes: self.mail_bytes.max(other.mail_bytes),
            rows: self.rows.max(other.rows),
            answer_bytes: self.answer_bytes.max(other.answer_bytes),
            statements: self.statements.max(other.statements),
            rows_read: self.rows_read.max(other.rows_read),
            processor: self.processor.max(other.processor),
        }
    }

    /// Fails when anything of it is more than the row says for `times` requests.
    pub(super) fn check(self, cost: Cost, times: usize, what: &str) {
        for (spent, most, unit) in [
            (self.mails, cost.mails, "mails"),
            (self.mail_bytes, cost.mail_bytes, "bytes of mail"),
            (self.rows, cost.rows, "new rows"),
            (self.answer_bytes, cost.answer_bytes, "bytes of answer"),
            (self.statements, cost.statements, "statements"),
            (self.rows_read, cost.rows_read, "rows read"),
        ] {
            let most = most * times;
            assert!(spent <= most, "{what}: {spent} {unit}, {most} at most");
        }
        let most = cost.processor_for(self.bytes_in);
        let spent = self.processor;
        assert!(
            spent <= most,
            "{what}: {spent:?} of a processor for {} bytes, {most:?} at most",
            self.bytes_in
        );
    }

    /// The line of a report.
    pub(super) fn print(self, what: &str) {
        let Self { bytes_in, mails, mail_bytes, rows, answer_bytes, statements, rows_read, processor } = self;
        println!(
            "{what:<40} {bytes_in:>8} {mails:>5} {mail_bytes:>7} {rows:>4} {answer_bytes:>8} {statements:>6} \
             {rows_read:>6} {:>8}",
            processor.as_micros()
        );
    }
}

/// The head of a report.
pub(super) fn print_head() {
    println!(
        "{:<40} {:>8} {:>5} {:>7} {:>4} {:>8} {:>6} {:>6} {:>8}",
        "what", "in", "mails", "bytes", "rows", "answer", "asked", "read", "cpu us"
    );
}

/// The statements that were logged, and the rows they have returned.
static STATEMENTS: AtomicUsize = AtomicUsize::new(0);
static ROWS_READ: AtomicUsize = AtomicUsize::new(0);

/// Counts what is logged of each statement but those that begin and end a transaction of queries. The writer has a thread
/// of its own, so it counts for the entire process.
struct CountStatements;

impl<S: tracing::Subscriber> Layer<S> for CountStatements {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        STATEMENTS.fetch_add(1, Ordering::Relaxed);
        event.record(&mut CountRows);
    }
}

struct CountRows;

impl Visit for CountRows {
    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "rows_returned" {
            ROWS_READ.fetch_add(usize::try_from(value).unwrap(), Ordering::Relaxed);
        }
    }
}

/// The statements that were run so far, and the rows they returned. Where tests share a process those of others would be
/// counted along, so there none are.
fn asked() -> (usize, usize) {
    static LISTEN: Once = Once::new();
    if !is_alone() {
        return (0, 0);
    }
    LISTEN.call_once(|| {
        let filter = Targets::new().with_target("sqlx::query", tracing::Level::DEBUG);
        let subscriber = tracing_subscriber::registry().with(CountStatements.with_filter(filter));
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
    (STATEMENTS.load(Ordering::Relaxed), ROWS_READ.load(Ordering::Relaxed))
}

/// The beginning of what is measured.
pub(super) struct Meter {
    rows: usize,
    asked: (usize, usize),
    processor: Duration,
}

impl Meter {
    pub(super) fn start(app: &TestApp) -> Self {
        app.sent();
        let rows = stored_rows(app);
        Self { rows, asked: asked(), processor: processor_time() }
    }

    /// What was spent since then on `bytes_in`, answered with `answer_bytes`.
    pub(super) fn stop(self, app: &TestApp, bytes_in: usize, answer_bytes: usize) -> Spent {
        let processor = processor_time().saturating_sub(self.processor);
        let (statements, rows_read) = asked();
        // Wrong passwords are told to their owner once a day, whatever the command.
        let is_warning =
            |mail: &Sent| String::from_utf8_lossy(&mail.bytes).contains("Subject: Wrong passwords");
        let sent: Vec<Sent> = app.sent().into_iter().filter(|mail| !is_warning(mail)).collect();
        Spent {
            bytes_in,
            mails: sent.len(),
            mail_bytes: sent.iter().map(|mail| mail.bytes.len()).sum(),
            rows: stored_rows(app).saturating_sub(self.rows),
            answer_bytes,
            statements: statements - self.asked.0,
            rows_read: rows_read - self.asked.1,
            processor,
        }
    }
}

/// Fails when `large` takes much more of a processor than twice what `small` takes, which has half its bytes.
///
/// The least of several tries counts: what disturbs a measurement only adds to it.
pub(super) async fn check_growth(
    what: &str,
    (small, large): (usize, usize),
    measure: impl AsyncFn(usize) -> Duration,
) {
    let (mut half, mut whole) = (Duration::MAX, Duration::MAX);
    for _ in 0..TRIES {
        half = half.min(measure(small).await);
        whole = whole.min(measure(large).await);
        if whole <= half * MOST_GROWTH + TOO_LITTLE {
            return;
        }
    }
    panic!("{what}: {half:?} of a processor for {small} bytes and {whole:?} for {large}");
}

/// The time that processors have worked for this test.
///
/// All threads are counted: the one that writes to the database and those that compare passwords too. Where tests share a
/// process, the others would be counted along, so only the thread of the test counts there, on which everything else is
/// done.
fn processor_time() -> Duration {
    let clock = if is_alone() { ClockId::ProcessCPUTime } else { ClockId::ThreadCPUTime };
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// True if the test has a process of its own, which the runner gives to each, but `cargo test` does not.
fn is_alone() -> bool {
    #[expect(clippy::disallowed_methods, reason = "only the environment says how the tests are run")]
    std::env::var("NEXTEST_EXECUTION_MODE").is_ok_and(|mode| mode == "process-per-test")
}

/// The rows of all tables.
fn stored_rows(app: &TestApp) -> usize {
    let connection = rusqlite::Connection::open(app.data.path().join("knotpost.db")).unwrap();
    let mut names = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
    let names = names.query_map([], |row| row.get(0)).unwrap();
    let count = |name: rusqlite::Result<String>| {
        let sql = format!("SELECT COUNT(*) FROM {}", name.unwrap());
        connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap() as usize
    };
    names.map(count).sum()
}
