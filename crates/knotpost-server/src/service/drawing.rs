//! A board to be drawn. Nothing is before somebody asks for it: most programs that move read no more of the answer than
//! whose turn it is, and the answer is put together while other moves wait.

use std::fmt;
use std::sync::OnceLock;

use knotpost_rules::{Layout, Position, View, Viewer};

/// What a reader sees of a position, as text and for whoever draws pictures.
#[derive(Clone)]
pub struct Drawing {
    position: Box<dyn Position>,
    viewer: Viewer,
    layout: Layout,
    view: OnceLock<View>,
}

impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawing")
            .field("position", &self.position.position())
            .field("viewer", &self.viewer)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

impl Drawing {
    pub(super) fn of(position: &dyn Position, viewer: Viewer, layout: Layout) -> Self {
        Self { position: position.clone_box(), viewer, layout, view: OnceLock::new() }
    }

    /// The same for whoever draws it otherwise.
    pub fn view(&self) -> &View {
        self.view.get_or_init(|| self.position.view(self.viewer))
    }

    /// How it is laid out as text.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The board as text, with scores, without a final line end.
    pub fn text(&self) -> String {
        self.view().lay_out(self.layout)
    }

    pub(super) fn legend(&self) -> String {
        self.view().legend_for(self.layout)
    }
}
