//! A club whose players enter, move, dawdle, resign, go on vacation, withdraw and leave as the dice say, on a clock that
//! runs fast, while the server is cut off between any two of its steps and several clocks run at once.
//!
//! A week by default. `KNOTPOST_TEST_TOURNAMENT_DAYS` asks for more days, `KNOTPOST_TEST_TOURNAMENT_PLAYERS` for more
//! players, `KNOTPOST_TEST_SEED` for another course.

use super::tell;

tell! {
    whatever_players_do_tournaments_go_on_to_their_tables,
}

mod stories {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::Arc;

    use knotpost_core::admin::UserEdit;
    use knotpost_core::boards::ServiceError;
    use knotpost_core::clock::work_tournaments;
    use knotpost_core::tournaments::{PairingState, TournamentView};
    use knotpost_model::{BoardRef, TournamentForm, TournamentName, TournamentState};

    use crate::harness::{HOUR, Place, edit_user};
    use crate::tournaments::club::{Club, check_swiss_pairings};

    /// Forms with terms that are short enough for a week.
    const WANTED: [(&str, &str); 6] = [
        ("roundrobin", "-players=3-5 -roundtime=2 -nagtime=0.2 -forfeittime=0.8"),
        ("roundrobin", "-players=6-7 -group=4 -advance=2 -roundtime=1.5 -nagtime=0.2 -forfeittime=0.6"),
        ("roundrobin", "-players=2-2 -games=2 -roundtime=1 -nagtime=0.2 -forfeittime=0.5"),
        ("swiss", "-players=5-7 -rounds=3 -roundtime=1 -nagtime=0.2 -forfeittime=0.5"),
        ("swiss", "-players=4-8 -roundtime=0.8 -nagtime=0.1 -forfeittime=0.4"),
        ("swiss", "-players=5-6 -rounds=2 -games=2 -roundtime=1.2 -nagtime=0.2 -forfeittime=0.6"),
    ];
    /// Tournaments that take entries at any time, and one more for each such number of players.
    const OPEN: usize = 3;
    const PLAYERS: usize = 25;
    /// Hours after the last announcement in which all must have come to their ends.
    const LAST_HOURS: i64 = 24 * 20;

    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % bound.max(1)
        }

        fn percent(&mut self, chance: usize) -> bool {
            self.below(100) < chance
        }
    }

    #[expect(clippy::disallowed_methods, reason = "whoever runs this by hand says how long")]
    fn number_from_environment(name: &str, usual: u64) -> u64 {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    }

    struct Season {
        club: Club,
        dice: Dice,
        players: Vec<String>,
        /// Not over yet.
        under_way: BTreeSet<i64>,
        all: Vec<TournamentName>,
        /// Mails about tournaments by address and subject.
        mails: BTreeMap<(String, String), usize>,
        cuts: usize,
    }

    pub(super) async fn whatever_players_do_tournaments_go_on_to_their_tables(place: Place) {
        let days = number_from_environment("KNOTPOST_TEST_TOURNAMENT_DAYS", 7) as i64;
        let count = number_from_environment("KNOTPOST_TEST_TOURNAMENT_PLAYERS", 24);
        let seed = number_from_environment("KNOTPOST_TEST_SEED", 1);
        let players: Vec<String> = (1..=count).map(|number| format!("user{number}")).collect();
        let names: Vec<&str> = players.iter().map(String::as_str).collect();
        let club = Club::open_with(place, &names, |config| {
            config.tournaments.running_per_director = 1000;
            config.limits.http_per_minute = 1_000_000;
        })
        .await;
        let mut season = Season {
            club,
            dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            players,
            under_way: BTreeSet::new(),
            all: Vec::new(),
            mails: BTreeMap::new(),
            cuts: 0,
        };
        for hour in 0..days * 24 {
            season.announce().await;
            season.enter().await;
            season = season.live_an_hour(hour).await;
        }
        let mut hour = days * 24;
        while season.is_any_running().await {
            assert!(hour < days * 24 + LAST_HOURS, "these do not end: {:?}", season.under_way);
            season = season.live_an_hour(hour).await;
            hour += 1;
        }
        season.check_the_end().await;
    }

    impl Season {
        async fn view(&self, name: i64) -> TournamentView {
            self.club.view(TournamentName(name)).await
        }

        async fn announce(&mut self) {
            let mut open = 0;
            for name in &self.under_way {
                open += usize::from(self.view(*name).await.line.state == TournamentState::Open);
            }
            for _ in open..OPEN + self.players.len() / PLAYERS {
                let (form, terms) = WANTED[self.dice.below(WANTED.len())];
                let name = self.club.announce_by("dir", form, terms).await.expect("announced").line.name;
                self.under_way.insert(name.0);
                self.all.push(name);
            }
        }

        /// Some wish to enter; refusals have good reasons, failures none.
        async fn enter(&mut self) {
            for name in self.under_way.clone() {
                if self.players.is_empty() || self.view(name).await.line.state != TournamentState::Open {
                    continue;
                }
                let who = self.players[self.dice.below(self.players.len())].clone();
                if let Err(ServiceError::Store(error)) = self.club.try_enter(TournamentName(name), &who).await
                {
                    panic!("{who} into t{name}: {}", error.with_causes());
                }
            }
        }

        async fn live_an_hour(mut self, hour: i64) -> Self {
            self.play().await;
            self.happen().await;
            self.club.app.clock.advance(HOUR);
            self.club.app.stay_alive().await;
            if self.dice.percent(25) {
                self = self.cut_off().await;
            }
            if self.dice.percent(25) {
                self.run_several_clocks().await;
            }
            self.club.app.tick().await;
            self.read_mails();
            self.check_deadlines().await;
            if hour % 8 == 0 {
                self.check_tables().await;
            }
            self
        }

        /// Some players move or resign; others let their time run.
        async fn play(&mut self) {
            let mut boards: Vec<BoardRef> = Vec::new();
            for name in &self.under_way {
                let view = self.view(*name).await;
                let open = view.pairings.iter().filter(|pairing| pairing.state == PairingState::Open);
                boards.extend(open.flat_map(|pairing| pairing.boards.clone()));
            }
            for board in boards {
                if !self.dice.percent(35) {
                    continue;
                }
                let Some(mover) = self.club.mover(&board).await else { continue };
                // Whoever has been taken out loses in the next steps.
                if !self.players.contains(&mover) {
                    continue;
                }
                if self.dice.percent(20) {
                    self.club.resign(&board, &mover).await;
                } else {
                    self.club.play_one(&board).await;
                }
            }
        }

        async fn happen(&mut self) {
            if self.players.len() < 8 {
                return;
            }
            let index = self.dice.below(self.players.len());
            let who = self.players[index].clone();
            match self.dice.below(100) {
                0..6 => {
                    let length = 1 + self.dice.below(4);
                    self.club.app.post(&format!("vacation {who} {who}-secret {length}"), "").await;
                }
                6..12 => {
                    let under_way: Vec<i64> = self.under_way.iter().copied().collect();
                    if let Some(name) = under_way.get(self.dice.below(under_way.len()))
                        && let Err(ServiceError::Store(error)) =
                            self.club.withdraw(TournamentName(*name), &who).await
                    {
                        panic!("{who} out of t{name}: {}", error.with_causes());
                    }
                }
                12 => {
                    edit_user(&self.club.app.app, &who, UserEdit::Delete).await.unwrap();
                    self.players.swap_remove(index);
                }
                _ => {}
            }
        }

        /// The server is killed after some of its steps; the next one knows only what is stored.
        async fn cut_off(mut self) -> Self {
            for _ in 0..self.dice.below(4) {
                work_tournaments(&self.club.app.app, "the test").await.unwrap();
            }
            self.read_mails();
            self.club = Club { app: self.club.app.start_again(|_| {}).await };
            self.club.app.stay_alive().await;
            self.cuts += 1;
            self
        }

        /// As if each held the lease, which is worse than two servers can be.
        async fn run_several_clocks(&mut self) {
            let work = || {
                let app = Arc::clone(&self.club.app.app);
                tokio::spawn(async move { while work_tournaments(&app, "the test").await.unwrap() {} })
            };
            for clock in [work(), work()] {
                clock.await.unwrap();
            }
        }

        fn read_mails(&mut self) {
            for letter in self.club.app.letters() {
                if letter.subject.starts_with("Tournament t") {
                    *self.mails.entry((letter.to, letter.subject)).or_default() += 1;
                }
            }
        }

        /// Nothing is past its time once the server has worked.
        async fn check_deadlines(&self) {
            let now = self.club.app.app.clock.now().to_rfc3339();
            for name in &self.under_way {
                let line = self.view(*name).await.line;
                let due = match line.state {
                    TournamentState::Open => line.starts,
                    TournamentState::Running => line.deadline,
                    TournamentState::Over | TournamentState::Cancelled => None,
                };
                if let Some(due) = due {
                    assert!(due.to_rfc3339() > now, "t{name} has waited since {} at {now}", due.to_rfc3339());
                }
            }
        }

        /// Tables are those of the boards alone, and everybody is paired once.
        async fn check_tables(&mut self) {
            for name in self.under_way.clone() {
                let name = TournamentName(name);
                self.club.check(name).await;
                let view = self.club.view(name).await;
                match view.line.form {
                    TournamentForm::Swiss => check_swiss_pairings(&view),
                    _ => check_groups(&view),
                }
                if matches!(view.line.state, TournamentState::Over | TournamentState::Cancelled) {
                    self.under_way.remove(&name.0);
                }
            }
        }

        async fn is_any_running(&self) -> bool {
            for name in &self.under_way {
                if self.view(*name).await.line.state == TournamentState::Running {
                    return true;
                }
            }
            false
        }

        async fn check_the_end(mut self) {
            self.check_tables().await;
            let (mut boards, mut over, mut swiss) = (0, 0, 0);
            for name in &self.all {
                let view = self.club.view(*name).await;
                boards += view.pairings.iter().map(|pairing| pairing.boards.len()).sum::<usize>();
                over += usize::from(view.line.state == TournamentState::Over);
                swiss += usize::from(
                    view.line.form == TournamentForm::Swiss && view.line.state == TournamentState::Over,
                );
                for board in view.pairings.iter().flat_map(|pairing| &pairing.boards) {
                    assert_eq!(self.club.result_of(board).await[0], "over", "{board} of {name}");
                }
            }
            let begun = self.club.app.app.store.read().await.unwrap().count_all_boards().await.unwrap();
            assert_eq!(boards, begun as usize, "each board is of one pairing");
            println!("{over} tournaments, {swiss} of them Swiss, {boards} boards, {} cuts", self.cuts);
            assert!(over >= 5 && swiss >= 2 && self.cuts > 10, "{over} {swiss} {}", self.cuts);
            self.check_mails().await;
        }

        /// One mail for each thing that happened.
        async fn check_mails(&self) {
            for ((to, subject), count) in &self.mails {
                let name = subject.split_whitespace().nth(1).and_then(TournamentName::from_word);
                let view = self.club.view(name.expect("a tournament")).await;
                let most = if subject.ends_with("the deadline is near") {
                    2 * view.line.round as usize
                } else if subject.ends_with("a board counts as a tie") {
                    usize::MAX
                } else {
                    1
                };
                assert!(*count <= most, "{count} times to {to}: {subject}");
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
}
