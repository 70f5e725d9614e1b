//! The amount that a turn must place: as many dice as possible, and with these as many designs as possible.
//!
//! A die touches only the design it lies on, so the designs are searched apart from each other and put together
//! afterwards. Within a design the order of placements matters only in that every die needs one to lean on; a set of
//! dice is therefore tried once, cell by cell, and not in all its orders.

use super::{
    design::Design,
    dice::{Kind, Roll},
};
use knotpost_rules::knot::{Face, Place, Places};

/// The amount of a complete turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quota {
    /// Dice placed.
    pub dice: u8,
    /// Different designs they lie on.
    pub designs: u8,
}

impl Quota {
    /// The rest after this much; `None` when that is more already.
    pub(super) const fn after(self, made: Self) -> Option<Self> {
        match (self.dice.checked_sub(made.dice), self.designs.checked_sub(made.designs)) {
            (Some(dice), Some(designs)) => Some(Self { dice, designs }),
            _ => None,
        }
    }
}

/// A die laid on a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The design's place in seat order, from 0.
    pub design: usize,
    pub place: Place,
    pub face: Face,
}

/// The order to a search for placements after one was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// To the next one.
    On,
    /// To the next kind of die or the next design.
    Elsewhere,
    /// Not at all.
    Enough,
}

/// The designs in the midst of a turn.
#[derive(Clone)]
pub(super) struct Planner<'a> {
    designs: [Option<&'a Design>; super::MAX_SEATS],
    roll: &'a Roll,
    /// Dice not placed yet, a bit each.
    left: u8,
    /// Designs that have got a die this turn, a bit each.
    used: u8,
    /// For each design and set of dice, the answer to [`Self::can_take`] as far as known.
    memo: [[Option<bool>; 1 << super::MAX_SEATS]; super::MAX_SEATS],
}

impl<'a> Planner<'a> {
    /// The start of a turn.
    pub(super) fn new(designs: &'a [Design; super::MAX_SEATS], roll: &'a Roll) -> Self {
        Self::begin(designs.each_ref(), roll)
    }

    fn begin(designs: [&'a Design; super::MAX_SEATS], roll: &'a Roll) -> Self {
        Self {
            designs: designs.map(|design| (!design.is_closed()).then_some(design)),
            roll,
            left: roll.mask(),
            used: 0,
            memo: [[None; 1 << super::MAX_SEATS]; super::MAX_SEATS],
        }
    }

    /// A turn in which just the dice in `left` are not placed yet and the designs in `used` have got some, a bit each.
    pub(super) fn resume(
        designs: [&'a Design; super::MAX_SEATS],
        roll: &'a Roll,
        left: u8,
        used: u8,
    ) -> Self {
        Self { left, used, ..Self::begin(designs, roll) }
    }

    /// True if just this much can be made up from here.
    pub(super) fn can_make(&mut self, quota: Quota) -> bool {
        self.can_reach(0, self.left, quota)
    }

    /// The most dice that can be placed from here, and the most designs these can lie on; both count from here.
    pub(super) fn find_quota(&mut self) -> Quota {
        let dice = self.left.count_ones() as u8;
        for dice in (1..=dice).rev() {
            for designs in (0..=dice).rev() {
                let quota = Quota { dice, designs };
                if self.can_make(quota) {
                    return quota;
                }
            }
        }
        Quota { dice: 0, designs: 0 }
    }

    /// Goes on with a die of the roll on one design, which then looks like `changed`.
    fn follow(&self, die: usize, design: usize, changed: &'a Design) -> Self {
        let mut next = self.clone();
        next.left &= !(1 << die);
        next.used |= 1 << design;
        if let Some(slot) = next.designs.get_mut(design) {
            *slot = Some(changed);
        }
        if let Some(row) = next.memo.get_mut(design) {
            *row = [None; 1 << super::MAX_SEATS];
        }
        next
    }

    /// Calls `found` with each placement that leads to `quota`, as long as it wants more.
    pub(super) fn visit_steps(&mut self, quota: Quota, mut found: impl FnMut(Step) -> Search) {
        if quota.dice == 0 {
            return;
        }
        for design in 0..super::MAX_SEATS {
            let Some(now) = self.designs.get(design).copied().flatten() else { continue };
            let fresh = self.used >> design & 1 == 0;
            let Some(designs) = quota.designs.checked_sub(u8::from(fresh)) else { continue };
            let rest = Quota { dice: quota.dice - 1, designs };
            // The share of the other designs alone is the same for all cells.
            let beside = self.find_done_beside(design, rest);
            let mut changed = None;
            let mut wanted = self.roll.faces(self.left);
            for place in now.loose().iter() {
                let mut faces = now.faces_at(place).and(wanted);
                while let Some(face) = faces.take_first() {
                    let kind = Kind::of(face);
                    let Some(die) = self.roll.find(kind, self.left) else { continue };
                    let leads = beside >> die & 1 == 1 || {
                        let changed = changed.get_or_insert_with(|| now.clone());
                        let undo = changed.put(place, face);
                        let reached = self.follow(die, design, changed).can_make(rest);
                        changed.take_back(&undo);
                        reached
                    };
                    if leads {
                        match found(Step { design, place, face }) {
                            Search::On => {}
                            Search::Elsewhere => {
                                wanted = wanted.without(kind.faces());
                                faces = faces.and(wanted);
                            }
                            Search::Enough => return,
                        }
                    }
                }
            }
        }
    }

    /// The dice, a bit each, after which the designs beside this one can make up `quota` from the others.
    fn find_done_beside(&mut self, design: usize, quota: Quota) -> u8 {
        let hidden = self.designs.get_mut(design).and_then(Option::take);
        let left = self.left;
        let dice = (0..super::MAX_SEATS).map(|die| 1 << die).filter(|die| left & die != 0);
        let done = dice.filter(|die| self.can_reach(0, left & !die, quota)).sum();
        if let Some(slot) = self.designs.get_mut(design) {
            *slot = hidden;
        }
        done
    }

    /// True if the designs from `first` on can take exactly `quota` from the dice in `left`.
    fn can_reach(&mut self, first: usize, left: u8, quota: Quota) -> bool {
        if quota.dice == 0 {
            return quota.designs == 0;
        }
        if quota.designs > quota.dice || first >= super::MAX_SEATS {
            return false;
        }
        if self.designs.get(first).is_some_and(Option::is_some) {
            let fresh = u8::from(self.used >> first & 1 == 0);
            for dice in 1..=left {
                let count = dice.count_ones() as u8;
                if dice & !left != 0 || count > quota.dice || fresh > quota.designs {
                    continue;
                }
                let rest = Quota { dice: quota.dice - count, designs: quota.designs - fresh };
                if rest.designs <= rest.dice
                    && self.can_take(first, dice)
                    && self.can_reach(first + 1, left & !dice, rest)
                {
                    return true;
                }
            }
        }
        self.can_reach(first + 1, left, quota)
    }

    /// True if a design can take these dice, in whatever order.
    fn can_take(&mut self, design: usize, dice: u8) -> bool {
        let Some(now) = self.designs.get(design).copied().flatten() else { return false };
        let known = self.memo.get(design).and_then(|row| row.get(usize::from(dice))).copied().flatten();
        if let Some(known) = known {
            return known;
        }
        let fits = if dice.is_power_of_two() {
            self.has_room(now, dice, now.loose())
        } else {
            self.try_dice(&mut now.clone(), dice, Places::default())
        };
        if let Some(slot) = self.memo.get_mut(design).and_then(|row| row.get_mut(usize::from(dice))) {
            *slot = Some(fits);
        }
        fits
    }

    /// True if a single die finds a place among these.
    fn has_room(&self, design: &Design, die: u8, among: Places) -> bool {
        let kind = self.roll.dice().get(die.trailing_zeros() as usize);
        kind.is_some_and(|kind| design.has_room(*kind, among))
    }

    /// True if these dice find places when the `skipped` cells stay empty. The design is afterwards what it was.
    fn try_dice(&self, design: &mut Design, dice: u8, mut skipped: Places) -> bool {
        let free = design.loose().without(skipped);
        if dice.is_power_of_two() {
            return self.has_room(design, dice, free);
        }
        let wanted = self.roll.faces(dice);
        for place in free.iter() {
            let mut faces = design.faces_at(place).and(wanted);
            while let Some(face) = faces.take_first() {
                let Some(die) = self.roll.find(Kind::of(face), dice) else { continue };
                let undo = design.put(place, face);
                let fits = self.try_dice(design, dice & !(1 << die), skipped);
                design.take_back(&undo);
                if fits {
                    return true;
                }
            }
            skipped.insert(place);
        }
        false
    }
}
