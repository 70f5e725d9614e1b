//! A turn of Osbo in the making: dice laid so far, what can follow, and whether it is complete.

use super::{
    Dice, MAX_SEATS, Osbo,
    design::Design,
    dice::{Kind, Roll},
    moves::{Cell, MisfitReason, OsboIllegal, OsboMove, Placement},
    plan::{Planner, Quota, Search, Step},
    rules::Rules,
};
use knotpost_rules::{
    Game, Seat,
    knot::{Face, Place},
};

/// Placements that a list has room for at first.
const USUAL_CHOICES: usize = 32;

/// The changes of a turn so far.
pub(super) struct Laid {
    /// The designs that have got a die as they are now, each with its place in seat order.
    pub designs: Vec<(usize, Design)>,
    /// Dice of the roll not laid yet, a bit each.
    left: u8,
}

impl Laid {
    /// All designs as they are now.
    fn over<'a>(&'a self, before: &'a [Design; MAX_SEATS]) -> [&'a Design; MAX_SEATS] {
        let mut designs = before.each_ref();
        for (index, changed) in &self.designs {
            if let Some(design) = designs.get_mut(*index) {
                *design = changed;
            }
        }
        designs
    }

    /// The part of the turn that has been done.
    pub(super) const fn amount(&self, roll: &Roll) -> Quota {
        let dice = roll.mask().count_ones() - self.left.count_ones();
        Quota { dice: dice as u8, designs: self.designs.len() as u8 }
    }

    /// The designs that have got a die, a bit each.
    fn used(&self) -> u8 {
        self.designs.iter().fold(0, |used, (index, _)| used | 1 << index)
    }

    /// A design as it is now, which `before` was when the turn began.
    fn design<'a>(&'a self, index: usize, before: &'a Design) -> &'a Design {
        self.designs.iter().find(|(other, _)| *other == index).map_or(before, |(_, design)| design)
    }

    /// Lays a die of the roll where it legally fits.
    fn put(&mut self, die: usize, index: usize, before: &Design, (place, face): (Place, Face)) {
        self.left &= !(1 << die);
        if let Some((_, design)) = self.designs.iter_mut().find(|(other, _)| *other == index) {
            design.put(place, face);
        } else {
            let mut design = before.clone();
            design.put(place, face);
            self.designs.push((index, design));
        }
    }
}

impl Osbo {
    /// The roll to play with, and how much a turn with it must place.
    pub(super) fn current_roll(&self) -> Result<(&Roll, Quota), OsboIllegal> {
        match &self.dice {
            Dice::Rolled(roll, quota) => Ok((roll, *quota)),
            Dice::Hidden if self.is_over() => Err(OsboIllegal::Over),
            Dice::Hidden => Err(OsboIllegal::NotRolled),
        }
    }

    /// Returns the dice of a turn to the seat to move.
    pub(super) fn take_roll(&mut self, roll: Roll) {
        let quota = Planner::new(&self.designs, &roll).find_quota();
        self.dice = Dice::Rolled(roll, quota);
    }

    /// Lays dice on copies of the designs.
    pub(super) fn lay(&self, roll: &Roll, placements: &[Placement]) -> Result<Laid, OsboIllegal> {
        let mut laid = Laid { designs: Vec::with_capacity(placements.len()), left: roll.mask() };
        for placement in placements {
            self.lay_one(roll, *placement, &mut laid)?;
        }
        Ok(laid)
    }

    fn lay_one(&self, roll: &Roll, placement: Placement, laid: &mut Laid) -> Result<(), OsboIllegal> {
        let Rules { seats, size, .. } = self.rules;
        let index = placement.design.index();
        let before = self.designs().get(index).ok_or(OsboIllegal::NoDesign { placement, seats })?;
        let design = laid.design(index, before);
        let grid = design.grid();
        let place = placement.cell.place(grid);
        let place = place.ok_or(OsboIllegal::NoCell { placement, last: Cell::top_right(grid) })?;
        let left = laid.left;
        let die = roll.find(Kind::of(placement.face), left).ok_or_else(|| {
            let kinds = roll.dice().iter().enumerate().filter(|(die, _)| left >> die & 1 == 1);
            OsboIllegal::of_missing(placement, &kinds.map(|(_, kind)| *kind).collect::<Vec<_>>())
        })?;
        if let Some(why) = design.find_misfit(place, placement.face) {
            return Err(OsboIllegal::Misfit { placement, why: MisfitReason(why), size });
        }
        laid.put(die, index, before, (place, placement.face));
        Ok(())
    }

    /// Calls `found` with each placement that can follow those made, as long as it wants more.
    ///
    /// # Errors
    /// What is wrong with those made, or that they cannot be completed to a legal turn.
    pub(super) fn visit_next(
        &self,
        begun: &[Placement],
        mut found: impl FnMut(Placement) -> Search,
    ) -> Result<Quota, OsboIllegal> {
        let (roll, quota) = self.current_roll()?;
        let laid = self.lay(roll, begun)?;
        let made = laid.amount(roll);
        let mut planner = Planner::resume(laid.over(&self.designs), roll, laid.left, laid.used());
        let mut leads_on = made == quota;
        if let Some(rest) = quota.after(made) {
            planner.visit_steps(rest, |step| {
                leads_on = true;
                self.placement(step).map_or(Search::On, &mut found)
            });
        }
        if leads_on {
            return Ok(quota);
        }
        let further = planner.find_quota();
        let whole = Quota { dice: made.dice + further.dice, designs: made.designs + further.designs };
        OsboIllegal::of_shortfall(whole, quota).map_or(Ok(quota), Err)
    }

    fn placement(&self, step: Step) -> Option<Placement> {
        let cell = Cell::at(step.place, 2 * self.rules.size - 1);
        Some(Placement { face: step.face, design: Seat::from_index(step.design)?, cell })
    }

    /// Every placement that can follow those made in a turn that can still be completed; none when it is complete.
    /// Returns them in no particular order, with the dice and designs of a complete turn.
    ///
    /// # Errors
    /// As for a move.
    pub fn list_next(&self, begun: &[Placement]) -> Result<(Vec<Placement>, u8, u8), OsboIllegal> {
        let mut next = Vec::with_capacity(USUAL_CHOICES);
        let quota = self.visit_next(begun, |placement| {
            next.push(placement);
            Search::On
        })?;
        Ok((next, quota.dice, quota.designs))
    }

    /// A complete turn die by die, each chosen from all that lead on.
    pub(super) fn pick_each(
        &self,
        choose: &mut dyn FnMut(&[Placement]) -> Option<Placement>,
    ) -> Option<OsboMove> {
        let mut begun: Option<OsboMove> = None;
        loop {
            let (next, dice, _) = self.list_next(begun.as_ref().map_or(&[], OsboMove::placements)).ok()?;
            let mv = Self::join(begun.as_ref(), choose(&next)?);
            if mv.placements().len() == usize::from(dice) {
                return Some(mv);
            }
            begun = Some(mv);
        }
    }

    /// A complete turn that begins like this.
    pub(super) fn complete(&self, mut begun: OsboMove, quota: Quota) -> Option<OsboMove> {
        while begun.placements().len() < usize::from(quota.dice) {
            let mut next = None;
            let visit = |placement| {
                next = Some(placement);
                Search::Enough
            };
            self.visit_next(begun.placements(), visit).ok()?;
            begun = begun.with(next?);
        }
        Some(begun)
    }
}
