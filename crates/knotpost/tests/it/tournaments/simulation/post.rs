//! Mails of the club, counted: one for each thing that happened.

use std::collections::BTreeMap;

use knotpost_core::tournaments::{TournamentLogLine, TournamentView};
use knotpost_model::{PlayerState, TournamentAction, TournamentState};
use knotpost_transport::outbound::Sent;

use super::players::address_of;

#[derive(Default)]
pub(super) struct Post {
    /// By subject and address.
    told: BTreeMap<String, BTreeMap<String, usize>>,
}

/// The line of the subject, unfolded.
fn subject_of(mail: &[u8]) -> String {
    let text = String::from_utf8_lossy(mail);
    let head = text.split("\r\n\r\n").next().unwrap_or_default().replace("\r\n ", " ");
    head.lines().find_map(|line| line.strip_prefix("Subject: ")).unwrap_or_default().to_owned()
}

impl Post {
    pub(super) fn read(&mut self, mails: Vec<Sent>) {
        for mail in mails {
            let subject = subject_of(&mail.bytes);
            if subject.starts_with("Tournament t") || subject.starts_with("New ") {
                *self.told.entry(subject).or_default().entry(mail.to).or_default() += 1;
            }
        }
    }

    pub(super) fn count(&self) -> usize {
        self.told.values().flat_map(BTreeMap::values).sum()
    }

    /// The beginning of each board is mailed once, to one player.
    pub(super) fn check_boards(&self) {
        for (subject, told) in self.told.iter().filter(|(subject, _)| subject.starts_with("New ")) {
            assert_eq!(told.values().sum::<usize>(), 1, "{subject}: {told:?}");
        }
    }

    /// Mails about a tournament to its players and its director.
    pub(super) fn check(&self, view: &TournamentView, log: &[TournamentLogLine]) {
        let name = view.line.name;
        let count =
            |is_meant: &dyn Fn(&TournamentLogLine) -> bool| log.iter().filter(|line| is_meant(line)).count();
        let went = |userid: &str| {
            count(&|line| {
                matches!(line.action, TournamentAction::Out | TournamentAction::Expel)
                    && line.userid.as_deref() == Some(userid)
            })
        };
        let of_action = |action: TournamentAction| count(&|line| line.action == action);
        let begins = format!("Tournament {name} ");
        for (subject, told) in
            self.told.range(begins.clone()..).take_while(|(key, _)| key.starts_with(&begins))
        {
            for (to, times) in told {
                let reader = to.split('@').next().unwrap_or_default();
                let what = subject.rsplit(": ").next().unwrap_or_default();
                let most = match what {
                    "the deadline is near" => 2 * view.line.round as usize,
                    "you are out" => went(reader),
                    "its start was put off" => of_action(TournamentAction::PutOff),
                    "a board counts as a tie" => of_action(TournamentAction::Removed),
                    _ => what.strip_suffix(" is out").map_or(1, went),
                };
                assert!(*times <= most, "{times} times, at most {most}, to {to}: {subject}");
            }
        }
        if view.line.state == TournamentState::Over {
            self.check_all_told(view, &format!("{begins}Winter cup is over"));
        }
    }

    fn check_all_told(&self, view: &TournamentView, subject: &str) {
        let told = self.told.get(subject).expect("somebody is told");
        for player in view.players.iter().filter(|player| player.state == PlayerState::In && !player.bot) {
            assert_eq!(told.get(&address_of(&player.userid)), Some(&1), "{} of {subject}", player.userid);
        }
    }
}
