//! A board to try a game on, both sides played by whoever looks at it. The address of the page holds its moves: nothing is
//! stored, so it needs no account, is in no list and sends no mail.

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use knotpost_picture::{Link, Target, describe, inline_die, linked_svg};
use knotpost_rules::{
    AnyGame, Cast, Choice, GivenOption, Now, PartKind, Position, Seat, SeatNames, Seed, Status, Turn, Viewer,
};
use minijinja::{Value, context};
use serde::Deserialize;

use super::lessons::has_lessons;
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, url_encode};
use knotpost_core::boards::{Choosing, Code, choose_at};

/// The most moves of an address; longer than any game with the usual options.
const MOST_MOVES: usize = 150;
/// Between the moves of an address; in no move of any game.
pub(super) const BETWEEN: char = '~';
/// The query of the page: the moves so far, what is chosen of the next one, and which deal.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Look {
    moves: String,
    choose: String,
    deal: u8,
}

/// Where a board to try begins.
pub(super) struct Start {
    /// The address of the page, without its query.
    pub(super) path: String,
    /// The size of the board; empty: the usual one.
    pub(super) size: String,
    /// Which deal.
    pub(super) deal: u8,
    /// Moves that were made before.
    pub(super) before: String,
    /// The most moves that the visitor makes.
    pub(super) most: usize,
}

/// A game that is played in an address.
pub(super) struct Practice {
    path: String,
    sides: SeatNames,
    deal: u8,
    most: usize,
    position: Box<dyn Position>,
    /// The moves that were chosen; forced turns are not among them.
    moves: Vec<String>,
    /// What the last turn was, in words.
    told: String,
    /// Whether the rest of the address was no legal move.
    is_cut: bool,
}

impl Practice {
    /// The board at its start; `None` where the game has no such start.
    pub(super) fn begin(game: &dyn AnyGame, start: &Start) -> Option<Self> {
        let meta = game.meta();
        let players = *meta.players.start();
        let size = (!start.size.is_empty())
            .then(|| GivenOption { name: "size".to_owned(), value: Some(start.size.clone()) });
        let options = game.parse_options(size.as_slice(), players).ok()?;
        let position = game.setup(&options, players, &Seed([start.deal; 32]));
        let (path, deal, most) = (start.path.clone(), start.deal, start.most);
        let (moves, told, is_cut) = (Vec::new(), String::new(), false);
        let sides = meta.seat_names(players);
        let mut practice = Self { path, sides, deal, most, position, moves, told, is_cut };
        for play in start.before.split(BETWEEN).filter(|play| !play.is_empty()) {
            practice.play(play).then_some(())?;
        }
        practice.moves.clear();
        Some(practice)
    }

    /// Makes as many moves of the address as are legal, `most` at most.
    pub(super) fn play_all(&mut self, look: &Look, most: usize) {
        for play in look.moves.split(BETWEEN).filter(|play| !play.is_empty()) {
            if self.moves.len() == most || !self.play(play) {
                self.is_cut = true;
                break;
            }
        }
    }

    pub(super) fn to_move(&self) -> Seat {
        self.position.next_seat()
    }

    /// How far a side is before the other.
    pub(super) fn lead(&self, side: Seat) -> i32 {
        self.position.scores().lead(side)
    }

    /// The moves that the visitor has made.
    pub(super) fn count(&self) -> usize {
        self.moves.len()
    }

    /// The leads of a side after each legal move.
    #[cfg(test)]
    pub(super) fn leads_after(&self, side: Seat) -> Vec<i32> {
        let after = |play: &String| {
            let mut after = self.position.clone_box();
            after.seal_chance();
            after.play(Turn::from_word(play)).ok().map(|_| after.scores().lead(side))
        };
        self.position.legal_moves().iter().filter_map(after).collect()
    }

    /// Makes a move and the forced turns after it; `false` where it is not legal.
    fn play(&mut self, text: &str) -> bool {
        let Ok(played) = self.position.play(Turn::from_word(text)) else { return false };
        self.told = match played.gain {
            0 => format!("{} played {}", self.side(played.seat), played.text),
            gain => format!("{} played {}: +{gain}", self.side(played.seat), played.text),
        };
        self.moves.push(played.canonical);
        for _ in 0..MOST_MOVES {
            let Some(turn) = self.position.forced() else { break };
            let Ok(passed) = self.position.play(turn) else { break };
            self.told = format!("{}; {} has no move and passes", self.told, self.side(passed.seat));
        }
        true
    }

    /// What a side is called.
    fn side(&self, seat: Seat) -> &'static str {
        self.sides.get(usize::from(seat.number()).saturating_sub(1)).copied().unwrap_or("A player")
    }

    fn result(&self, winners: &[Seat]) -> String {
        match winners {
            [winner] => format!("{} wins", self.side(*winner)),
            _ => "A draw".to_owned(),
        }
    }

    fn cast(&self) -> Cast {
        let now = match self.position.status() {
            Status::ToAct(seat) => Now::Turn(seat),
            Status::Over(outcome) => Now::from(&outcome),
        };
        Cast { players: Vec::new(), now: Some(now) }
    }

    /// The page with these moves and this choice.
    fn address(&self, moves: &[String], choose: &str) -> String {
        let mut query: Vec<String> = Vec::new();
        if self.deal > 0 && self.most > 1 {
            query.push(format!("deal={}", self.deal));
        }
        if !moves.is_empty() {
            let moves: Vec<String> = moves.iter().map(|play| url_encode(play)).collect();
            query.push(format!("moves={}", moves.join(&BETWEEN.to_string())));
        }
        if !choose.is_empty() {
            query.push(format!("choose={}", url_encode(choose)));
        }
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", self.path, query.join("&"))
    }

    fn choosing(&self, choose: &str) -> String {
        self.address(&self.moves, choose)
    }

    /// The picture, with links on the places that can be chosen.
    fn picture(&self, title: &str, choosing: Option<&Choosing>) -> Value {
        let present = self.position.view(Viewer::Spectator).with_cast(self.cast());
        let preview = choosing.and_then(|choosing| choosing.preview.as_ref());
        let links = choosing.filter(|_| preview.is_none()).map(|choosing| self.links(choosing));
        let links = links.as_deref().unwrap_or_default();
        Value::from_safe_string(linked_svg(preview.unwrap_or(&present), title, links))
    }

    fn links(&self, choosing: &Choosing) -> Vec<Link> {
        let next = choosing.choices.next.iter().filter_map(|choice| match &choice.kind {
            PartKind::Spot(name) => Some(Link {
                spot: name.clone(),
                href: Some(self.choosing(&choice.begun)),
                label: format!("{name}: choose for {}", choice.begun),
                target: Target::Place,
            }),
            _ => None,
        });
        let taken = choosing.spots.iter().map(|name| Link {
            spot: name.clone(),
            href: None,
            label: format!("{name}: chosen"),
            target: Target::Place,
        });
        taken.chain(next).collect()
    }

    /// A choice beside the board.
    fn option(&self, choice: &Choice) -> Value {
        let href = self.choosing(&choice.begun);
        let (label, face) = match choice.kind {
            PartKind::Face(face) => (face.letter().to_string(), Some(face)),
            PartKind::Turns(turns) => (name_turns(turns).to_owned(), None),
            PartKind::Spot(ref name) => (name.clone(), None),
            PartKind::Word => (choice.begun.clone(), None),
        };
        let figure = face.map(|face| Value::from_safe_string(inline_die(face)));
        context! { href, label, figure, is_spot => matches!(choice.kind, PartKind::Spot(_)) }
    }

    /// Points that a move wins.
    fn gain(&self, play: &str) -> u32 {
        let mut after = self.position.clone_box();
        after.seal_chance();
        after.play(Turn::from_word(play)).map_or(0, |played| played.gain)
    }

    pub(super) fn facts(&self, title: &str, look: &Look) -> Value {
        let cast = self.cast();
        let over = match self.position.status() {
            Status::Over(outcome) => Some(self.result(&outcome.winners())),
            Status::ToAct(_) => None,
        };
        let may_go_on = over.is_none() && self.moves.len() < self.most;
        let choosing = may_go_on.then(|| choose_at(&*self.position, &cast, &look.choose));
        let picture = self.picture(title, choosing.as_ref());
        let earlier = self.moves.split_last().map(|(_, earlier)| self.address(earlier, ""));
        let view = self.position.view(Viewer::Spectator);
        let shared = context! {
            picture, earlier, over,
            is_cut => self.is_cut,
            told => self.told.clone(),
            count => self.moves.len(),
            here => self.address(&self.moves, ""),
            again => self.address(&[], ""),
            another => format!("{}?deal={}", self.path, self.deal.wrapping_add(1)),
            side => self.side(self.position.next_seat()),
            scores => self.position.scores().texts(),
            reading => describe(&view.with_cast(cast)),
        };
        let Some(choosing) = choosing else { return context! { choosing => false, ..shared } };
        let mut played = self.moves.clone();
        played.push(choosing.begun.clone());
        let options: Vec<Value> = choosing.choices.next.iter().map(|choice| self.option(choice)).collect();
        let words: Vec<Value> = self
            .position
            .legal_words()
            .into_iter()
            .filter(|_| choosing.begun.is_empty())
            .map(|word| context! { word, href => self.choosing(word) })
            .collect();
        context! {
            choosing => true,
            has_preview => choosing.preview.is_some(),
            gain => self.gain(&choosing.begun),
            play => self.address(&played, ""),
            back => self.choosing(&choosing.before),
            begun => choosing.begun,
            options, words,
            ..shared
        }
    }
}

fn name_turns(turns: u8) -> &'static str {
    match turns {
        0 => "unturned",
        1 => "a quarter turn clockwise",
        2 => "a half turn",
        _ => "a quarter turn back",
    }
}

pub(super) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(name): PagePath<String>,
    PageQuery(look): PageQuery<Look>,
) -> Response {
    let visitor = visitor.as_ref().map(|LoggedIn(visitor)| visitor);
    let name = name.to_lowercase();
    let Some(game) = web.app.game(&name) else {
        return web.pages.problem(Code::UnknownGame, &format!("there is no game `{name}` here"));
    };
    let meta = game.meta();
    let (path, size, before) = (format!("/try/{}", meta.name), String::new(), String::new());
    let begun = Practice::begin(game, &Start { path, size, deal: look.deal, before, most: MOST_MOVES });
    let Some(mut practice) = begun else {
        return web.pages.problem(Code::UnknownGame, "there is no such board");
    };
    practice.play_all(&look, MOST_MOVES);
    let facts = context! {
        game => meta.name, title => meta.title, summary => meta.summary,
        has_lessons => has_lessons(meta.name),
        ..practice.facts(meta.title, &look)
    };
    let mut page = web.pages.page_for(visitor, StatusCode::OK, "practice.html", facts);
    // Every choice is a link, so that a crawler would play on and on.
    let value = HeaderValue::from_static("noindex, nofollow");
    page.headers_mut().insert(HeaderName::from_static("x-robots-tag"), value);
    page
}
