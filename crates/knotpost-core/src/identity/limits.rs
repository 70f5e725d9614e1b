//! Rate limits of a public server: kind, share and channel in one table.
//!
//! A request is charged to its host, its sender and the name it is about. The share of all together is
//! charged after the commit of something really made, so refused requests block nobody. Authenticated users
//! have a share of all that strangers cannot use up; mail and HTTP have separate ones. Readers of mails
//! caused by others are limited too.
//!
//! Held in memory: a restart resets. Counts are announced to the other processes on the database, so a rate
//! holds for all together; only the rate of HTTP requests is per process.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::boards::Refusal;
use crate::config;
use crate::identity::buckets::{Buckets, Key, Quota};
use crate::signals::peers::{Announcer, Notice};
use knotpost_model::{Channel, Rate, Share, ShareOf, UserKey};
use knotpost_platform::secret::to_hex;

#[derive(Clone, Debug)]
pub(crate) struct Asker {
    pub(crate) rate: Rate,
    pub(crate) channel: Channel,
    /// The authenticated user, or the address of a mail.
    pub(crate) sender: Option<String>,
    pub(crate) host: Option<String>,
    /// Name or board it is about.
    pub(crate) name: Option<String>,
    pub(crate) is_proven: bool,
}

/// Use of a rate by a command that was carried out.
#[derive(Clone, Debug)]
pub(crate) struct Charge {
    pub(crate) asker: Asker,
    /// Readers who were mailed.
    pub(crate) readers: Vec<UserKey>,
}

impl Asker {
    fn share(&self, scope: ShareOf) -> Share {
        Share { rate: self.rate, scope, channel: self.channel }
    }

    fn of_all(&self) -> Share {
        self.share(if self.is_proven { ShareOf::Proven } else { ShareOf::Strangers })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limited {
    pub share: Share,
    pub seconds: u64,
}

impl Limited {
    pub(crate) fn refusal(&self) -> Refusal {
        let what = self.share.rate.noun();
        let way = if self.share.channel == Channel::Mail { "by mail" } else { "over HTTP" };
        let minutes = self.seconds.div_ceil(60).max(1);
        let whose = match self.share.scope {
            ShareOf::Sender => format!("too many {what} by you"),
            ShareOf::Host => format!("too many {what} from your host or network"),
            ShareOf::Reader => format!("too many {what} to one user"),
            ShareOf::Name | ShareOf::Owner | ShareOf::Address => match self.share.rate {
                Rate::Chat | Rate::Proposal => format!("too many {what} by you on this board"),
                _ => format!("too many {what} for this userid"),
            },
            ShareOf::Strangers => format!(
                "too many {what} {way} by people who are not logged in: this limit is for the entire server, not \
                 for you alone"
            ),
            ShareOf::Proven => {
                format!("too many {what} {way}: this limit is for the entire server, not for you alone")
            }
        };
        let minutes = if minutes == 1 { "in a minute".to_owned() } else { format!("in {minutes} minutes") };
        Refusal::limited(format!("{whose}; try again {minutes}"), self.seconds)
    }
}

#[derive(Debug)]
pub struct Limits {
    config: config::Limits,
    buckets: [Buckets; Rate::ALL.len()],
    begun: Instant,
    /// Last log entry for each share of all.
    warned: Mutex<HashMap<Share, u64>>,
    announcer: Announcer,
}

/// Share of all together, in shares of one sender.
const CROWD: u32 = 100;
/// Mails to one reader, in shares of one sender: leaves room for others.
const READER: u32 = 2;
/// Share of a host that relays mail, in shares of one sender.
const MAIL_HOST: u32 = 3;
/// Per user and hour; each may take a processor for a second.
const HINTS: u32 = 60;
/// Archives or links to them, per user and hour; each reads all data about the user.
const ARCHIVES: u32 = 10;
/// Per sender and hour, and also the share of all strangers in shares of one sender; each may take a processor for
/// fifteen seconds.
const ANALYSES: u32 = 20;
const FEW: u32 = 3;
/// Hints of one host, in shares of one user.
const HOUSEHOLD: u32 = 10;
/// Chat on all boards, in shares of one board.
const BOARDS: u32 = 10;
/// Wrong passwords for an account from all unknown places, in shares of one place.
const UNKNOWN_PLACES: u32 = 3;
/// Wrong passwords of an unknown host over all accounts, in shares of one account.
const ACCOUNTS: u32 = 10;
/// Wrong passwords in a day after which the owner is warned.
const TOLD_AFTER: u32 = 20;
/// Nanoseconds between log entries for a spent share of all.
const WARNING_PAUSE: u64 = 3600 * 1_000_000_000;

const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

pub(crate) fn begin_counting() {
    // The share of an owner refuses nothing.
    let scopes = || ShareOf::ALL.iter().filter(|scope| **scope != ShareOf::Owner);
    for (rate, scope) in
        Rate::ALL.iter().flat_map(|rate| scopes().map(|scope| (rate.as_str(), scope.as_str())))
    {
        metrics::counter!("knotpost_limit_refusals_total", "rate" => rate, "scope" => scope).increment(0);
    }
}

impl Limits {
    /// Counts are sent to `announcer` too.
    pub fn new(config: &config::Limits, announcer: Announcer) -> Self {
        Self {
            config: config.clone(),
            buckets: Default::default(),
            begun: Instant::now(),
            warned: Mutex::default(),
            announcer,
        }
    }

    fn quota(&self, share: Share) -> Quota {
        let config = &self.config;
        let (one, period) = match share.rate {
            Rate::Signup => (config.signups_per_hour, HOUR),
            Rate::Challenge => (config.challenges_per_hour, HOUR),
            Rate::Reset => (config.resets_per_hour, HOUR),
            Rate::Message | Rate::Chat | Rate::Proposal => (config.messages_per_hour, HOUR),
            Rate::Hint => (HINTS, HOUR),
            Rate::Analysis => (ANALYSES, HOUR),
            Rate::Archive => (ARCHIVES, HOUR),
            Rate::Password => (config.password_tries, Duration::from_mins(15)),
            Rate::Http => (config.http_per_minute, Duration::from_mins(1)),
        };
        let times = match (share.rate, share.scope) {
            (Rate::Password, ShareOf::Owner) => return Quota::new(TOLD_AFTER, DAY),
            (Rate::Password, ShareOf::Address) => return Quota::new(FEW, period),
            (Rate::Analysis, ShareOf::Strangers) => FEW,
            (_, ShareOf::Reader) => READER,
            (_, ShareOf::Strangers | ShareOf::Proven) => CROWD,
            (Rate::Password, ShareOf::Name) => UNKNOWN_PLACES,
            (Rate::Password, ShareOf::Host) => ACCOUNTS,
            (Rate::Chat | Rate::Proposal, ShareOf::Sender | ShareOf::Host) => BOARDS,
            (Rate::Hint, ShareOf::Host) => HOUSEHOLD,
            (_, ShareOf::Host) if share.channel == Channel::Mail => MAIL_HOST,
            (_, ShareOf::Sender | ShareOf::Host | ShareOf::Name | ShareOf::Owner | ShareOf::Address) => 1,
        };
        Quota::new(one.saturating_mul(times), period)
    }

    /// Counts one use of a key; if too many, returns the seconds until the next.
    pub fn count(&self, rate: Rate, key: &str) -> Result<(), u64> {
        // For passwords the key is one place of one account.
        let scope = if rate == Rate::Password { ShareOf::Sender } else { ShareOf::Host };
        let share = Share { rate, scope, channel: Channel::Http };
        let taken = self.take(share, key).map_err(|limited| limited.seconds);
        // Too frequent to announce.
        if taken.is_ok() && rate != Rate::Http {
            self.announce(share, digest(share, key));
        }
        taken
    }

    /// As [`Self::count`], with a refusal.
    pub(crate) fn admit(&self, rate: Rate, key: &str, refused: &str) -> Result<(), Refusal> {
        self.count(rate, key).map_err(|seconds| Refusal::limited(refused, seconds))
    }

    /// Charges host, sender and name, in this order up to the first refusal, and checks that the share of all
    /// has room.
    pub(crate) fn ask(&self, asker: &Asker) -> Result<(), Limited> {
        if !self.config.enabled {
            return Ok(());
        }
        for (scope, key) in [(ShareOf::Host, &asker.host), (ShareOf::Sender, &asker.sender)] {
            self.spend(asker.share(scope), key.as_deref())?;
        }
        let all = asker.of_all();
        let looked = self.buckets(all).look(digest(all, ""), self.quota(all), self.now());
        looked.map_err(|seconds| self.refused(all, seconds))?;
        self.spend(asker.share(ShareOf::Name), asker.name.as_deref())
    }

    pub(crate) fn look_reader(&self, asker: &Asker, reader: UserKey) -> Result<(), Limited> {
        let share = asker.share(ShareOf::Reader);
        let looked = self.buckets(share).look(reader_key(share, reader), self.quota(share), self.now());
        match looked {
            Err(seconds) if self.config.enabled => Err(self.refused(share, seconds)),
            _ => Ok(()),
        }
    }

    /// Charges the share of all together, and those of the readers.
    pub(crate) fn charge(&self, Charge { asker, readers }: &Charge) {
        self.made(asker);
        let share = asker.share(ShareOf::Reader);
        for reader in readers {
            self.add(share, reader_key(share, *reader));
        }
    }

    pub(crate) fn made(&self, asker: &Asker) {
        let all = asker.of_all();
        self.add(all, digest(all, ""));
    }

    fn add(&self, share: Share, key: Key) {
        if self.config.enabled {
            self.buckets(share).add(key, self.quota(share), 1, self.now());
            self.announce(share, key);
        }
    }

    /// Takes one of each share provisionally; all or none.
    pub(crate) fn reserve(&self, shares: &[(Share, &str)]) -> Result<Reservation, Limited> {
        let mut reservation = Reservation(Vec::new());
        for (share, key) in shares.iter().filter(|_| self.config.enabled) {
            match self.take(*share, key) {
                Ok(()) => reservation.0.push((*share, digest(*share, key))),
                Err(limited) => {
                    self.give_back(reservation);
                    return Err(limited);
                }
            }
        }
        Ok(reservation)
    }

    pub(crate) fn give_back(&self, reservation: Reservation) {
        for (share, key) in reservation.0 {
            self.buckets(share).give_back(key, self.quota(share), self.now());
        }
    }

    pub(crate) fn commit(&self, reservation: Reservation) {
        for (share, key) in reservation.0 {
            self.announce(share, key);
        }
    }

    pub fn report_closed(&self) {
        for share in shares_of_all() {
            let looked = self.buckets(share).look(digest(share, ""), self.quota(share), self.now());
            let is_closed = self.config.enabled && looked.is_err();
            let labels = [
                ("rate", share.rate.as_str()),
                ("scope", share.scope.as_str()),
                ("channel", share.channel.as_str()),
            ];
            metrics::gauge!("knotpost_limit_closed", &labels).set(f64::from(u8::from(is_closed)));
        }
    }

    /// Counts a wrong password, never refusing; `Some(n)`: the daily number that triggers a warning to the
    /// owner.
    pub(crate) fn note_wrong_password(&self, account: &str) -> Option<u64> {
        let share = Share { rate: Rate::Password, scope: ShareOf::Owner, channel: Channel::Operator };
        let (key, quota, now) = (digest(share, account), self.quota(share), self.now());
        self.buckets(share).add(key, quota, 1, now);
        self.announce(share, key);
        let count = self.buckets(share).count(key, quota, now);
        (count >= u64::from(TOLD_AFTER)).then_some(count)
    }

    pub fn count_elsewhere(&self, share: Share, key: &str) {
        let key = HEXLOWER.decode(key.as_bytes()).ok().and_then(|bytes| Key::try_from(bytes).ok());
        if let Some(key) = key {
            self.buckets(share).add(key, self.quota(share), 1, self.now());
        }
    }

    fn spend(&self, share: Share, key: Option<&str>) -> Result<(), Limited> {
        let Some(key) = key else { return Ok(()) };
        self.take(share, key)?;
        self.announce(share, digest(share, key));
        Ok(())
    }

    fn take(&self, share: Share, key: &str) -> Result<(), Limited> {
        if !self.config.enabled {
            return Ok(());
        }
        let taken = self.buckets(share).take(digest(share, key), self.quota(share), self.now());
        taken.map_err(|seconds| self.refused(share, seconds))
    }

    /// Records a spent share in a metric, and for a share of all once an hour in the log.
    fn refused(&self, share: Share, seconds: u64) -> Limited {
        let (rate, scope) = (share.rate.as_str(), share.scope.as_str());
        metrics::counter!("knotpost_limit_refusals_total", "rate" => rate, "scope" => scope).increment(1);
        if matches!(share.scope, ShareOf::Strangers | ShareOf::Proven) && self.is_first_of_hour(share) {
            let channel = share.channel;
            tracing::warn!(rate, scope, ?channel, "a limit for all together is reached");
        }
        Limited { share, seconds }
    }

    fn is_first_of_hour(&self, share: Share) -> bool {
        let now = self.now();
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = warned.get(&share).is_none_or(|at| now.saturating_sub(*at) >= WARNING_PAUSE);
        if is_first {
            warned.insert(share, now);
        }
        is_first
    }

    fn buckets(&self, share: Share) -> &Buckets {
        let [first, ..] = &self.buckets;
        self.buckets.get(share.rate as usize).unwrap_or(first)
    }

    fn announce(&self, share: Share, key: Key) {
        self.announcer.announce(Notice::Counted { share, key: to_hex(&key) });
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Excludes hints, archives, passwords and requests, which have no share of all.
fn shares_of_all() -> impl Iterator<Item = Share> {
    let has_none = |rate: &Rate| matches!(rate, Rate::Hint | Rate::Archive | Rate::Password | Rate::Http);
    Rate::ALL.iter().copied().filter(move |rate| !has_none(rate)).flat_map(|rate| {
        [ShareOf::Strangers, ShareOf::Proven].into_iter().flat_map(move |scope| {
            [Channel::Mail, Channel::Http].map(|channel| Share { rate, scope, channel })
        })
    })
}

#[derive(Debug)]
#[must_use]
pub(crate) struct Reservation(Vec<(Share, Key)>);

impl Reservation {
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }
}

fn reader_key(share: Share, reader: UserKey) -> Key {
    digest(share, &format!("user {}", reader.0))
}

/// Bucket of a share. Shares of all differ by channel; a host has one key on both, with a quota each.
fn digest(share: Share, key: &str) -> Key {
    let way: &[u8] = match (share.scope, share.channel) {
        (ShareOf::Sender | ShareOf::Name | ShareOf::Owner | ShareOf::Address | ShareOf::Reader, _) => b"any",
        (_, Channel::Mail) => b"mail",
        (_, Channel::Http) => b"http",
        (_, Channel::Operator) => b"operator",
    };
    let digest = Sha256::new()
        .chain_update(share.scope.as_str())
        .chain_update([0])
        .chain_update(way)
        .chain_update([0])
        .chain_update(key)
        .finalize();
    digest.first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(change: impl FnOnce(&mut config::Limits)) -> Limits {
        let mut config = config::Limits::default();
        change(&mut config);
        Limits::new(&config, Announcer::default())
    }

    fn stranger(rate: Rate, host: &str) -> Asker {
        Asker {
            rate,
            channel: Channel::Http,
            sender: None,
            host: Some(host.to_owned()),
            name: None,
            is_proven: false,
        }
    }

    fn scope(asked: Result<(), Limited>) -> Option<ShareOf> {
        asked.err().map(|limited| limited.share.scope)
    }

    #[test]
    fn each_key_has_its_own_burst() {
        let limits = limits(|config| config.signups_per_hour = 2);
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        let wait = limits.count(Rate::Signup, "a").expect_err("the third in an hour");
        assert!((1700..=1801).contains(&wait), "{wait}");
        assert_eq!(limits.count(Rate::Signup, "b"), Ok(()));
    }

    #[test]
    fn only_what_was_made_spends_the_share_of_all() {
        let limits = limits(|config| config.resets_per_hour = 1);
        for host in 0..3 * CROWD {
            assert_eq!(limits.ask(&stranger(Rate::Reset, &format!("host {host}"))), Ok(()), "nothing made");
        }
        (0..CROWD).for_each(|_| limits.made(&stranger(Rate::Reset, "any")));
        assert_eq!(scope(limits.ask(&stranger(Rate::Reset, "one more"))), Some(ShareOf::Strangers));
        assert_eq!(limits.ask(&Asker { is_proven: true, ..stranger(Rate::Reset, "ann") }), Ok(()));
        assert_eq!(limits.ask(&Asker { channel: Channel::Mail, ..stranger(Rate::Reset, "x") }), Ok(()));
        assert_eq!(limits.ask(&stranger(Rate::Challenge, "x")), Ok(()), "another rate");
    }

    #[test]
    fn a_spent_share_of_all_shows_as_closed_until_it_drains() {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let told = recorder.handle();
        let limits = limits(|config| config.resets_per_hour = 1);
        let report = || {
            metrics::with_local_recorder(&recorder, || limits.report_closed());
            let lines = told.render();
            let mut closed: Vec<_> = lines
                .lines()
                .filter(|line| line.starts_with("knotpost_limit_closed{") && line.ends_with(" 1"))
                .map(str::to_owned)
                .collect();
            closed.sort();
            (lines.lines().filter(|line| line.starts_with("knotpost_limit_closed{")).count(), closed)
        };
        assert_eq!(report(), (28, Vec::new()));
        (0..CROWD).for_each(|_| limits.made(&stranger(Rate::Reset, "any")));
        let line = "knotpost_limit_closed{rate=\"reset\",scope=\"strangers\",channel=\"http\"} 1".to_owned();
        assert_eq!(report(), (28, vec![line]), "without anybody who is refused");
        limits.buckets(stranger(Rate::Reset, "any").of_all()).forget();
        assert_eq!(report(), (28, Vec::new()));
    }

    #[test]
    fn a_user_is_the_same_from_every_host_and_a_refusal_costs_the_host_alone() {
        let limits = limits(|config| config.messages_per_hour = 1);
        let user = |user: &str, host| Asker {
            sender: Some(user.to_owned()),
            is_proven: true,
            ..stranger(Rate::Message, host)
        };
        assert_eq!(limits.ask(&user("ann", "home")), Ok(()));
        assert_eq!(scope(limits.ask(&user("ann", "work"))), Some(ShareOf::Sender));
        assert_eq!(scope(limits.ask(&user("bob", "home"))), Some(ShareOf::Host));
        assert_eq!(limits.ask(&user("bob", "train")), Ok(()), "what the host was refused cost bob nothing");
    }

    #[test]
    fn every_spent_share_has_a_sentence_of_its_own() {
        let said = |scope| {
            let share = Share { rate: Rate::Challenge, scope, channel: Channel::Mail };
            Limited { share, seconds: 61 }.refusal().message
        };
        assert_eq!(said(ShareOf::Sender), "too many challenges were sent by you; try again in 2 minutes");
        assert_eq!(
            said(ShareOf::Host),
            "too many challenges were sent from your host or network; try again in 2 minutes"
        );
        assert!(said(ShareOf::Strangers).contains("for the entire server"), "{}", said(ShareOf::Strangers));
        assert!(said(ShareOf::Proven).contains("for the entire server"), "{}", said(ShareOf::Proven));
    }

    #[test]
    fn what_is_reserved_and_given_back_was_never_spent() {
        let limits = limits(|config| config.password_tries = 1);
        let share = |scope| Share { rate: Rate::Password, scope, channel: Channel::Mail };
        let shares = [(share(ShareOf::Sender), "ann from x"), (share(ShareOf::Name), "ann")];
        for _ in 0..50 {
            limits.give_back(limits.reserve(&shares).expect("room"));
        }
        limits.commit(limits.reserve(&shares).expect("room"));
        assert_eq!(limits.reserve(&shares).expect_err("spent").share.scope, ShareOf::Sender);
        for place in ["y", "z"] {
            let shares = [(share(ShareOf::Sender), place), (share(ShareOf::Name), "ann")];
            limits.commit(limits.reserve(&shares).expect("room"));
        }
        let all = [(share(ShareOf::Sender), "ann from v"), (share(ShareOf::Name), "ann")];
        assert_eq!(limits.reserve(&all).expect_err("spent").share.scope, ShareOf::Name);
        assert!(limits.reserve(&all[..1]).is_ok(), "what was refused took nothing of the others");
    }

    #[test]
    fn the_owner_hears_of_many_wrong_passwords() {
        let limits = limits(|config| config.enabled = false);
        let told = (0..TOLD_AFTER).filter_map(|_| limits.note_wrong_password("ann")).count();
        assert_eq!(told, 1, "at the last of them");
        assert_eq!(limits.note_wrong_password("bob"), None);
    }

    #[test]
    fn switched_off_nothing_is_limited() {
        let limits = limits(|config| (config.enabled, config.signups_per_hour) = (false, 1));
        assert!((0..100).all(|_| limits.count(Rate::Signup, "a").is_ok()));
        assert!((0..100).all(|_| limits.ask(&stranger(Rate::Signup, "a")).is_ok()));
    }

    #[test]
    fn what_was_done_elsewhere_counts_here() {
        let limits = limits(|config| config.signups_per_hour = 2);
        let here = Share { rate: Rate::Signup, scope: ShareOf::Host, channel: Channel::Http };
        limits.count_elsewhere(here, &to_hex(&digest(here, "a")));
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        assert!(limits.count(Rate::Signup, "a").is_err());
        for wrong in ["", "x", "zz00112233445566778899aabbccddee", "\u{e9}\u{e9}\u{e9}\u{e9}"] {
            limits.count_elsewhere(here, wrong);
        }
        let all = Share { scope: ShareOf::Strangers, ..here };
        (0..2 * CROWD).for_each(|_| limits.count_elsewhere(all, &to_hex(&digest(all, ""))));
        assert_eq!(scope(limits.ask(&stranger(Rate::Signup, "b"))), Some(ShareOf::Strangers));
    }
}
