//! Pictures of boards, drawn outside the threads that serve everybody, and cached for a while: the players and
//! watchers of a board get the same one within moments.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use knotpost_picture::{Faces, PictureOptions, Theme, card, png, shown_width};
use knotpost_rules::View;
use tokio::sync::{OnceCell, Semaphore};

/// How many pictures are cached.
const MOST_DRAWINGS: usize = 64;

/// A picture being drawn, or what came of it.
type Cell = Arc<OnceCell<Option<Arc<[u8]>>>>;

/// What a picture is to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The board alone.
    Board {
        /// The ground.
        theme: Theme,
        /// How wide.
        width_px: u16,
    },
    /// For a mail: on a ground of its own, so that it is seen on dark pages too, with twice the pixels of
    /// [`shown_width`], and with the faces of dice explained.
    Mail,
    /// The board in the middle of a card of fixed size ([`knotpost_picture::CARD`]).
    Card {
        /// The ground.
        theme: Theme,
    },
}

/// The pictures drawn last. Two views that are equal have one picture, whatever boards they are of.
#[derive(Debug)]
pub struct Gallery {
    drawings: Mutex<VecDeque<(Arc<View>, Look, Cell)>>,
    /// Drawing takes half of the processors at most: moves do not wait for pictures of mails.
    painters: Semaphore,
}

impl Default for Gallery {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { drawings: Mutex::default(), painters: Semaphore::new((processors / 2).max(1)) }
    }
}

impl Gallery {
    /// The view as the bytes of a PNG file, drawn now or before; `None` when it cannot be drawn.
    pub async fn draw(&self, view: Arc<View>, look: Look) -> Option<Arc<[u8]>> {
        let cell = self.place(&view, look);
        let painted = cell.get_or_init(|| async {
            // Nobody closes the semaphore.
            let _permit = self.painters.acquire().await.ok()?;
            paint(view, look).await
        });
        painted.await.clone()
    }

    fn place(&self, view: &Arc<View>, look: Look) -> Cell {
        let mut drawings = self.drawings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., cell)) =
            drawings.iter().find(|(known, as_look, _)| *as_look == look && known == view)
        {
            return Arc::clone(cell);
        }
        if drawings.len() >= MOST_DRAWINGS {
            drawings.pop_front();
        }
        let cell = Cell::default();
        drawings.push_back((Arc::clone(view), look, Arc::clone(&cell)));
        cell
    }
}

async fn paint(view: Arc<View>, look: Look) -> Option<Arc<[u8]>> {
    let drawing = tokio::task::spawn_blocking(move || match look {
        Look::Board { theme, width_px } => {
            png(&view, &PictureOptions { theme, width_px, ..PictureOptions::default() })
        }
        Look::Mail => {
            let width_px = 2 * shown_width(&view);
            let faces = Faces::Explained;
            png(&view, &PictureOptions { width_px, faces, ..PictureOptions::default() })
        }
        Look::Card { theme } => card(&view, theme),
    });
    match drawing.await {
        Ok(Ok(bytes)) => Some(bytes.into()),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a board could not be drawn");
            None
        }
        Err(error) => {
            tracing::error!(%error, "drawing a board failed");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::{Registry, Seed, Viewer};

    fn view(game: &str) -> Arc<View> {
        let registry = Registry::standard();
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
    async fn what_cannot_be_drawn_is_no_picture_and_the_cache_is_bounded() {
        let gallery = Gallery::default();
        for number in 0..MOST_DRAWINGS + 5 {
            let legend = number.to_string();
            let _ = gallery.draw(View { legend, ..View::default() }.into(), Look::Mail).await;
        }
        assert_eq!(gallery.drawings.lock().expect("nobody died").len(), MOST_DRAWINGS);
    }
}
