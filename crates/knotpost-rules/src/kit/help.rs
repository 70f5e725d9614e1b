//! Help pages of the kit: the game's own words, with boards drawn by its view.

use crate::{
    game::Show,
    help::{HelpPage, draw_moves},
    view::View,
};

/// A line that begins like this is replaced by the board after the moves that it lists, or after none.
const FIGURE: &str = "@";

/// The page: how to challenge, then a section for each heading, a line that begins with `# `. Lines that begin with `@`
/// list moves and become the board after them.
pub fn write_help<G: Show>(text: &'static str) -> HelpPage {
    let mut page = HelpPage::open(G::META);
    for section in text.split("\n# ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let mut figures = Vec::new();
        let mut line = |line: &str| {
            // The text itself stays where a move is not legal, which the game's tests refuse.
            let Some(view) = line.strip_prefix(FIGURE).and_then(draw_figure::<G>) else {
                return line.to_owned();
            };
            let text = view.to_string();
            figures.push(view);
            text
        };
        let text = body.lines().map(&mut line).collect::<Vec<_>>().join("\n");
        page = page.section(title.trim(), text).figures(figures);
    }
    page
}

/// The board after these moves; `None`: one of them is not legal.
fn draw_figure<G: Show>(moves: &str) -> Option<View> {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    draw_moves::<G>(None, &moves)?.pop()
}
