//! The games of this server, with the usual limits of time.

use knotpost_rules::{AnyGame, GameKind, Meta, Registry};

use crate::config::{Config, Time};

pub struct Games {
    /// Includes games switched off: their boards stay readable, and are played to their end.
    pub registry: &'static Registry,
    disabled: Vec<String>,
    /// Limits of boards that have none of their own.
    pub time: Time,
}

impl Games {
    pub fn new(registry: &'static Registry, config: &Config) -> Self {
        Self { registry, disabled: config.games.disabled.clone(), time: config.time.clone() }
    }

    pub fn find(&self, name: &str) -> Option<&'static dyn AnyGame> {
        self.registry.find(name)
    }

    /// Finds a game in which new boards may begin.
    pub fn find_offered(&self, name: &str) -> Option<&'static dyn AnyGame> {
        self.find(name).filter(|game| self.is_offered(game.meta().name))
    }

    pub fn offered(&self) -> impl Iterator<Item = &'static dyn AnyGame> + '_ {
        self.registry.iter().filter(|game| self.is_offered(game.meta().name))
    }

    /// The games on offer, kind by kind.
    pub fn offered_by_kind(&self) -> Vec<(GameKind, Vec<&'static Meta>)> {
        let of_kind =
            |kind| self.offered().map(AnyGame::meta).filter(move |meta| meta.kind == kind).collect();
        let kinds = GameKind::ALL.map(|kind| (kind, of_kind(kind)));
        kinds.into_iter().filter(|(_, games): &(_, Vec<_>)| !games.is_empty()).collect()
    }

    fn is_offered(&self, name: &str) -> bool {
        !self.disabled.iter().any(|off| off.eq_ignore_ascii_case(name))
    }
}
