//! The choices of a turn on its page: links on the board, faces, turns and words beside it.

use knotpost_picture::{Link, Target};
use knotpost_rules::view::{Figure, Piece};
use knotpost_rules::{Choice, PartKind, Seat, View, Viewer};
use minijinja::{Value, context};

use super::{Turn, TurnPage, Way, are_turns};

fn name_turns(turns: u8) -> &'static str {
    match turns {
        0 => "Unturned",
        1 => "A quarter right",
        2 => "Upside down",
        _ => "A quarter left",
    }
}

impl Turn<'_> {
    pub(in crate::pages) fn links(&self, page: &dyn TurnPage, present: &View) -> Vec<Link> {
        if self.choosing.preview.is_some() {
            return self.link_to_turn(page).into_iter().collect();
        }
        let taken = self.choosing.spots.iter().chain(&self.spot);
        let mut links: Vec<Link> =
            taken.map(|name| link_place(name, None, format!("{name}: chosen"))).collect();
        let free = |name: &&String| !links.iter().any(|link| link.spot == **name);
        let places: Vec<Link> = match self.held() {
            Some(way) => way
                .spots
                .iter()
                .map(|name| {
                    let href = page.address(&format!("{}{name}", way.begun), None);
                    link_place(name, Some(href), format!("{name}: place {} here", way.face.letter()))
                })
                .collect(),
            None if !self.ways.is_empty() => self
                .list_places()
                .into_iter()
                .filter(free)
                .map(|name| {
                    let href = page.address(&self.choosing.begun, Some(name));
                    link_place(name, Some(href), format!("{name}: place a die here"))
                })
                .collect(),
            None => self.links_to_spots(page, present),
        };
        links.extend(places);
        links
    }

    fn link_to_turn(&self, page: &dyn TurnPage) -> Option<Link> {
        let now = self.turns.iter().position(|choice| same_turn(&choice.kind, self.parts.last()));
        let next = self.turns.get(now.map_or(1, |now| now + 1) % self.turns.len().max(1))?;
        let spot = self.choosing.spots.last()?;
        let href = page.address(&next.begun, None);
        Some(link_place(spot, Some(href), format!("{spot}: turn the stone")))
    }

    fn list_places(&self) -> Vec<&String> {
        let mut all: Vec<&String> = self.ways.iter().flat_map(|way| &way.spots).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn links_to_spots(&self, page: &dyn TurnPage, present: &View) -> Vec<Link> {
        let is_target = |name: &str| {
            present.panels.iter().any(|panel| {
                let at = panel.spots.iter().position(|spot| spot == name);
                at.and_then(|at| panel.cells.get(at)).is_some_and(is_target)
            })
        };
        // While a piece is chosen that is to be moved, another one can be chosen instead.
        let lifts = matches!(self.parts.as_slice(), [PartKind::From(_)]);
        let others = if lifts { self.ground.position.choices("").next } else { Vec::new() };
        let others = others.iter().filter(|choice| choice.begun != self.choosing.begun);
        let next = self.choosing.choices.next.iter().chain(others);
        let next = next.filter_map(|choice| Some((choice.kind.spot()?, choice)));
        next.map(|(name, choice)| {
            let href = Some(page.address(&choice.begun, None));
            if is_target(name) {
                let label = format!("Claim {name}");
                Link { spot: name.to_owned(), href, label, target: Target::Claim }
            } else {
                link_place(name, href, format!("{name}: choose"))
            }
        })
        .collect()
    }

    pub(in crate::pages) fn facts(&self, page: &dyn TurnPage) -> Value {
        let choosing = &self.choosing;
        let on_board = choosing.choices.next.iter().any(|choice| choice.kind.spot().is_some());
        let words = self.ground.position.legal_words().into_iter().filter(|_| choosing.begun.is_empty());
        let news = choosing.preview.as_ref().and_then(|view| view.news.as_ref());
        let back = if self.turns.is_empty() {
            choosing.before.clone()
        } else {
            let placed = self.ground.choose(&choosing.before);
            if are_turns(&placed.choices) { placed.before } else { choosing.before.clone() }
        };
        context! {
            choosing => true,
            begun => choosing.begun.clone(),
            spot => self.spot.clone(),
            back => page.address(&back, None),
            restart => page.address("", None),
            stage => page.address(&self.stage, None),
            refusal => choosing.refusal.clone().unwrap_or_default(),
            has_preview => choosing.preview.is_some(),
            outcome => news.map(|news| news.action.clone()).unwrap_or_default(),
            gain => news.map_or(0, |news| news.gain),
            wanted => self.wanted(),
            may_go_on => !choosing.choices.next.is_empty(),
            faces => self.faces(page),
            holds => self.held().map(|way| way.face.letter().to_string()),
            turns => self.turnings(page),
            chips => self.chips(page),
            words => words.map(|word| self.word(page, word)).collect::<Vec<_>>(),
            on_board,
        }
    }

    /// Words for the next thing to point at.
    fn wanted(&self) -> &'static str {
        let next = self.choosing.choices.next.iter().find(|choice| choice.kind.spot().is_some());
        let view = self.ground.position.view(Viewer::Spectator);
        let piece = |name: &str| {
            view.panels.iter().find_map(|panel| {
                let at = panel.spots.iter().position(|spot| spot == name)?;
                panel.cells.get(at)
            })
        };
        let is_stone = |name: &str| matches!(piece(name), Some(Piece::Stone { .. }));
        let spots = || self.choosing.choices.next.iter().filter_map(|choice| choice.kind.spot());
        let may_claim = spots().any(|name| piece(name).is_some_and(is_target));
        let has_targets = view.panels.iter().flat_map(|panel| &panel.cells).any(is_target);
        match (next.map(|choice| &choice.kind), self.parts.last()) {
            (Some(PartKind::From(_)), _) => "pick the piece to move",
            (Some(PartKind::To(_)), _) => "where does it go?",
            (Some(PartKind::Spot(name)), None) if is_stone(name) => "pick one of your stones",
            (_, None) if may_claim => "pick a place for a token, or a marked target to claim it",
            (_, None) => "pick a place on the board",
            (_, Some(PartKind::Spot(name))) if is_stone(name) => "where does it go?",
            _ if may_claim => "claim another marked target, or play this",
            _ if has_targets => "pick the cell of the second token, in sight of the first",
            _ => "pick the next place",
        }
    }

    fn faces(&self, page: &dyn TurnPage) -> Vec<Value> {
        let held = self.held().map(|way| way.face);
        let all = self.list_places().len();
        let face = |way: &Way| {
            let href = match &self.spot {
                Some(spot) => page.address(&format!("{}{spot}", way.begun), None),
                None => page.address(&way.begun, None),
            };
            let goes = self.spot.as_ref().is_none_or(|spot| way.spots.contains(spot));
            let spots = if way.spots.len() == all { "*".to_owned() } else { way.spots.join(" ") };
            context! {
                letter => way.face.letter().to_string(),
                words => knotpost_picture::name_face(way.face),
                figure => Value::from_safe_string(knotpost_picture::inline_die(way.face)),
                begun => way.begun.clone(),
                is_held => held == Some(way.face),
                href, goes, spots,
            }
        };
        self.ways.iter().map(face).collect()
    }

    fn turnings(&self, page: &dyn TurnPage) -> Vec<Value> {
        let turning = |choice: &Choice| match choice.kind {
            PartKind::Turns(turns) => Some(context! {
                label => name_turns(turns),
                turns,
                href => page.address(&choice.begun, None),
                is_now => same_turn(&choice.kind, self.parts.last()),
            }),
            _ => None,
        };
        self.turns.iter().filter_map(turning).collect()
    }

    fn chips(&self, page: &dyn TurnPage) -> Vec<Value> {
        let chip = |choice: &Choice| {
            let href = page.address(&choice.begun, None);
            match choice.kind {
                PartKind::Spot(ref name) | PartKind::From(ref name) | PartKind::To(ref name) => {
                    Some(context! { label => name, href })
                }
                PartKind::Word => Some(context! { label => choice.begun.clone(), href }),
                PartKind::Face(_) | PartKind::Turns(_) => None,
            }
        };
        self.choosing.choices.next.iter().filter_map(chip).collect()
    }

    fn word(&self, page: &dyn TurnPage, word: &str) -> Value {
        let other = Seat::new(3_u8.saturating_sub(self.ground.position.next_seat().number()));
        let other = other.filter(|_| word == "swap");
        let meaning = other
            .map(|other| format!("You become {} and own {}.", self.ground.side(other), self.ground.last));
        let label = match word {
            "swap" => "Swap sides",
            "pass" => "Pass",
            other => other,
        };
        context! { word, label, meaning, href => page.address(word, None) }
    }
}

fn link_place(spot: &str, href: Option<String>, label: String) -> Link {
    Link { spot: spot.to_owned(), href, label, target: Target::Place }
}

fn same_turn(kind: &PartKind, chosen: Option<&PartKind>) -> bool {
    match (kind, chosen) {
        (PartKind::Turns(one), Some(PartKind::Turns(other))) => one == other,
        (PartKind::Turns(one), _) => *one == 0,
        _ => false,
    }
}

/// True for a target that nobody has claimed.
fn is_target(piece: &Piece) -> bool {
    matches!(piece, Piece::Token { look, owner: None, .. } if look.figure == Figure::Target)
}
