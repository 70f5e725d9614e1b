//! Help pages of the kit: the game's own words, with boards drawn by its view.

use crate::{
    game::Show,
    help::{HelpPage, draw_moves},
};

/// A line that begins like this is replaced by the board after the moves that it lists, or after none.
const FIGURE: &str = "@";

/// The page: how to challenge, then a section for each heading, a line that begins with `# `. Lines that begin with `@`
/// list moves and become the board after them.
pub fn write_help<G: Show>(text: &'static str) -> HelpPage {
    let mut page = HelpPage::open(G::META);
    for section in text.split("\n# ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let line = |line: &str| match line.strip_prefix(FIGURE) {
            Some(moves) => draw_figure::<G>(moves),
            None => line.to_owned(),
        };
        page = page.section(title.trim(), body.lines().map(line).collect::<Vec<_>>().join("\n"));
    }
    page
}

/// The board after these moves; the text itself where one of them is not legal, which the game's tests refuse.
fn draw_figure<G: Show>(moves: &str) -> String {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let views = draw_moves::<G>(None, &moves);
    views
        .and_then(|views| views.last().map(ToString::to_string))
        .unwrap_or_else(|| format!("{FIGURE} {}", moves.join(" ")))
}
