//! Positions rendered for mails, pages and pictures: lazily, since most clients read no more than whose turn
//! it is and composing blocks other moves, and once for all players, watchers and the page.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use knotpost_rules::{Ability, AnyGame, Cast, Layout, Position, View, Viewer};

/// A position with its cached drawings, shared by clones.
///
/// Mutable access drops the drawings of this clone.
#[derive(Clone)]
pub struct Scene {
    position: Box<dyn Position>,
    is_hidden: bool,
    drawings: Arc<Drawings>,
}

#[derive(Default)]
struct Drawings {
    text: OnceLock<String>,
    sights: Mutex<Vec<(Viewer, Cast, Arc<Sight>)>>,
}

struct Sight {
    view: Arc<View>,
    /// Standard layout, the common case.
    text: OnceLock<String>,
}

impl Scene {
    pub(crate) fn new(game: &dyn AnyGame, position: Box<dyn Position>) -> Self {
        let is_hidden = game.meta().abilities.has(Ability::Hidden);
        Self { position, is_hidden, drawings: Arc::default() }
    }

    pub fn text(&self) -> &str {
        self.drawings.text.get_or_init(|| self.position.position())
    }

    pub(crate) fn view_for(&self, viewer: Viewer, cast: &Cast) -> Arc<View> {
        Arc::clone(&self.sight(viewer, cast).view)
    }

    pub(crate) fn forget_drawings(&mut self) {
        self.drawings = Arc::default();
    }

    fn sight(&self, viewer: Viewer, cast: &Cast) -> Arc<Sight> {
        let viewer = if self.is_hidden { viewer } else { Viewer::Spectator };
        // Locked while drawing, so that concurrent readers wait instead of drawing twice.
        let mut sights = self.drawings.sights.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sights.iter().find(|(whose, by, _)| *whose == viewer && by == cast);
        if let Some((.., sight)) = known {
            return Arc::clone(sight);
        }
        let view = Arc::new(self.position.view(viewer).with_cast(cast.clone()));
        let sight = Arc::new(Sight { view, text: OnceLock::new() });
        sights.push((viewer, cast.clone(), Arc::clone(&sight)));
        sight
    }
}

impl Deref for Scene {
    type Target = dyn Position;

    fn deref(&self) -> &Self::Target {
        self.position.as_ref()
    }
}

impl DerefMut for Scene {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.forget_drawings();
        self.position.as_mut()
    }
}

#[derive(Clone)]
pub struct RenderedPosition {
    scene: Scene,
    viewer: Viewer,
    cast: Arc<Cast>,
    layout: Layout,
    sight: OnceLock<Arc<Sight>>,
}

impl fmt::Debug for RenderedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderedPosition")
            .field("position", &self.scene.text())
            .field("viewer", &self.viewer)
            .field("layout", &self.layout)
            .finish_non_exhaustive()
    }
}

impl RenderedPosition {
    pub(crate) fn of(scene: &Scene, viewer: Viewer, cast: Cast, layout: Layout) -> Self {
        Self { scene: scene.clone(), viewer, cast: Arc::new(cast), layout, sight: OnceLock::new() }
    }

    pub fn view(&self) -> &Arc<View> {
        &self.sight().view
    }

    pub(crate) fn in_layout(&self, layout: Layout) -> Self {
        Self { layout, ..self.clone() }
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The board as text with scores; no final newline.
    pub fn text(&self) -> Cow<'_, str> {
        let Sight { view, text } = self.sight();
        match self.layout {
            Layout::Standard => Cow::Borrowed(text.get_or_init(|| view.lay_out(Layout::Standard))),
            rare => Cow::Owned(view.lay_out(rare)),
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

    fn sight(&self) -> &Sight {
        self.sight.get_or_init(|| self.scene.sight(self.viewer, &self.cast))
    }
}

#[cfg(test)]
mod tests {
    use knotpost_rules::{Registry, Seat, Seed, Turn};

    use super::*;

    fn scene() -> Scene {
        let registry = Registry::standard();
        let game = registry.find("osbox").expect("a game");
        let options = game.parse_options(&[], 2).expect("defaults");
        Scene::new(game, game.setup(&options, 2, &Seed::default()))
    }

    #[test]
    fn readers_who_see_the_same_share_one_drawing() {
        let scene = scene();
        let copy = scene.clone();
        let [of_one, of_all] = [Viewer::Seat(Seat::FIRST), Viewer::Spectator]
            .map(|viewer| RenderedPosition::of(&copy, viewer, Cast::default(), Layout::Standard));
        assert!(Arc::ptr_eq(of_one.view(), of_all.view()));
        assert!(Arc::ptr_eq(of_one.view(), &scene.view_for(Viewer::Spectator, &Cast::default())));
        assert_eq!(of_one.text().as_ptr(), of_all.text().as_ptr());
        let narrow = RenderedPosition::of(&scene, Viewer::Spectator, Cast::default(), Layout::Narrow);
        assert_eq!(narrow.text(), of_all.view().lay_out(Layout::Narrow));
        assert_ne!(narrow.text(), of_all.text());
    }

    #[test]
    fn the_same_position_of_other_players_is_drawn_with_their_names() {
        let scene = scene();
        let cast = |players: [&str; 2]| Cast { players: players.map(str::to_owned).to_vec(), now: None };
        let [one, other] = [cast(["ann", "bob"]), cast(["carol", "dave"])]
            .map(|cast| RenderedPosition::of(&scene, Viewer::Spectator, cast, Layout::Standard));
        assert!(one.text().contains("Horz ann") && one.text().contains("Vert bob"), "{}", one.text());
        assert!(other.text().contains("Horz carol"), "{}", other.text());
    }

    #[test]
    fn seats_of_a_game_with_secrets_share_nothing() {
        let scene = Scene { is_hidden: true, ..scene() };
        let of_one = scene.view_for(Viewer::Seat(Seat::FIRST), &Cast::default());
        assert!(!Arc::ptr_eq(&of_one, &scene.view_for(Viewer::Spectator, &Cast::default())));
        assert!(Arc::ptr_eq(&of_one, &scene.view_for(Viewer::Seat(Seat::FIRST), &Cast::default())));
    }

    #[test]
    fn a_position_that_goes_on_forgets_its_drawings_and_leaves_its_copies_theirs() {
        let mut scene = scene();
        let before = scene.clone();
        let (text, view) = (scene.text().to_owned(), scene.view_for(Viewer::Spectator, &Cast::default()));
        let first = scene.example_move().expect("a move");
        scene.play(Turn::Move(&first)).expect("a legal one");
        assert_eq!(scene.text(), scene.position());
        assert_ne!(scene.text(), text);
        let bare = scene.view(Viewer::Spectator).with_cast(Cast::default());
        assert_eq!(*scene.view_for(Viewer::Spectator, &Cast::default()), bare);
        assert_ne!(*scene.view_for(Viewer::Spectator, &Cast::default()), *view);
        assert_eq!(before.text(), text);
        assert!(Arc::ptr_eq(&before.view_for(Viewer::Spectator, &Cast::default()), &view));
    }
}
