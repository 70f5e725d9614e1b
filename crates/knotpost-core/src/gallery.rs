//! Pictures of boards, drawn outside the async threads and cached: players and watchers get the same one
//! within moments. Pictures for mails and for pages have separate workers and caches.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use knotpost_picture::{Faces, MAIL_WIDTH, PictureOptions, Theme, animation, card, png};
use knotpost_platform::background::in_background;
use knotpost_rules::View;
use tokio::sync::{OnceCell, Semaphore};

use crate::fair_queue::FairQueue;
use knotpost_model::Host;

const MOST_DRAWINGS: usize = 64;
/// Waiting requests of pages, in all and per host.
const MOST_WAITING: usize = 32;
const MOST_OF_HOST: usize = 4;
/// Waiting animations per host.
const MOST_ANIMATIONS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

/// Niceness of drawing for mails, so that moves come first: on a busy machine about a tenth of a processor.
const NICE: i32 = 10;

type Cell = Arc<OnceCell<Option<Arc<[u8]>>>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Board {
        theme: Theme,
        width_px: u16,
    },
    /// For a mail: on a ground of its own, so that it is seen on dark pages too, [`MAIL_WIDTH`] pixels wide, and with the
    /// faces of dice explained.
    Mail,
    /// Centred on a card of fixed size ([`knotpost_picture::CARD`]).
    Card {
        theme: Theme,
    },
}

/// Most recent pictures, keyed by view: equal views share one, whatever their boards.
#[derive(Debug)]
pub struct Gallery {
    mailed: Shelf,
    shown: Shelf,
    /// Pictures of mails take half of the processors at most: the others are for moves.
    painters: Semaphore,
    /// One picture at a time for all page requests.
    onlookers: FairQueue<Host>,
    /// One animation at a time, beside the pictures.
    animations: FairQueue<Host>,
}

/// Oldest first.
type Shelf = Mutex<VecDeque<(Arc<View>, Look, Cell)>>;

impl Default for Gallery {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            mailed: Shelf::default(),
            shown: Shelf::default(),
            painters: Semaphore::new((processors / 2).max(1)),
            onlookers: FairQueue::new(1, MOST_WAITING),
            animations: FairQueue::new(1, MOST_WAITING),
        }
    }
}

impl Gallery {
    /// PNG for a page request of this host; `None`: it cannot be drawn.
    pub async fn show(&self, host: Host, view: Arc<View>, look: Look) -> Result<Option<Arc<[u8]>>, Busy> {
        let cell = place(&self.shown, &view, look);
        if let Some(drawn) = cell.get() {
            return Ok(drawn.clone());
        }
        let turn = self.onlookers.turn(host, MOST_OF_HOST).await.ok_or(Busy)?;
        Ok(cell.get_or_init(|| paint(view, look, turn)).await.clone())
    }

    /// Animation of the views that this gives, for a page request of this host, drawn when nothing else is to be done;
    /// `None`: it cannot be drawn.
    pub async fn animate(
        &self,
        host: Host,
        views: impl FnOnce() -> Option<Vec<View>> + Send + 'static,
        (theme, width_px): (Theme, u16),
    ) -> Result<Option<Vec<u8>>, Busy> {
        let turn = self.animations.turn(host, MOST_ANIMATIONS).await.ok_or(Busy)?;
        let drawing = tokio::task::spawn_blocking(move || {
            // Held to the end of the drawing, though whoever asked may have gone.
            let _turn = turn;
            in_background(NICE, || Some(animation(&views()?, theme, width_px))).flatten()
        });
        match drawing.await.ok().flatten() {
            Some(Ok(bytes)) => Ok(Some(bytes)),
            Some(Err(error)) => {
                tracing::warn!(%error, "a game could not be animated");
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// PNG for a mail; `None`: it cannot be drawn.
    pub async fn draw(&self, view: Arc<View>, look: Look) -> Option<Arc<[u8]>> {
        let cell = place(&self.mailed, &view, look);
        let painted = cell.get_or_init(|| async {
            let _permit = self.painters.acquire().await.ok()?;
            paint(view, look, ()).await
        });
        painted.await.clone()
    }
}

fn place(shelf: &Shelf, view: &Arc<View>, look: Look) -> Cell {
    let mut drawings = shelf.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., cell)) = drawings.iter().find(|(known, as_look, _)| *as_look == look && known == view) {
        return Arc::clone(cell);
    }
    if drawings.len() >= MOST_DRAWINGS {
        drawings.pop_front();
    }
    let cell = Cell::default();
    drawings.push_back((Arc::clone(view), look, Arc::clone(&cell)));
    cell
}

/// Keeps `turn` to the end of the drawing, though whoever asked may have gone.
async fn paint(view: Arc<View>, look: Look, turn: impl Send + 'static) -> Option<Arc<[u8]>> {
    let drawing = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        match look {
            Look::Board { theme, width_px } => {
                Some(png(&view, &PictureOptions { theme, width_px, ..PictureOptions::default() }))
            }
            Look::Mail => {
                let faces = Faces::Explained;
                let options = PictureOptions { width_px: MAIL_WIDTH, faces, ..PictureOptions::default() };
                in_background(NICE, || png(&view, &options))
            }
            Look::Card { theme } => Some(card(&view, theme)),
        }
    });
    match drawing.await.ok().flatten() {
        Some(Ok(bytes)) => Some(bytes.into()),
        Some(Err(error)) => {
            tracing::warn!(%error, "a board could not be drawn");
            None
        }
        None => {
            tracing::error!("drawing a board failed");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use knotpost_rules::{Seed, Viewer};

    fn view(game: &str) -> Arc<View> {
        let registry = knotpost_games::registry();
        let game = registry.find(game).expect("a game");
        let players = *game.meta().players.start();
        let options = game.parse_options(&[], players).expect("defaults");
        game.setup(&options, players, &Seed::default()).view(Viewer::Spectator).into()
    }

    #[tokio::test]
    async fn equal_views_are_drawn_once() {
        let gallery = Gallery::default();
        let one = gallery.draw(view("osbox"), Look::Mail).await.expect("a picture");
        let same = gallery.draw(view("osbox"), Look::Mail).await.expect("a picture");
        let other = gallery.draw(view("osbo"), Look::Mail).await.expect("a picture");
        let card = gallery.draw(view("osbox"), Look::Card { theme: Theme::Light }).await.expect("a picture");
        assert!(Arc::ptr_eq(&one, &same));
        assert!(one != other && one != card);
        assert!(one.starts_with(b"\x89PNG"));
    }

    #[tokio::test]
    async fn pictures_of_pages_stand_in_no_way_of_those_of_mails_and_nobody_waits_behind_many() {
        let gallery = Gallery::default();
        let host = |last| Host::of([192, 0, 2, last].into());
        let look = Look::Card { theme: Theme::Dark };
        let known = gallery.show(host(1), view("osbox"), look).await;
        let held = gallery.onlookers.turn(host(9), MOST_OF_HOST).await;
        let mut waiting: Vec<_> =
            (0..40).map(|number| Box::pin(gallery.show(host(number + 20), view("osbo"), look))).collect();
        let polled: Vec<_> = waiting.iter_mut().map(|one| one.as_mut().now_or_never()).collect();
        let refused = polled.iter().filter(|one| matches!(one, Some(Err(Busy)))).count();
        assert_eq!(refused, 40 - MOST_WAITING);
        assert_eq!(gallery.show(host(1), view("osbox"), look).await, known, "what is drawn waits for nobody");
        assert!(gallery.draw(view("osbox"), Look::Mail).await.is_some());
        drop((waiting, held));
        assert!(gallery.show(host(1), view("osbo"), look).await.expect("nobody is before it").is_some());
    }

    #[tokio::test]
    async fn whoever_goes_away_keeps_the_turn_until_it_is_drawn() {
        let gallery = Gallery::default();
        let host = |last| Host::of([192, 0, 2, last].into());
        let (begun, has_begun) = std::sync::mpsc::channel::<()>();
        let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
        let views = move || {
            begun.send(()).ok()?;
            may_go_on.recv().ok()?;
            None
        };
        let mut asked = Box::pin(gallery.animate(host(1), views, (Theme::Light, 360)));
        assert!(asked.as_mut().now_or_never().is_none());
        has_begun.recv().expect("it is being drawn");
        drop(asked);
        assert!(gallery.animations.turn_now(host(2)).is_none());
        go_on.send(()).expect("it waits");
        assert!(gallery.animations.turn(host(2), MOST_ANIMATIONS).await.is_some());
    }

    #[tokio::test]
    async fn what_cannot_be_drawn_is_no_picture_and_the_cache_is_bounded() {
        let gallery = Gallery::default();
        for number in 0..MOST_DRAWINGS + 5 {
            let legend = number.to_string();
            let _ = gallery.draw(View { legend, ..View::default() }.into(), Look::Mail).await;
        }
        assert_eq!(gallery.mailed.lock().expect("nobody died").len(), MOST_DRAWINGS);
    }
}
