//! A reply as an HTML page: the same words as its text, set for proportional fonts, with a picture of each board.

use std::sync::Arc;

use knotpost_rules::Layout;
use minijinja::{Value, context};

use super::board_text::{has_listed_moves, head_rows, listed_moves, move_rows, sheet_context};
use super::render::{RenderError, Rendered, Renderer};
use knotpost_core::replies::{Answers, Depicted, PICTURE_ENDS, Reply, Sheet, picture_begins};

/// The most pictures of a mail; boards beyond are shown as text alone.
const MAX_PICTURES: usize = 12;

/// Facts about its mail that a page needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct MailFacts<'a> {
    /// The user it is for, where others read mail at the same address.
    pub(super) addressee: Option<&'a str>,
    /// Without brackets; the names of pictures are derived from it.
    pub(super) message_id: &'a str,
    /// The address a reply goes to, when it takes moves without a password.
    pub(super) reply_to: Option<&'a str>,
    /// Further notices for its reader.
    pub(super) notices: &'a [String],
}

/// A page and what it shows.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) html: String,
    pub(super) pictures: Vec<Depicted>,
}

impl Renderer {
    /// The reply as a page; `rendered` is what [`Renderer::render_by`] made of it and its facts.
    ///
    /// # Errors
    /// When a template is wrong.
    pub(super) fn page(
        &self,
        reply: &Reply,
        (rendered, facts): (&Rendered, &Value),
        mail: MailFacts<'_>,
    ) -> Result<Page, RenderError> {
        let mut pictures = Vec::new();
        let outer = context! {
            subject => rendered.subject.as_str(),
            layout => "layout/base.html",
            notices => mail.notices.to_vec(),
            addressee => mail.addressee,
        };
        let html = self.set_page(reply, (&rendered.text, facts), outer, mail, &mut pictures)?;
        Ok(Page { html, pictures })
    }

    fn set_page(
        &self,
        reply: &Reply,
        (text, facts): (&str, &Value),
        outer: Value,
        mail: MailFacts<'_>,
        pictures: &mut Vec<Depicted>,
    ) -> Result<String, RenderError> {
        let boards: Vec<Value> = if let Reply::Board(sheet) = reply {
            // For a single board the reply's facts say everything.
            vec![self.board(sheet, facts.clone(), mail, pictures)]
        } else {
            let sheets = sheets(reply).into_iter();
            sheets.map(|sheet| self.board(sheet, sheet_context(sheet), mail, pictures)).collect()
        };
        let lines = self.results(reply, mail, pictures)?;
        // In a reply `text` may be what a user wrote; on a page it is the complete text of the mail.
        let said = facts.get_attr("text").unwrap_or_default();
        let page = context! { text, said, boards, results => lines, ..outer };
        self.fill(reply.template(), "body.html", &context! { ..page, ..facts.clone() })
    }

    /// The results of several commands, each set as its own page would be.
    fn results(
        &self,
        reply: &Reply,
        mail: MailFacts<'_>,
        pictures: &mut Vec<Depicted>,
    ) -> Result<Vec<Value>, RenderError> {
        let Reply::Multiple { lines } = reply else { return Ok(Vec::new()) };
        let mut results = Vec::with_capacity(lines.len());
        for line in lines {
            let facts = self.facts(&line.reply)?;
            let rendered = self.render_by(&line.reply, &facts)?;
            let outer = context! { subject => rendered.subject, layout => "layout/bare.html" };
            let page = self.set_page(&line.reply, (&rendered.text, &facts), outer, mail, pictures)?;
            let pages = vec![Value::from_safe_string(page)];
            results.push(context! { line => line.line.clone(), ok => line.ok, pages });
        }
        Ok(results)
    }

    /// Template context of a board in a page.
    fn board(&self, sheet: &Sheet, facts: Value, mail: MailFacts<'_>, pictures: &mut Vec<Depicted>) -> Value {
        let picture = (pictures.len() < MAX_PICTURES && !sheet.drawing.view().panels.is_empty()).then(|| {
            let content_id = format!("board{}.{}", pictures.len() + 1, mail.message_id);
            let picture = context! {
                content_id => content_id.clone(),
                begins => Value::from_safe_string(picture_begins(&content_id)),
                ends => Value::from_safe_string(PICTURE_ENDS.to_owned()),
                width => knotpost_picture::shown_width(sheet.drawing.view()),
                alt => knotpost_picture::summarize(sheet.drawing.view()),
            };
            let (view, basis) = (Arc::clone(sheet.drawing.view()), sheet.basis.clone());
            pictures.push(Depicted { content_id, view, basis });
            picture
        });
        let has_table = matches!(sheet.drawing.layout(), Layout::Standard | Layout::Narrow);
        let is_listed = has_listed_moves(sheet);
        let own_reply = matches!(sheet.answers, Some(Answers::Move(_)));
        context! {
            picture,
            link => sheet.number.map(|number| self.board_link(&sheet.game, number)),
            rows => has_table.then(|| if is_listed { head_rows(sheet) } else { move_rows(sheet) }),
            listed_moves => is_listed.then(|| listed_moves(sheet)),
            page_legend => sheet.legend_for_pages().trim_end(),
            reply_to => mail.reply_to,
            opens_move => own_reply,
            opening => sheet.example.as_deref().and_then(|line| line.rsplit_once(' ')).map(|(line, _)| line),
            ..facts
        }
    }
}

/// The boards that a reply shows beside other words or boards, in the order of its text.
fn sheets(reply: &Reply) -> Vec<&Sheet> {
    match reply {
        Reply::Boards { sheets, .. } | Reply::Digest { sheets, .. } | Reply::Puzzles { sheets, .. } => {
            sheets.iter().collect()
        }
        Reply::Error(error) => error.sheet.as_deref().into_iter().collect(),
        Reply::AlreadyPlayed { sheet, .. } => sheet.as_deref().into_iter().collect(),
        Reply::Board(_)
        | Reply::Help { .. }
        | Reply::Standings { .. }
        | Reply::Multiple { .. }
        | Reply::Said(_) => Vec::new(),
    }
}
