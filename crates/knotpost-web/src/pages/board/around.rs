//! The surroundings of a board on its page: players, turn, clocks, moves, chat.

use knotpost_core::boards::Standing;
use knotpost_core::queries::{SeatSummary, TalkLine, last_move};
use knotpost_core::replies::{Hint, Verdict};
use knotpost_model::{BoardState, ProposalKind, Span, UserKey};
use knotpost_rules::{Ability, Scores};
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::Seen;
use crate::pages::turn::TurnPage as _;

impl Seen<'_> {
    /// Counted from 1, on the board as it is shown.
    pub(super) fn next_seat(&self) -> Option<i64> {
        match self.view.board.standing() {
            Standing::ToMove(seat) => Some(i64::from(seat.number())),
            Standing::Over(_) => None,
        }
    }

    pub(super) fn seats(&self) -> Vec<Value> {
        let (view, board) = (self.view, &self.view.board);
        let scores = board.position.scores().texts();
        let is_present = board.entries.len() as i64 == view.summary.last_ply;
        let next = self.next_seat().filter(|_| is_present && view.summary.state == BoardState::Active);
        let sides = view.sheet.drawing.view();
        let change = |userid: &str| {
            let line = view.sheet.ratings.iter().find_map(|line| line.strip_prefix(userid))?;
            let mut numbers = line.split(' ').filter_map(|word| word.parse::<i64>().ok());
            let (first, last) = (numbers.next()?, numbers.next());
            let change = last.map_or(0, |after| after - first);
            line.starts_with("'s rating")
                .then(|| format!("{}{}", if change < 0 { "−" } else { "+" }, change.abs()))
        };
        let seat = |(index, seat): (usize, &SeatSummary)| {
            let role = sides.scores.get(index).map(|line| line.role.clone()).unwrap_or_default();
            let side = board.side(seat.seat);
            context! {
                number => seat.seat,
                userid => seat.userid.clone(),
                side,
                role => if role.eq_ignore_ascii_case(side) { String::new() } else { role },
                score => scores.get(index).cloned().unwrap_or_default(),
                rating => self.around.ratings.get(index).copied().flatten(),
                change => change(&seat.userid),
                is_next => next == Some(seat.seat),
                away => seat.away_until.filter(|until| **until > self.around.now).map(|until| until.to_rfc3339()),
            }
        };
        view.summary.seats.iter().enumerate().map(seat).collect()
    }

    /// Turn or outcome, worded for this visitor.
    pub(super) fn headline(&self) -> String {
        let me = self.visitor.map(|visitor| visitor.userid.as_str());
        let is_me = |userid: &String| me == Some(userid.as_str());
        match &self.view.sheet.verdict {
            Verdict::Turn(userid) if is_me(userid) => {
                let own = self.view.summary.players().filter(|player| Some(*player) == me).count();
                match self.next_seat().filter(|_| own > 1) {
                    Some(seat) => format!("Your turn as {}.", self.view.board.side(seat)),
                    None => "Your turn.".to_owned(),
                }
            }
            Verdict::Turn(userid) => format!("{userid}'s turn."),
            Verdict::Won { userid, lead, reason } => {
                let players = || self.view.summary.players();
                let is_lost =
                    players().count() == 2 && !is_me(userid) && players().any(|one| Some(one) == me);
                let how = match (lead, self.view.board.position.scores(), *reason) {
                    (Some(_), Scores::Points(points), _) if points.len() == 2 => {
                        let (more, less) = (points[0].max(points[1]), points[0].min(points[1]));
                        if is_lost { format!(" {less}-{more}") } else { format!(" {more}-{less}") }
                    }
                    (Some(1), ..) => " by 1 point".to_owned(),
                    (Some(lead), ..) => format!(" by {lead} points"),
                    (None, _, "resignation") => " by resignation".to_owned(),
                    (None, _, "forfeit") => " on time".to_owned(),
                    (None, _, "adjudication") => " by adjudication".to_owned(),
                    (None, ..) => String::new(),
                };
                if is_me(userid) {
                    format!("You won{how}.")
                } else if is_lost {
                    format!("You lost{how}.")
                } else {
                    format!("{userid} won{how}.")
                }
            }
            Verdict::Tie(_) => match self.view.board.position.scores() {
                Scores::Points(points) if points.len() == 2 => format!("Draw, {}-{}.", points[0], points[1]),
                _ => "Draw.".to_owned(),
            },
        }
    }

    pub(super) fn clock(&self) -> Value {
        let board = &self.view.board;
        let since = last_move(board).map_or(self.view.summary.started, |line| line.at);
        let left = self.around.last_moment.map(|end| {
            let rest = end.at.since(self.around.now).to_short();
            context! { rest, until => end.at.to_rfc3339() }
        });
        context! { since => since.to_rfc3339(), left }
    }

    /// Latest words of another player, with or after the last move.
    pub(super) fn latest(&self, talk: &[TalkLine]) -> Option<Value> {
        let line =
            talk.last().filter(|line| self.visitor.is_none_or(|visitor| visitor.userid != line.who))?;
        let board = &self.view.board;
        let is_present = board.entries.len() as i64 == self.view.summary.last_ply;
        let is_new = last_move(board).is_none_or(|last| line.at >= last.at);
        (is_present && is_new).then(|| context! { who => line.who.clone(), text => line.text.clone() })
    }

    pub(super) fn note(&self, unstored: Option<&str>) -> Value {
        let mut note = self.around.note.clone();
        if let Some(text) = unstored {
            text.clone_into(&mut note.text);
        }
        Value::from(Serde(note))
    }

    pub(super) fn proposal_facts(&self) -> Value {
        let view = self.view;
        let userid = self.visitor.map_or("", |visitor| visitor.userid.as_str());
        let abilities = view.board.game.meta().abilities;
        let mine =
            |(user, _): &&(UserKey, ProposalKind)| self.visitor.is_some_and(|visitor| visitor.user == *user);
        let refused: Vec<ProposalKind> = view.refused.iter().filter(mine).map(|offer| offer.1).collect();
        let may = |kind| view.proposal.is_none() && !refused.contains(&kind);
        let told = match &view.proposal {
            Some(proposal) => {
                let silent = proposal.silent.as_ref().map_or_else(String::new, |userid| {
                    format!(" If the time of {userid} runs out first, {userid} counts as accepting.")
                });
                format!("{} offers {}.{silent}", proposal.by, proposal.kind)
            }
            None => refused
                .iter()
                .map(|kind| {
                    format!("You offered {kind}, which was declined. You can offer it again when everybody has moved.")
                })
                .collect::<Vec<_>>()
                .join(" "),
        };
        let waiting = view.proposal.as_ref().map_or(&[][..], |proposal| proposal.waiting.as_slice());
        context! {
            proposal => told,
            waiting => waiting.to_vec(),
            may_answer => waiting.iter().any(|name| name == userid),
            may_undo => abilities.has(Ability::Undo) && view.summary.last_ply > 0 && may(ProposalKind::Undo),
            may_draw => abilities.has(Ability::Draw) && may(ProposalKind::Draw),
            absent => self.absent().filter(|_| may(ProposalKind::Substitute)),
        }
    }

    /// Finds a player whose seat a computer player can take: the player to move, after a reminder, not the visitor.
    /// Not between two on a rated board.
    fn absent(&self) -> Option<&str> {
        let summary = &self.view.summary;
        let userid = self.visitor.map(|visitor| visitor.userid.as_str());
        let Standing::ToMove(next) = self.view.board.standing() else { return None };
        let waited_for = self.view.board.userid_at(i64::from(next.number()));
        let is_person = knotpost_model::computer_player::level_of(waited_for).is_none();
        let is_for_two = summary.rated && summary.seats.len() == 2;
        (summary.reminded.is_some() && is_person && !is_for_two && Some(waited_for) != userid)
            .then_some(waited_for)
    }

    pub(super) fn limits(&self) -> Value {
        let limits = &self.view.board.timing.limits;
        context! {
            nag => limits.nag.in_words(),
            forfeit => limits.forfeit.in_words(),
            total => limits.total.map(Span::in_words),
        }
    }

    pub(super) fn hint(&self, hint: &Hint) -> Value {
        let seats = self.view.summary.seats.iter().zip(&hint.thought.value);
        let share = |(seat, value): (&SeatSummary, &f64)| {
            context! { seat => seat.seat, userid => seat.userid.clone(), percent => format!("{:.0}", value * 100.0) }
        };
        context! {
            play => hint.thought.turn.clone(),
            judgement => hint.judgement.clone(),
            shares => seats.map(share).collect::<Vec<_>>(),
            expected => (hint.thought.line.len() > 1).then(|| hint.expected()),
            cut => hint.thought.cut,
        }
    }

    /// Explains a move that came too late, with a way to try it again.
    pub(super) fn stale(&self, play: &str, is_turn: bool) -> Value {
        let board = &self.view.board;
        let happened = last_move(board).map_or_else(
            || "The last move was taken back meanwhile.".to_owned(),
            |line| match self.visitor.filter(|visitor| visitor.userid == line.userid) {
                Some(_) => format!("You have moved meanwhile: {}.", line.text),
                None => format!("{} has moved meanwhile: {}.", line.userid, line.text),
            },
        );
        context! {
            message => format!("{happened} Your {play} was not played."),
            again => is_turn.then(|| self.address(play, None)),
            play,
        }
    }
}
