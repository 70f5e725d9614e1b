//! Positions rendered for text mails, pages and pictures. They are rendered when they are first asked for: most clients
//! read no more of an answer than whose turn it is, and the answer is composed while other moves wait. Each is rendered
//! once for all readers to whom it is passed: the mails of a lease about one position show the same.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use knotpost_rules::{Ability, AnyGame, Cast, Layout, Position, View, Viewer};

/// What a reader sees of a position, as text and for whoever draws pictures.
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

    /// The same, drawn once with one of `known`, the renderings of the same position, or added to them.
    pub(crate) fn shared_with(self, known: &mut Vec<Self>) -> Self {
        let Drawing { viewer, cast, .. } = &*self.drawing;
        let same = known.iter().find(|other| other.drawing.viewer == *viewer && other.drawing.cast == *cast);
        if let Some(same) = same {
            return same.in_layout(self.layout);
        }
        known.push(self.clone());
        self
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
    use knotpost_rules::{Registry, Seat, Seed};

    use super::*;

    fn rendered(viewer: Viewer, players: [&str; 2], layout: Layout) -> RenderedPosition {
        let registry = Registry::standard();
        let game = registry.find("osbox").expect("a game");
        let options = game.parse_options(&[], 2).expect("defaults");
        let position = game.setup(&options, 2, &Seed::default());
        let cast = Cast { players: players.map(str::to_owned).to_vec(), now: None };
        RenderedPosition::of((game, &*position), viewer, cast, layout)
    }

    const PLAYERS: [&str; 2] = ["ann", "bob"];

    #[test]
    fn readers_who_see_the_same_share_one_drawing() {
        let mut known = Vec::new();
        let [of_one, of_all, narrow] = [
            (Viewer::Seat(Seat::FIRST), Layout::Standard),
            (Viewer::Spectator, Layout::Standard),
            (Viewer::Spectator, Layout::Narrow),
        ]
        .map(|(viewer, layout)| rendered(viewer, PLAYERS, layout).shared_with(&mut known));
        assert!(Arc::ptr_eq(of_one.view(), of_all.view()) && Arc::ptr_eq(of_one.view(), narrow.view()));
        assert_eq!(of_one.text().as_ptr(), of_all.text().as_ptr());
        assert_eq!(narrow.text(), of_all.view().lay_out(Layout::Narrow));
        assert_ne!(narrow.text(), of_all.text());
    }

    #[test]
    fn the_same_position_of_other_players_is_drawn_with_their_names() {
        let mut known = Vec::new();
        let [one, other] = [PLAYERS, ["carol", "dave"]]
            .map(|players| rendered(Viewer::Spectator, players, Layout::Standard).shared_with(&mut known));
        assert!(one.text().contains("Horz ann") && one.text().contains("Vert bob"), "{}", one.text());
        assert!(other.text().contains("Horz carol"), "{}", other.text());
    }

    #[test]
    fn seats_of_a_game_with_secrets_share_nothing() {
        let mut known = Vec::new();
        let mut of = |viewer| {
            let RenderedPosition { drawing, layout } = rendered(viewer, PLAYERS, Layout::Standard);
            let drawing = Arc::into_inner(drawing).expect("one owner");
            RenderedPosition { drawing: Arc::new(Drawing { viewer, ..drawing }), layout }
                .shared_with(&mut known)
        };
        let [one, all, again] =
            [Viewer::Seat(Seat::FIRST), Viewer::Spectator, Viewer::Seat(Seat::FIRST)].map(&mut of);
        assert!(!Arc::ptr_eq(one.view(), all.view()) && Arc::ptr_eq(one.view(), again.view()));
    }
}
