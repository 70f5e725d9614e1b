//! The time until a server accepts its first connection, and its memory while idle.

use std::path::Path;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::report::{Comparison, Figures, Times};
use crate::server::{Place, memory_of};

/// The time from the start until memory is measured.
const IDLE: Duration = Duration::from_secs(3);

/// Starts and stops a server again and again. The first start does not count: it may make the database.
pub(super) async fn measure(
    program: &Path,
    folder: Option<&Path>,
    database: Option<&str>,
    rounds: usize,
) -> anyhow::Result<bool> {
    let place = match folder {
        Some(folder) => Place::at(program, &std::fs::canonicalize(folder)?),
        None => Place::new(program)?,
    };
    let place = place.on_database(database);
    let server = place.start().await?;
    sleep(IDLE).await;
    let memory = memory_of(server.id());
    server.stop().await?;
    let mut starts = Comparison::new("starts, to the first connection".to_owned());
    for _ in 0..rounds {
        let begun = Instant::now();
        let server = place.start().await?;
        TcpStream::connect(place.endpoints()?.http).await?;
        let elapsed = begun.elapsed();
        starts.push("server", Figures { count: 1, elapsed, times: Times::of(elapsed) });
        server.stop().await?;
    }
    println!("{starts}");
    if let Some((now, _)) = memory {
        println!("resident memory, idle: {now} MiB");
    }
    if folder.is_none() {
        place.remove()?;
    }
    Ok(true)
}
