//! Every pair of use cases that write, on two servers of one PostgreSQL: one is stopped in the middle of its
//! transaction, the other runs, the first goes on. What is stored afterwards and what both are told must be what
//! comes out when one runs after the other, in either order.
//!
//! A pair runs at the points at which something can come out that is of no order; the tables that each use case touches
//! when it runs alone tell which these are ([`Footprint::can_meet`]). All pairs run at all points where [`ALL`] says so.

mod cases;
mod covered;
mod gate;
mod stored;
mod world;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::pin::pin;
use std::time::Duration;

use cases::CASES;
use gate::{Gate, Point};
use stored::{Stored, mask};
use world::{World, settings};

use crate::harness::{Place, TestApp};
use crate::postgres::{TestDatabase, database};

/// The tests among which the pairs are divided.
const PARTS: usize = 6;
/// The variable that asks for every pair; `./test --all` sets it.
const ALL: &str = "KNOTPOST_TEST_ALL_PAIRS";
/// What a use case draws beside itself is not the same twice.
const TWIN: u64 = 1 << 40;
/// After so long without an end, whoever runs beside a stopped one waits for something that will not come.
const PATIENCE: Duration = Duration::from_secs(20);

const TWICE: &str = "who signs up twice at the same moment is told once that the name is taken; the mail is on its way, \
    and a third try asks for another";
const BETWEEN_BOARDS: &str = "the clock writes each board in a transaction of its own: what comes between two boards is \
    after the one and before the other";
/// Pairs that may come out as in no order, at which point (`None`: at each), and why.
const NOT_IN_ORDER: &[(&str, &str, Option<Point>, &str)] = &[
    ("signup gus gus-secret gus@gus.example", "signup gus gus-secret gus@gus.example", None, TWICE),
    ("signup gus gus-other gus@other.example", "signup gus gus-other gus@other.example", None, TWICE),
    // Who waits for the first board may come before the second.
    ("the clock", "vacation ann ann-secret 3", Some(Point::Commit(1)), BETWEEN_BOARDS),
    ("the clock", "delete", Some(Point::Commit(1)), BETWEEN_BOARDS),
    ("the clock", "delete with remarks", Some(Point::Commit(1)), BETWEEN_BOARDS),
    ("the clock", "vacation ann ann-secret 3", Some(Point::Begin(2)), BETWEEN_BOARDS),
    // The second board conflicts with the vacation, and is run again after it.
    ("the clock", "vacation ann ann-secret 3", Some(Point::Commit(2)), BETWEEN_BOARDS),
    ("the clock", "delete", Some(Point::Begin(2)), BETWEEN_BOARDS),
    ("the clock", "delete with remarks", Some(Point::Begin(2)), BETWEEN_BOARDS),
];

/// Mails leave in several transactions. A move, a resignation or a move taken back that comes between the lease and the
/// acknowledgement finds mails that were leased: they leave before its own, or are dropped. So it is in no order with all
/// of them, and is compared only where it comes before the lease.
const IN_SEVERAL: &str = "a mail leaves";

fn may_differ(first: usize, second: usize, point: Point) -> bool {
    if CASES[first].name == IN_SEVERAL && point != Point::Begin(1) {
        return true;
    }
    NOT_IN_ORDER.iter().any(|(one, other, at, _)| {
        (CASES[first].name, CASES[second].name) == (*one, *other) && at.is_none_or(|only| only == point)
    })
}

/// What a pair comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    first: String,
    second: String,
    changes: Vec<String>,
}

/// What one use case and then another come to.
#[derive(Clone)]
struct InOrder {
    said: String,
    said_then: String,
    changes: Vec<String>,
}

/// What a use case does when it runs alone.
struct Footprint {
    /// Where it can be stopped, each with the tables that it has used before.
    points: Vec<(Point, BTreeSet<String>)>,
    written: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl Footprint {
    /// Returns false if `other`, run while this is stopped there, comes before all of it: it writes to no table that was
    /// used up to there, and nothing that is committed already is in a table that it uses.
    fn can_meet(&self, point: Point, used: &BTreeSet<String>, other: &Self) -> bool {
        !other.written.is_disjoint(used) || (point.number() > 1 && !self.written.is_disjoint(&other.used))
    }
}

/// Two servers of one database.
struct Pair {
    world: World,
    stored: Stored,
    gate: Gate,
    first: TestApp,
    second: TestApp,
    /// What comes out when one use case is carried out, then the other.
    in_order: HashMap<(usize, usize), InOrder>,
    _database: TestDatabase,
}

impl Pair {
    async fn start(database: TestDatabase) -> Self {
        let url = database.url().to_owned();
        let second = TestApp::start_with(Place::Sqlite, |config| settings(config, &url)).await;
        let world = World::make(&second).await;
        let gate = Gate::before(&url);
        let through = gate.url_of(&url);
        let first = TestApp::start_drawing(TWIN, Place::Sqlite, |config| settings(config, &through)).await;
        first.clock.advance(second.app.clock.now().0 - first.app.clock.now().0);
        let stored = Stored::of(&url).await;
        Self { world, stored, gate, first, second, in_order: HashMap::new(), _database: database }
    }

    /// Everything as it was; a use case draws the same by chance wherever it runs and whatever runs beside it.
    async fn begin_again(&mut self, on_first: usize, on_second: usize) {
        let twin = if on_first == on_second { TWIN } else { 0 };
        self.first.draw_from(on_first as u64 + twin);
        self.second.draw_from(on_second as u64);
        self.stored.put_back().await;
        self.first.sent();
        self.second.sent();
    }

    /// One after the other.
    async fn run_in_order(&mut self, earlier: usize, later: usize) -> InOrder {
        if let Some(known) = self.in_order.get(&(earlier, later)) {
            return known.clone();
        }
        self.begin_again(later, earlier).await;
        self.gate.arm(None);
        let said = CASES[earlier].run(&self.second, &self.world).await;
        let said_then = CASES[later].run(&self.first, &self.world).await;
        let changes = self.changes(earlier, later).await;
        let outcome = InOrder { said: mask(&said), said_then: mask(&said_then), changes };
        self.in_order.insert((earlier, later), outcome.clone());
        outcome
    }

    /// What both have changed when all that they began is finished.
    async fn changes(&mut self, one: usize, other: usize) -> Vec<String> {
        for case in [&CASES[one], &CASES[other]] {
            case.finish(&self.first).await;
            case.finish(&self.second).await;
        }
        self.stored.changes().await
    }

    /// The second while the first is stopped; `None`: the first has no such point.
    async fn run_beside(&mut self, first: usize, second: usize, point: Point) -> Option<Outcome> {
        self.begin_again(first, second).await;
        self.gate.arm(Some(point));
        let (said, said_second) = Box::pin(self.run_both(first, second)).await?;
        let changes = self.changes(first, second).await;
        Some(Outcome { first: mask(&said), second: mask(&said_second), changes })
    }

    async fn run_both(&mut self, first: usize, second: usize) -> Option<(String, String)> {
        let one = CASES[first].run(&self.first, &self.world);
        let two = CASES[second].run(&self.second, &self.world);
        let (mut one, mut two) = (pin!(one), pin!(two));
        tokio::select! {
            _ = &mut one => return None,
            () = self.gate.held() => {}
        }
        let gate = &self.gate;
        let waits = async {
            while !self.stored.somebody_waits().await {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let early = tokio::select! {
            said = &mut two => Some(said),
            () = waits => None,
        };
        gate.open();
        let rest = async { if let Some(said) = early { (one.await, said) } else { tokio::join!(one, two) } };
        Some(tokio::time::timeout(PATIENCE, rest).await.expect("both come to an end"))
    }
}

/// How two outcomes differ.
fn difference(found: &Outcome, expected: &Outcome) -> String {
    let mut text = String::new();
    for (who, found, expected) in
        [("first", &found.first, &expected.first), ("second", &found.second, &expected.second)]
    {
        if found != expected {
            let _ = writeln!(text, "  {who} is told {}\n  instead of {}", short(found), short(expected));
        }
    }
    for (sign, rows, others) in
        [("found", &found.changes, &expected.changes), ("missing", &expected.changes, &found.changes)]
    {
        let mut left = others.clone();
        for row in rows {
            match left.iter().position(|other| other == row) {
                Some(at) => drop(left.swap_remove(at)),
                None => drop(writeln!(text, "  {sign} {}", short(row))),
            }
        }
    }
    text
}

fn short(text: &str) -> String {
    text.replace('\n', " ").chars().take(700).collect()
}

/// A part of the pairs.
async fn compare(part: usize) {
    let Some(database) = database().await else { return };
    let mut pair = Box::pin(Pair::start(database)).await;
    let mut footprints = Vec::new();
    for case in 0..CASES.len() {
        footprints.push(pair.alone(case).await);
    }
    #[expect(clippy::disallowed_methods, reason = "the runner asks for all by environment")]
    let all = std::env::var_os(ALL).is_some();
    let (mut faults, mut runs) = (0, 0);
    for (first, case) in CASES.iter().enumerate() {
        for (second, other) in CASES.iter().enumerate() {
            if (first + second) % PARTS != part {
                continue;
            }
            for (point, used) in &footprints[first].points {
                let can_meet = all || footprints[first].can_meet(*point, used, &footprints[second]);
                if !can_meet || may_differ(first, second, *point) {
                    continue;
                }
                runs += 1;
                if let Some(fault) = Box::pin(pair.fault(first, second, *point)).await {
                    faults += 1;
                    println!("{point:?} of {:?}, beside it {:?}\n{fault}", case.name, other.name);
                }
            }
        }
    }
    println!("{runs} runs");
    assert_eq!(faults, 0, "what came out is that of no order");
}

impl Pair {
    /// How the second beside the stopped first differs from both orders.
    async fn fault(&mut self, first: usize, second: usize, point: Point) -> Option<String> {
        let found = self.run_beside(first, second, point).await?;
        let InOrder { said, said_then, changes } = self.run_in_order(second, first).await;
        let before = Outcome { first: said_then, second: said, changes };
        if found == before {
            return None;
        }
        let InOrder { said, said_then, changes } = self.run_in_order(first, second).await;
        let after = Outcome { first: said, second: said_then, changes };
        let differs = || {
            format!(" after it:\n{} before it:\n{}", difference(&found, &after), difference(&found, &before))
        };
        (found != after).then(differs)
    }

    async fn alone(&mut self, first: usize) -> Footprint {
        self.begin_again(first, first).await;
        self.gate.arm(None);
        let case = &CASES[first];
        let said = case.run(&self.first, &self.world).await;
        let points = self.gate.points(&self.stored.tables);
        case.finish(&self.first).await;
        let written: BTreeSet<String> = self.stored.touched().await.into_iter().collect();
        let used = self.gate.used(&self.stored.tables);
        assert!(!self.stored.changes().await.is_empty(), "{} writes nothing: {said}", case.name);
        let is_good = ["200 ", "303 ", "Ok(", "Received"].iter().any(|good| said.starts_with(good));
        assert!(is_good, "{}: {said}", case.name);
        Footprint { points, written, used }
    }
}

macro_rules! parts {
    ($($name:ident $part:literal)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                compare($part).await;
            }
        )+
        const _: () = assert!(PARTS == [$($part),+].len());
    };
}

parts! {
    pairs_on_postgres_are_as_if_one_by_one_1 0
    pairs_on_postgres_are_as_if_one_by_one_2 1
    pairs_on_postgres_are_as_if_one_by_one_3 2
    pairs_on_postgres_are_as_if_one_by_one_4 3
    pairs_on_postgres_are_as_if_one_by_one_5 4
    pairs_on_postgres_are_as_if_one_by_one_6 5
}
