//! How soon a server accepts its first connection, and how much memory it uses while idle.

use std::path::PathBuf;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::load::memory_of;
use crate::report::Times;
use crate::server::{Place, program_at};

/// How long after the start memory is measured.
const IDLE: Duration = Duration::from_secs(3);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of a server that is there, for instance one that `fill` made (default: an empty one).
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Its database, when it is not SQLite in the folder.
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// How often it is started.
    #[arg(long, default_value_t = 11)]
    rounds: usize,
    /// The server to be measured (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Starts and stops a server again and again. The first start does not count: it makes the database.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let program = program_at(args.server.as_deref())?;
    let mut place = match &args.folder {
        Some(folder) => Place::at(&program, &std::fs::canonicalize(folder)?),
        None => Place::new(&program)?,
    };
    if let Some(url) = &args.database {
        place = place.with("DATABASE__URL", url);
    }
    place.start().await?.stop().await?;
    let (mut times, mut memory) = (Times::default(), Vec::new());
    for round in 0..args.rounds {
        let begun = Instant::now();
        let server = place.start().await?;
        TcpStream::connect(server.endpoints.http).await?;
        times.push(begun.elapsed());
        if round == 0 {
            sleep(IDLE).await;
            memory.extend(memory_of(server.id()));
        }
        server.stop().await?;
    }
    println!(
        "start to the first connection: {:.1} ms ({:.1} to {:.1})",
        times.percentile(50),
        times.percentile(0),
        times.percentile(100)
    );
    for mib in memory {
        println!("resident memory, idle: {mib} MiB");
    }
    if args.folder.is_none() {
        place.remove()?;
    }
    Ok(true)
}
