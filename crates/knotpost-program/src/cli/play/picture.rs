//! Pictures of a game on the command line.

use super::{
    request::{Format, PictureFile},
    table::Table,
};
use knotpost_picture::{PictureError, PictureOptions};
use knotpost_rules::Viewer;
use std::{fs, io};

#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum PictureFault {
    #[error(transparent)]
    Drawing(#[from] PictureError),
    #[error("the picture cannot be written to {file}: {reason}")]
    Writing { file: String, reason: io::Error },
}

pub(super) fn save(table: &Table, file: &PictureFile) -> Result<(), PictureFault> {
    let view = table.position.view(Viewer::Spectator);
    let title = match table.turns.len() {
        0 => format!("{} board at the start", table.meta.title),
        turns => format!("{} board after move {turns}", table.meta.title),
    };
    let options = PictureOptions { title, ..PictureOptions::default() };
    let bytes = match file.format {
        Format::Svg => knotpost_picture::svg(&view, &options).into_bytes(),
        Format::Png => knotpost_picture::png(&view, &options)?,
    };
    let failed = |reason| PictureFault::Writing { file: file.path.display().to_string(), reason };
    fs::write(&file.path, bytes).map_err(failed)
}
