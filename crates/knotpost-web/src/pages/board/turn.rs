//! Composing a move on a board's page: what can be pointed at, in either order, and what the board would be.

use knotpost_core::boards::{Choosing, choose};
use knotpost_picture::{Link, Target};
use knotpost_rules::view::{Fate, Figure, Piece, Sight};
use knotpost_rules::{Choice, Choices, PartKind, Seat, View, knot::Face};
use minijinja::{Value, context};

use super::Seen;
use crate::session::url_encode;
use knotpost_core::boards::Board;

/// More parts than a move has.
const MOST_PARTS: usize = 40;

/// A face that can be placed, and where.
struct Way {
    face: Face,
    /// The move so far, with the face.
    begun: String,
    /// The places for it.
    spots: Vec<String>,
}

/// A move as far as it is put together.
pub(super) struct Turn {
    pub(super) choosing: Choosing,
    /// The ways in which a stone that has been placed can be turned.
    turns: Vec<Choice>,
    /// What was chosen, part by part.
    parts: Vec<PartKind>,
    /// Where faces are placed: the faces, of which one may be chosen.
    ways: Vec<Way>,
    /// The move before the face.
    stage: String,
    /// The place that was chosen before its face.
    spot: Option<String>,
}

fn are_turns(choices: &Choices) -> bool {
    !choices.next.is_empty() && choices.next.iter().all(|choice| matches!(choice.kind, PartKind::Turns(_)))
}

impl Turn {
    /// What was begun, as a page's address says it.
    pub(super) fn read(board: &Board, text: &str, spot: Option<&str>) -> Self {
        let (choosing, turns) = choose_lying(board, text);
        let parts = list_parts(board, &choosing.begun);
        let places_face = |choices: &Choices| choices.next.iter().any(|choice| is_face(&choice.kind));
        let stage = match parts.last() {
            Some(PartKind::Face(_)) => Some(choosing.before.clone()),
            _ if places_face(&choosing.choices) => Some(choosing.begun.clone()),
            _ => None,
        };
        let ways = stage.as_ref().map(|stage| list_ways(board, stage)).unwrap_or_default();
        let is_way = |spot: &&str| ways.iter().any(|way| way.spots.iter().any(|name| name == spot));
        let has_face = matches!(parts.last(), Some(PartKind::Face(_)));
        let spot = spot.filter(|_| !has_face).filter(is_way).map(str::to_owned);
        Self { choosing, turns, parts, ways, stage: stage.unwrap_or_default(), spot }
    }

    /// Whether a face has been chosen that is not placed yet.
    fn held(&self) -> Option<&Way> {
        match self.parts.last() {
            Some(PartKind::Face(_)) => self.ways.iter().find(|way| way.begun == self.choosing.begun),
            _ => None,
        }
    }

    /// The board with what has been chosen so far on it.
    pub(super) fn draw(&self, present: &View, mover: Option<Seat>) -> View {
        if let Some(preview) = &self.choosing.preview {
            return preview.clone();
        }
        let mut view = present.clone();
        let mut face = None;
        for part in &self.parts {
            match part {
                PartKind::Face(chosen) => face = Some(*chosen),
                PartKind::Spot(name) => place(&mut view, name, face.take(), mover),
                PartKind::Turns(_) | PartKind::Word => {}
            }
        }
        if matches!(self.parts.last(), Some(PartKind::Spot(_))) {
            self.show_sight(&mut view);
        }
        view
    }

    /// After a first token it is that one which looks along its lines.
    fn show_sight(&self, view: &mut View) {
        let is_next = |name: &String| {
            self.choosing.choices.next.iter().any(|choice| choice.kind == PartKind::Spot(name.clone()))
        };
        for panel in view.panels.iter_mut().filter(|panel| panel.is_of_tokens()) {
            for (piece, name) in panel.cells.iter_mut().zip(&panel.spots) {
                if let Piece::Token { look, .. } = piece {
                    look.sight = if is_next(name) { Sight::Seen } else { Sight::Unseen };
                }
            }
        }
    }
}

/// A stone that can be turned is shown as it would lie, unturned at first.
fn choose_lying(board: &Board, text: &str) -> (Choosing, Vec<Choice>) {
    let choosing = choose(board, text);
    if are_turns(&choosing.choices)
        && let Some(first) = choosing.choices.next.first()
    {
        let lying = Choosing { choices: Choices::default(), ..choose(board, &first.begun) };
        if lying.preview.is_some() {
            return (lying, choosing.choices.next);
        }
    }
    let before = choose(board, &choosing.before);
    if choosing.preview.is_some() && !choosing.before.is_empty() && are_turns(&before.choices) {
        return (choosing, before.choices.next);
    }
    (choosing, Vec::new())
}

const fn is_face(kind: &PartKind) -> bool {
    matches!(kind, PartKind::Face(_))
}

/// What a move that has been begun consists of.
fn list_parts(board: &Board, begun: &str) -> Vec<PartKind> {
    let (mut so_far, mut parts) = (String::new(), Vec::new());
    while so_far != begun && parts.len() < MOST_PARTS {
        let next = board.position.choices(&so_far).next.into_iter();
        let fitting = next.filter(|choice| begun.starts_with(&choice.begun));
        let Some(choice) = fitting.max_by_key(|choice| choice.begun.len()) else { break };
        so_far = choice.begun;
        parts.push(choice.kind);
    }
    parts
}

/// The faces that can be placed next, with their places.
fn list_ways(board: &Board, begun: &str) -> Vec<Way> {
    let mut ways = Vec::new();
    for choice in board.position.choices(begun).next {
        let PartKind::Face(face) = choice.kind else { continue };
        let places = board.position.choices(&choice.begun).next.into_iter();
        let spots = places.filter_map(|place| match place.kind {
            PartKind::Spot(name) => Some(name),
            _ => None,
        });
        ways.push(Way { face, spots: spots.collect(), begun: choice.begun });
    }
    ways
}

/// Puts a piece of the player to move on a spot.
fn place(view: &mut View, name: &str, face: Option<Face>, mover: Option<Seat>) {
    let sign = mover.and_then(|seat| view.scores.iter().find(|line| line.seat == seat));
    let sign = sign.and_then(|line| line.name.chars().next()).map_or('x', |sign| sign.to_ascii_lowercase());
    for panel in &mut view.panels {
        let (Some(index), is_of_tokens) =
            (panel.spots.iter().position(|spot| spot == name), panel.is_of_tokens())
        else {
            continue;
        };
        let columns = panel.columns.max(1);
        let Some(piece) = panel.cells.get_mut(index) else { continue };
        match (face, &mut *piece) {
            (Some(face), _) => *piece = Piece::Die { face, fate: Fate::Placed },
            (None, Piece::Token { sign: shown, owner, look }) if is_of_tokens => {
                (*shown, *owner) = (sign, mover);
                if look.figure != Figure::Target {
                    look.figure = Figure::Counter;
                }
                let [left, top, ..] = &mut panel.margins;
                (left.entered, top.entered) = (Some(index / columns), Some(index % columns));
            }
            (None, _) => {}
        }
    }
}

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
