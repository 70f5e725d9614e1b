//! Positions rendered for text mails, pages and pictures. They are rendered when they are first asked for: most clients
//! read no more of an answer than whose turn it is, and the answer is composed while other moves wait. Each is rendered
//! once for all readers to whom it is passed: the mails of a lease about one position show the same.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use knotpost_rules::{Ability, AnyGame, Cast, Layout, Position, View, Viewer};

/// View of a position for a reader, as text and for drawing pictures.
#[derive(Clone)]
pub struct RenderedPosition {
    drawing: Arc<Drawing>,
    layout: Layout,
}

/// A position for those who see the same of it.
struct Drawing {
    position: Box<dyn Position>,
    viewer: Viewer,
    cast: Cast,
    view: OnceLock<Arc<View>>,
    /// In the standard layout, which nearly all readers have.
    text: OnceLock<String>,
}

impl Drawing {
    fn view(&self) -> &Arc<View> {
        self.view.get_or_init(|| Arc::new(self.position.view(self.viewer).with_cast(self.cast.clone())))
    }
}

impl fmt::Debug for RenderedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderedPosition")
            .field("position", &self.drawing.position.position())
            .field("viewer", &self.drawing.viewer)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

impl RenderedPosition {
    /// A position of this game, last move marked, with those who play.
    pub(crate) fn of(
        (game, position): (&dyn AnyGame, &dyn Position),
        viewer: Viewer,
        cast: Cast,
        layout: Layout,
    ) -> Self {
        let is_hidden = game.meta().abilities.has(Ability::Hidden);
        let viewer = if is_hidden { viewer } else { Viewer::Spectator };
        let position = position.clone_box();
        let (view, text) = (OnceLock::new(), OnceLock::new());
        Self { drawing: Arc::new(Drawing { position, viewer, cast, view, text }), layout }
    }

    pub fn view(&self) -> &Arc<View> {
        self.drawing.view()
    }

    pub(crate) fn in_layout(&self, layout: Layout) -> Self {
        Self { layout, ..self.clone() }
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The board as text with scores; no final newline.
    pub fn text(&self) -> Cow<'_, str> {
        let Drawing { text, .. } = &*self.drawing;
        match self.layout {
            Layout::Standard => Cow::Borrowed(text.get_or_init(|| self.view().lay_out(Layout::Standard))),
            rare => Cow::Owned(self.view().lay_out(rare)),
        }
    }

    pub fn legend_for_pages(&self) -> String {
        match self.layout {
            Layout::List => self.legend(),
            Layout::Standard | Layout::Wide | Layout::Narrow => self.view().legend_for_pages(),
        }
    }

    pub(crate) fn legend(&self) -> String {
        self.view().legend_for(self.layout)
    }
}

#[cfg(test)]
mod tests {
    use knotpost_rules::Seed;

    use super::*;

    fn rendered(viewer: Viewer, players: [&str; 2], layout: Layout) -> RenderedPosition {
        let registry = knotpost_games::registry();
        let game = registry.find("osbox").expect("a game");
        let options = game.parse_options(&[], 2).expect("defaults");
        let position = game.setup(&options, 2, &Seed::default());
        let cast = Cast { players: players.map(str::to_owned).to_vec(), now: None };
        RenderedPosition::of((game, &*position), viewer, cast, layout)
    }

    const PLAYERS: [&str; 2] = ["ann", "bob"];

    #[test]
    fn another_layout_is_of_the_same_drawing() {
        let standard = rendered(Viewer::Spectator, PLAYERS, Layout::Standard);
        let narrow = standard.in_layout(Layout::Narrow);
        assert!(Arc::ptr_eq(standard.view(), narrow.view()));
        assert_eq!(narrow.text(), standard.view().lay_out(Layout::Narrow));
        assert_ne!(narrow.text(), standard.text());
    }

    #[test]
    fn the_same_position_of_other_players_is_drawn_with_their_names() {
        let [one, other] = [PLAYERS, ["carol", "dave"]]
            .map(|players| rendered(Viewer::Spectator, players, Layout::Standard));
        assert!(one.text().contains("Horz ann") && one.text().contains("Vert bob"), "{}", one.text());
        assert!(other.text().contains("Horz carol"), "{}", other.text());
    }
}
