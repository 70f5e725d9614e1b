//! The choices of a move on a board's page: links on the board, faces, turns and words beside it.

use knotpost_core::boards::choose;
use knotpost_picture::{Link, Target};
use knotpost_rules::view::{Figure, Piece};
use knotpost_rules::{Choice, PartKind};
use minijinja::{Value, context};

use super::Seen;
use super::turn::{Turn, Way, are_turns};
use crate::session::url_encode;

/// How a stone lies.
fn name_turns(turns: u8) -> &'static str {
    match turns {
        0 => "Unturned",
        1 => "A quarter right",
        2 => "Upside down",
        _ => "A quarter left",
    }
}

impl Seen<'_> {
    pub(super) fn address(&self, choose: &str) -> String {
        let summary = &self.view.summary;
        let query = if choose.is_empty() { String::new() } else { format!("?choose={}", url_encode(choose)) };
        format!("/boards/{}/{}{query}#board", summary.game, summary.number)
    }

    /// The page on which a place has been chosen and its face not yet.
    fn address_of_spot(&self, begun: &str, spot: &str) -> String {
        let summary = &self.view.summary;
        let choose = if begun.is_empty() { String::new() } else { format!("choose={}&", url_encode(begun)) };
        format!("/boards/{}/{}?{choose}spot={}#board", summary.game, summary.number, url_encode(spot))
    }

    /// Links on the board.
    pub(super) fn links(&self, turn: &Turn) -> Vec<Link> {
        let choosing = &turn.choosing;
        let link =
            |spot: &String, href, label| Link { spot: spot.clone(), href, label, target: Target::Place };
        if choosing.preview.is_some() {
            let now = turn.turns.iter().position(|choice| same_turn(&choice.kind, turn.parts.last()));
            let next = now.map_or(1, |now| now + 1) % turn.turns.len().max(1);
            let spot = choosing.spots.last().zip(turn.turns.get(next));
            let turning = spot.map(|(spot, choice)| {
                link(spot, Some(self.address(&choice.begun)), format!("{spot}: turn the stone"))
            });
            return turning.into_iter().collect();
        }
        let taken = choosing.spots.iter().chain(&turn.spot);
        let mut links: Vec<Link> = taken.map(|name| link(name, None, format!("{name}: chosen"))).collect();
        let free = |name: &&String| !links.iter().any(|link| link.spot == **name);
        let places: Vec<Link> = match turn.held() {
            Some(way) => way
                .spots
                .iter()
                .map(|name| {
                    let href = self.address(&format!("{}{name}", way.begun));
                    link(name, Some(href), format!("{name}: place {} here", way.face.letter()))
                })
                .collect(),
            None if !turn.ways.is_empty() => {
                let mut all: Vec<&String> = turn.ways.iter().flat_map(|way| &way.spots).collect();
                all.sort_unstable();
                all.dedup();
                let places = all.into_iter().filter(free);
                places
                    .map(|name| {
                        let href = self.address_of_spot(&choosing.begun, name);
                        link(name, Some(href), format!("{name}: place a die here"))
                    })
                    .collect()
            }
            None => self.links_to_spots(turn),
        };
        links.extend(places);
        links
    }

    fn links_to_spots(&self, turn: &Turn) -> Vec<Link> {
        let is_target = |name: &String| {
            self.view.sheet.drawing.view().panels.iter().any(|panel| {
                let at = panel.spots.iter().position(|spot| spot == name);
                let piece = at.and_then(|at| panel.cells.get(at));
                matches!(piece, Some(Piece::Token { look, owner: None, .. }) if look.figure == Figure::Target)
            })
        };
        let next = turn.choosing.choices.next.iter().filter_map(|choice| match &choice.kind {
            PartKind::Spot(name) => Some((name, choice)),
            _ => None,
        });
        next.map(|(name, choice)| {
            let claims = is_target(name);
            let label = if claims { format!("Claim {name}") } else { format!("{name}: choose") };
            Link {
                spot: name.clone(),
                href: Some(self.address(&choice.begun)),
                label,
                target: if claims { Target::Claim } else { Target::Place },
            }
        })
        .collect()
    }

    /// The choices beside the board, and the move that would be sent.
    pub(super) fn turn_facts(&self, turn: Option<&Turn>) -> Value {
        let Some(turn) = turn else {
            return context! { choosing => false, has_preview => false };
        };
        let (choosing, board) = (&turn.choosing, &self.view.board);
        let next = board.entries.len() + 1;
        let userid = self.visitor.map(|visitor| visitor.userid.as_str()).unwrap_or_default();
        let summary = &self.view.summary;
        let front = format!("{} move {} {userid}", summary.game, summary.number);
        let on_board = choosing.choices.next.iter().any(|choice| matches!(choice.kind, PartKind::Spot(_)));
        let words = board.position.legal_words().into_iter().filter(|_| choosing.begun.is_empty());
        let news = choosing.preview.as_ref().and_then(|view| view.news.as_ref());
        let back = if turn.turns.is_empty() {
            choosing.before.clone()
        } else {
            let placed = choose(board, &choosing.before);
            if are_turns(&placed.choices) { placed.before } else { choosing.before.clone() }
        };
        context! {
            choosing => true,
            begun => choosing.begun.clone(),
            spot => turn.spot.clone(),
            back => self.address(&back),
            restart => self.address(""),
            stage => self.address(&turn.stage),
            refusal => choosing.refusal.clone().unwrap_or_default(),
            has_preview => choosing.preview.is_some(),
            outcome => news.map(|news| news.deed.clone()).unwrap_or_default(),
            gain => news.map_or(0, |news| news.gain),
            may_go_on => !choosing.choices.next.is_empty(),
            command => if choosing.preview.is_some() {
                format!("{front} PASSWORD {}", choosing.begun)
            } else {
                self.view.sheet.example.clone().unwrap_or_default()
            },
            faces => self.faces(turn),
            holds => turn.held().map(|way| way.face.letter().to_string()),
            turns => self.turnings(turn),
            chips => self.chips(turn),
            words => words.map(|word| self.word(word)).collect::<Vec<_>>(),
            next, on_board,
        }
    }

    fn faces(&self, turn: &Turn) -> Vec<Value> {
        let held = turn.held().map(|way| way.face);
        let mut all: Vec<&String> = turn.ways.iter().flat_map(|way| &way.spots).collect();
        all.sort_unstable();
        all.dedup();
        let face = |way: &Way| {
            let href = match &turn.spot {
                Some(spot) => self.address(&format!("{}{spot}", way.begun)),
                None => self.address(&way.begun),
            };
            let goes = turn.spot.as_ref().is_none_or(|spot| way.spots.contains(spot));
            let spots = if way.spots.len() == all.len() { "*".to_owned() } else { way.spots.join(" ") };
            context! {
                letter => way.face.letter().to_string(),
                words => knotpost_picture::name_face(way.face),
                figure => Value::from_safe_string(knotpost_picture::inline_die(way.face)),
                begun => way.begun.clone(),
                is_held => held == Some(way.face),
                href, goes, spots,
            }
        };
        turn.ways.iter().map(face).collect()
    }

    /// The four ways in which the stone can lie.
    fn turnings(&self, turn: &Turn) -> Vec<Value> {
        let turning = |choice: &Choice| match choice.kind {
            PartKind::Turns(turns) => Some(context! {
                label => name_turns(turns),
                turns,
                href => self.address(&choice.begun),
                is_now => same_turn(&choice.kind, turn.parts.last()),
            }),
            _ => None,
        };
        turn.turns.iter().filter_map(turning).collect()
    }

    fn chips(&self, turn: &Turn) -> Vec<Value> {
        let chip = |choice: &Choice| {
            let href = self.address(&choice.begun);
            match choice.kind {
                PartKind::Spot(ref name) => Some(context! { label => name, href }),
                PartKind::Word => Some(context! { label => choice.begun.clone(), href }),
                PartKind::Face(_) | PartKind::Turns(_) => None,
            }
        };
        turn.choosing.choices.next.iter().filter_map(chip).collect()
    }

    /// `pass` or `swap`, with what it means.
    fn word(&self, word: &str) -> Value {
        let meaning = (word == "swap").then(|| {
            let board = &self.view.board;
            let other = self.next_seat().map_or(1, |seat| 3 - seat);
            let made = self.view.sheet.moves.last().map(|last| last.text.clone()).unwrap_or_default();
            format!("You become {} and own {made}.", board.side(other))
        });
        let label = match word {
            "swap" => "Swap sides",
            "pass" => "Pass",
            other => other,
        };
        context! { word, label, meaning, href => self.address(word) }
    }
}

/// Whether both are the same turn; what was not turned is unturned.
fn same_turn(kind: &PartKind, chosen: Option<&PartKind>) -> bool {
    match (kind, chosen) {
        (PartKind::Turns(one), Some(PartKind::Turns(other))) => one == other,
        (PartKind::Turns(one), _) => *one == 0,
        _ => false,
    }
}
