//! The course of a season, step by step, and what is true after each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use knotpost_core::boards::{ServiceError, Standing};
use knotpost_core::clock::{work_due, work_tournaments};
use knotpost_core::queries::view_board;
use knotpost_core::tournaments::{TournamentLogLine, TournamentView, view_log};
use knotpost_model::{BoardRef, TournamentForm, TournamentName, TournamentState};
use knotpost_storage::{StoreError, TournamentRow};
use secrecy::SecretString;

use super::dice::Dice;
use super::ladders::Ladder;
use super::leagues::League;
use super::players::{PASSWORD, Players};
use super::post::Post;
use crate::harness::{HOLDER, HOUR, Place, TestApp};
use crate::tournaments::club::{Club, check_swiss_pairings};

/// Form, options, and days of the round, the reminder and the loss on time at steps of an hour.
type Terms = (&'static str, &'static str, [f64; 3]);

const WANTED: [Terms; 6] = [
    ("roundrobin", "-players=3-5", [2.0, 0.2, 0.8]),
    ("roundrobin", "-players=6-7 -group=4 -advance=2", [1.5, 0.2, 0.6]),
    ("roundrobin", "-players=2-2 -games=2", [1.0, 0.2, 0.5]),
    ("swiss", "-players=5-7 -rounds=3", [1.0, 0.2, 0.5]),
    ("swiss", "-players=4-8", [0.8, 0.1, 0.4]),
    ("swiss", "-players=5-6 -rounds=2 -games=2", [1.2, 0.2, 0.6]),
];
const LADDER: Terms = ("ladder", "-players=2-100", [0.0, 0.2, 0.7]);
const LEAGUE: Terms = ("league", "-players=4-40 -group=4 -move=1", [2.0, 0.2, 0.8]);
/// Tournaments that take entries at any time, and one more for each such number of players.
const OPEN: u64 = 3;
const PLAYERS: u64 = 100;
/// Players for whom there is a ladder and a league.
const COMPANY: u64 = 200;
/// Steps after the last announcement in which all must have come to their ends.
const LAST_STEPS: i64 = 24 * 20;
/// Steps between two looks at everything about ladders.
const LOOK: i64 = 24;
/// The largest number of steps of writes after which a server is cut off.
const WRITES: usize = 400;
/// Two servers must not draw the same by chance.
const TWIN: u64 = 1 << 40;

/// The length of a season, and the number of its players.
pub(super) struct Course {
    days: u64,
    players: u64,
    seed: u64,
    /// An hour in the first weeks, longer in longer seasons, whose boards are given as much more time.
    hours_a_step: i64,
}

#[expect(clippy::disallowed_methods, reason = "whoever runs this by hand says how long")]
fn number_from_environment(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

impl Course {
    pub(super) fn wanted(place: &Place) -> Self {
        let days = number_from_environment("KNOTPOST_TEST_TOURNAMENT_DAYS", 7);
        let players = number_from_environment("KNOTPOST_TEST_TOURNAMENT_PLAYERS", 24);
        // Two servers that both do everything wait for each other.
        let (part, most) = if matches!(place, Place::Postgres(_)) { (3, 60) } else { (1, u64::MAX) };
        Self {
            days: days.div_ceil(part),
            players: players.min(most),
            seed: number_from_environment("KNOTPOST_TEST_SEED", 1),
            hours_a_step: (days / 20).clamp(1, 6) as i64,
        }
    }

    pub(super) fn steps(&self) -> i64 {
        self.days as i64 * 24 / self.hours_a_step
    }

    fn terms(&self, (_, options, days): Terms) -> String {
        let [round, nag, forfeit] = days.map(|days| days * self.hours_a_step as f64);
        let round = if round > 0.0 { format!(" -roundtime={round}") } else { String::new() };
        format!("{options}{round} -nagtime={nag} -forfeittime={forfeit}")
    }
}

#[derive(Debug, Default)]
struct Tally {
    over: usize,
    swiss: usize,
    boards: usize,
    moves: usize,
    cuts: usize,
}

pub(super) struct Season {
    course: String,
    hours: i64,
    wanted: Vec<(&'static str, String)>,
    open: u64,
    /// Of one database.
    servers: Vec<Club>,
    dice: Dice,
    players: Players,
    /// Round robins and Swiss tournaments that are not over yet.
    under_way: BTreeSet<i64>,
    over: Vec<TournamentName>,
    ladders: Vec<Ladder>,
    leagues: Vec<League>,
    post: Post,
    tally: Tally,
}

/// The oldest first.
pub(super) async fn read_log(club: &Club, name: TournamentName) -> Vec<TournamentLogLine> {
    let (mut lines, mut before) = (Vec::new(), None);
    loop {
        let page = view_log(&club.app.app.store, name, before).await.expect("a log");
        lines.extend(page.log);
        before = page.cursor;
        if before.is_none() {
            lines.reverse();
            return lines;
        }
    }
}

impl Season {
    pub(super) async fn open(place: Place, course: &Course) -> Self {
        let url = match &place {
            Place::Postgres(database) => Some(database.url().to_owned()),
            Place::Sqlite | Place::Deployed(_) => None,
        };
        let settings = |config: &mut knotpost_core::config::Config| {
            config.tournaments.running_per_director = 10_000;
            config.tournaments.entries_per_user = 20;
            config.tournaments.boards_per_user = 100;
            config.limits.http_per_minute = 1_000_000;
            config.secrets.key = SecretString::from("ab".repeat(32));
        };
        let club = Club::open_with(place, &[], settings).await;
        let mut servers = vec![club];
        if let Some(url) = url {
            let app = TestApp::start_drawing(TWIN, Place::Sqlite, |config| {
                settings(config);
                config.database.url.0 = url;
            });
            let app = app.await;
            app.clock.advance(servers[0].app.app.clock.now().0 - app.app.clock.now().0);
            servers.push(Club { app });
        }
        let players = Players::sign_up(&servers[0].app, course.players).await;
        let mut season = Self {
            course: format!("{} players, {} days in {} steps", course.players, course.days, course.steps()),
            hours: course.hours_a_step,
            wanted: WANTED.iter().map(|terms| (terms.0, course.terms(*terms))).collect(),
            open: OPEN + course.players / PLAYERS,
            servers,
            dice: Dice::new(course.seed),
            players,
            under_way: BTreeSet::new(),
            over: Vec::new(),
            ladders: Vec::new(),
            leagues: Vec::new(),
            post: Post::default(),
            tally: Tally::default(),
        };
        for _ in 0..course.players.div_ceil(COMPANY) {
            season.begin_company(course).await;
        }
        season
    }

    /// A ladder and a league, with players who have entered.
    async fn begin_company(&mut self, course: &Course) {
        let club = &self.servers[0];
        let ladder =
            club.announce_by("dir", LADDER.0, &course.terms(LADDER)).await.expect("announced").line.name;
        let pause = format!("{} -pause={}", course.terms(LEAGUE), course.hours_a_step);
        let league = club.announce_by("dir", LEAGUE.0, &pause).await.expect("announced").line.name;
        for number in 0..self.players.active.len().min(60) {
            let who = self.dice.pick(&self.players.active).expect("players").clone();
            let name = if number % 2 == 0 { ladder } else { league };
            // Whoever is in already is told so.
            let _ = club.try_enter(name, &who).await;
        }
        let action = knotpost_commands::DirectorAction::Start;
        club.direct("dir", league, action, "").await.expect("it begins");
        self.ladders.push(Ladder::new(ladder));
        self.leagues.push(League::new(league));
    }

    fn any_server(&mut self) -> usize {
        self.dice.below(self.servers.len())
    }

    /// A failure of the database has no other reason than that this server was cut off.
    fn expect_cut<T>(club: &Club, outcome: Result<T, ServiceError>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(ServiceError::Refused(_)) => None,
            Err(ServiceError::Store(_)) if club.app.app.store.is_cut_off() => None,
            Err(ServiceError::Store(error)) => panic!("{}", error.with_causes()),
        }
    }

    async fn rows(&self) -> Vec<TournamentRow> {
        let mut tx = self.servers[0].app.app.store.read().await.unwrap();
        let mut rows = Vec::new();
        for name in &self.under_way {
            rows.push(tx.tournament(TournamentName(*name)).await.unwrap().expect("a tournament"));
        }
        rows
    }

    /// Announces what is missing, and lets some enter.
    pub(super) async fn begin_tournaments(&mut self) {
        let rows = self.rows().await;
        let mut open: Vec<TournamentName> =
            rows.iter().filter(|row| row.state == TournamentState::Open).map(|row| row.id).collect();
        while (open.len() as u64) < self.open {
            let (form, terms) = self.dice.pick(&self.wanted).expect("forms").clone();
            let view = self.servers[0].announce_by("dir", form, &terms).await.expect("announced");
            self.under_way.insert(view.line.name.0);
            open.push(view.line.name);
        }
        if self.dice.percent(20) {
            open.extend(self.dice.pick(&self.ladders).map(|ladder| ladder.name));
            open.extend(self.dice.pick(&self.leagues).map(|league| league.name));
        }
        for name in open {
            let at = self.any_server();
            let Some(who) = self.dice.pick(&self.players.active).cloned() else { continue };
            Self::expect_cut(&self.servers[at], self.servers[at].try_enter(name, &who).await);
        }
        for index in 0..self.ladders.len() {
            let at = self.any_server();
            for _ in 0..2 {
                self.ladders[index].challenge(&self.servers[at], &mut self.dice).await;
            }
        }
    }

    /// Time goes by: players do what they do, and servers what is due.
    pub(super) async fn live(&mut self, step: i64) {
        for server in &self.servers {
            server.app.clock.advance(self.hours * HOUR);
        }
        self.servers[0].app.stay_alive().await;
        let cut = self.dice.percent(25).then(|| self.any_server());
        if let Some(at) = cut {
            let steps = 1 + self.dice.below(WRITES) as u32;
            self.servers[at].app.app.store.cut_off_after(steps);
        }
        self.play(35).await;
        self.happen().await;
        self.run_clocks().await;
        if let Some(at) = cut {
            self.start_again(at).await;
        }
        self.run_clocks().await;
        self.deliver().await;
        self.check(step).await;
    }

    async fn open_boards(&self) -> Vec<BoardRef> {
        let mut tx = self.servers[0].app.app.store.read().await.unwrap();
        let endless =
            self.ladders.iter().map(|one| one.name.0).chain(self.leagues.iter().map(|one| one.name.0));
        let mut boards = Vec::new();
        for name in self.under_way.iter().copied().chain(endless) {
            for key in tx.open_boards(TournamentName(name), None, i64::MAX).await.unwrap() {
                let row = tx.board(key).await.unwrap().expect("a board");
                boards.push(BoardRef { game: row.game, number: u32::try_from(row.number).unwrap() });
            }
        }
        boards
    }

    /// Some players move or resign; others let their time run.
    async fn play(&mut self, resigning: usize) {
        for board in self.open_boards().await {
            if !self.dice.percent(30) {
                continue;
            }
            let at = self.any_server();
            let app = &self.servers[at].app;
            let shown = view_board(&app.app, &board, None).await.expect("a board").board;
            let Standing::ToMove(seat) = shown.standing() else { continue };
            let mover = shown.userid_at(i64::from(seat.number()));
            // Whoever has been taken out loses in the next steps.
            if !self.players.is_active(mover) {
                continue;
            }
            let BoardRef { game, number } = &board;
            let line = if self.dice.percent(resigning) {
                format!("{game} resign {number} {mover} {PASSWORD}")
            } else {
                let play = shown.position.example_move().expect("a move");
                format!("{game} move {number} {mover} {PASSWORD} {play}")
            };
            let page = app.post(&line, "").await;
            let is_done = page.outcome() == "200 ok";
            assert!(is_done || app.app.store.is_cut_off(), "{line}: {}", page.text);
            self.tally.moves += usize::from(is_done);
        }
    }

    async fn happen(&mut self) {
        for _ in 0..=self.players.active.len() as u64 / PLAYERS {
            let at = self.any_server();
            let Some(who) = self.dice.pick(&self.players.active).cloned() else { return };
            let club = &self.servers[at];
            match self.dice.below(100) {
                0..6 => {
                    let days = 1 + self.dice.below(4);
                    club.app.post(&format!("vacation {who} {PASSWORD} {days}"), "").await;
                }
                6..12 => {
                    let endless = self.ladders.iter().map(|one| one.name.0);
                    let endless = endless.chain(self.leagues.iter().map(|one| one.name.0));
                    let names: Vec<i64> = self.under_way.iter().copied().chain(endless).collect();
                    let name = TournamentName(*self.dice.pick(&names).expect("tournaments"));
                    Self::expect_cut(club, club.withdraw(name, &who).await);
                }
                _ => self.players.administer(&club.app, &mut self.dice).await,
            }
        }
    }

    /// The clock of every server, as if each held the lease, which is worse than two servers can be; at times twice.
    async fn run_clocks(&mut self) {
        let twice = self.dice.percent(25);
        let mut clocks = Vec::new();
        for server in &self.servers {
            for _ in 0..=usize::from(twice && self.servers.len() == 1) {
                clocks.push(tokio::spawn(run_clock(Arc::clone(&server.app.app))));
            }
        }
        for clock in clocks {
            clock.await.unwrap();
        }
    }

    /// The next server knows only what is stored.
    async fn start_again(&mut self, at: usize) {
        self.tally.cuts += usize::from(self.servers[at].app.app.store.is_cut_off());
        let mails = self.servers[at].app.sent();
        self.post.read(mails);
        let club = self.servers.remove(at);
        let app = club.app.start_again(|_| {}).await;
        self.servers.insert(at, Club { app });
        self.players.look_again(&self.servers[at].app).await;
    }

    async fn deliver(&mut self) {
        for server in &self.servers {
            server.app.work().await;
            self.post.read(server.app.sent());
        }
    }

    async fn check(&mut self, step: i64) {
        self.check_deadlines().await;
        let at = self.any_server();
        let rows = self.rows().await;
        for row in &rows {
            if matches!(row.state, TournamentState::Over | TournamentState::Cancelled) {
                self.close(row.id).await;
            }
        }
        if let Some(row) = self.dice.pick(&rows) {
            self.check_tables(row.id).await;
        }
        for league in &mut self.leagues {
            league.look(&self.servers[at], false).await;
        }
        if step % LOOK == 0 {
            self.look_at_all().await;
        }
    }

    async fn look_at_all(&mut self) {
        self.players.check(&self.servers[0].app).await;
        for ladder in &mut self.ladders {
            ladder.check(&self.servers[0]).await;
        }
        self.post.check_boards();
    }

    /// Nothing is past its time once the server has worked.
    async fn check_deadlines(&self) {
        let app = &self.servers[0].app.app;
        let now = app.clock.now();
        for row in self.rows().await {
            let due = match row.state {
                TournamentState::Open => row.starts_at,
                TournamentState::Running => row.deadline,
                TournamentState::Over | TournamentState::Cancelled => None,
            };
            assert!(due.is_none_or(|due| due > now), "{} has waited since {due:?} at {now:?}", row.id);
        }
        let mut tx = app.store.read().await.unwrap();
        assert_eq!(tx.due_boards(now, 1).await.unwrap(), []);
        assert_eq!(tx.tournaments_to_work(now).await.unwrap(), []);
    }

    /// Tables are those of the boards alone, and everybody is paired once.
    async fn check_tables(&self, name: TournamentName) -> TournamentView {
        let club = &self.servers[0];
        club.check(name).await;
        let view = club.view(name).await;
        match view.line.form {
            TournamentForm::Swiss => check_swiss_pairings(&view),
            _ => check_groups(&view),
        }
        view
    }

    /// A tournament is over: so are its boards, and everybody was told.
    async fn close(&mut self, name: TournamentName) {
        let view = self.check_tables(name).await;
        self.under_way.remove(&name.0);
        self.over.push(name);
        if view.line.state == TournamentState::Over {
            self.tally.over += 1;
            self.tally.swiss += usize::from(view.line.form == TournamentForm::Swiss);
        }
        self.post.check(&view, &read_log(&self.servers[0], name).await);
    }

    async fn is_any_running(&self) -> bool {
        self.rows().await.iter().any(|row| row.state == TournamentState::Running)
            || !self.open_boards().await.is_empty()
    }

    /// Lets everything come to its end, and looks at all of it.
    pub(super) async fn finish(mut self, from: i64) {
        let mut step = from;
        while self.is_any_running().await {
            assert!(step < from + LAST_STEPS, "these do not end: {:?}", self.under_way);
            self.live(step).await;
            for league in &mut self.leagues {
                league.look(&self.servers[0], true).await;
            }
            step += 1;
        }
        self.look_at_all().await;
        self.check_the_end().await;
    }

    async fn check_the_end(mut self) {
        let endless: Vec<TournamentName> =
            self.ladders.iter().map(|one| one.name).chain(self.leagues.iter().map(|one| one.name)).collect();
        let names: Vec<TournamentName> = self
            .over
            .iter()
            .copied()
            .chain(self.under_way.iter().map(|name| TournamentName(*name)))
            .collect();
        let club = &self.servers[0];
        for name in endless.iter().chain(&names) {
            let mut tx = club.app.app.store.read().await.unwrap();
            let seats = tx.paired_seats(*name, 1).await.unwrap();
            let boards: BTreeSet<i64> = seats.iter().filter_map(|seat| seat.board).collect();
            for number in &boards {
                let row = tx.find_board("osbox", u32::try_from(*number).unwrap()).await.unwrap();
                assert!(row.expect("a board").ended_at.is_some(), "board {number} of {name}");
            }
            self.tally.boards += boards.len();
        }
        let begun = club.app.app.store.read().await.unwrap().count_all_boards().await.unwrap();
        assert_eq!(self.tally.boards, begun as usize, "each board is of one pairing");
        for name in &endless {
            self.post.check(&club.view(*name).await, &read_log(club, *name).await);
        }
        let seasons: usize = self.leagues.iter().map(|league| league.seasons).sum();
        let challenges: usize = self.ladders.iter().map(|ladder| ladder.challenges).sum();
        let refusals: usize = self.ladders.iter().map(|ladder| ladder.refusals).sum();
        println!(
            "{}: {:?}, {seasons} seasons of leagues, {challenges} challenges, {refusals} refused, {} mails",
            self.course,
            self.tally,
            self.post.count()
        );
        let Tally { over, swiss, cuts, .. } = self.tally;
        assert!(over >= 5 && swiss >= 2 && cuts > 0 && seasons > 1 && challenges > 10);
    }
}

/// Does all that is due; a server that is cut off does nothing more.
async fn run_clock(app: Arc<knotpost_core::app::App>) {
    loop {
        let boards = work_due(&app, HOLDER).await;
        let tournaments = work_tournaments(&app, HOLDER).await;
        let done = |outcome: Result<bool, StoreError>| match outcome {
            Ok(is_more) => is_more,
            Err(_) if app.store.is_cut_off() => false,
            // Another server was first.
            Err(error) => {
                assert!(error.is_transient(), "{}", error.with_causes());
                true
            }
        };
        if !done(boards) & !done(tournaments) {
            return;
        }
    }
}

/// Everybody of a group meets everybody once.
fn check_groups(view: &TournamentView) {
    let mut met = BTreeSet::new();
    let mut groups: BTreeMap<(u32, &str), BTreeSet<&str>> = BTreeMap::new();
    for pairing in &view.pairings {
        let key = (pairing.round, pairing.group.as_str());
        let mut names: Vec<&str> = pairing.seats.iter().map(|seat| seat.userid.as_str()).collect();
        names.sort_unstable();
        groups.entry(key).or_default().extend(&names);
        assert!(met.insert((key, names.clone())), "{names:?} meet again in {key:?}");
    }
    let all: usize = groups.values().map(|group| group.len() * (group.len() - 1) / 2).sum();
    assert_eq!(met.len(), all);
}
