//! The most frequent requests to a server with many users and boards, beside the same to a small one.
//!
//! The small server's boards are played. The large one is the small one many times over, each copy with users and numbers
//! of its own: the export of the one becomes what the other imports.

mod compare;
mod copy;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use knotpost_rules::Registry;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::clients::{Next, together};
use crate::dice::{Dice, draw, happens};
use crate::games::choose;
use crate::http::{Http, JSON};
use crate::people::{challenge, sign_up_with_keys};
use crate::play::text;
use crate::server::{Place, said};
use crate::sink::Sink;
use crate::trial::Common;

/// The games played, with their share of the boards in percent.
const KINDS: [((&str, &str), u64); 6] = [
    (("osbox", "-size=3"), 30),
    (("osbox", "-size=4"), 10),
    (("osbo", "-size=3"), 10),
    (("obsidio", "-size=5"), 15),
    (("boxilies", ""), 30),
    (("osbox", "-size=2"), 5),
];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of both servers. One that is there was made by this command and is measured again.
    #[arg(long, value_name = "FOLDER")]
    folder: PathBuf,
    /// Boards of the small server.
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..copy::APART))]
    boards: u64,
    /// Users of the small server.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..copy::APART))]
    users: u64,
    /// As many times as many has the large server.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    times: u64,
    /// The databases of the small server and of the large one, empty ones (default: SQLite in the folder).
    #[arg(long, value_name = "URL,URL", value_delimiter = ',')]
    databases: Vec<String>,
    /// Times a question is asked in a round, of either.
    #[arg(long, default_value_t = 40)]
    count: usize,
    /// Rounds.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    #[command(flatten)]
    common: Common,
}

/// Makes the servers unless they are there, and compares them.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    ensure!(args.count > 0 && args.rounds > 0, "something must be counted");
    ensure!(matches!(args.databases.len(), 0 | 2), "name two databases, or none");
    let program = args.common.program()?;
    let sink = Sink::prompt().await?;
    let is_new = !args.folder.exists();
    for name in ["small", "large"] {
        std::fs::create_dir_all(args.folder.join(name))?;
    }
    let folder = std::fs::canonicalize(&args.folder)?;
    let place = |name: &str, at: usize| {
        let database = args.databases.get(at).map(String::as_str);
        Place::at(&program, &folder.join(name)).mailing_to(&sink, 0).on_database(database)
    };
    let (small, large) = (place("small", 0), place("large", 1));
    if is_new {
        fill(&args, &small, &large, &folder).await?;
    }
    compare::run([small, large], args.count, args.rounds, args.common.seed.unwrap_or(1)).await
}

async fn fill(args: &Args, small: &Place, large: &Place, folder: &Path) -> anyhow::Result<()> {
    let began = Instant::now();
    play(args, small).await?;
    let (exported, copied) = (folder.join("small.jsonl"), folder.join("large.jsonl"));
    let path = |file: &Path| file.to_str().map(str::to_owned).context("the folder's name is not UTF-8");
    let output = small.run(&["export", "--all", &path(&exported)?], b"").await?;
    ensure!(output.status.success(), "{}", said(&output));
    println!("{} boards played: {:.0} s", args.boards, began.elapsed().as_secs_f64());
    copy::write(&exported, &copied, args.times)?;
    let status = large.run_openly(&["import", &path(&copied)?]).await?;
    ensure!(status.success(), "`knotpost import` ended with {status}");
    std::fs::remove_file(&exported)?;
    std::fs::remove_file(&copied)?;
    println!("{} boards in all: {:.0} s", args.boards * args.times, began.elapsed().as_secs_f64());
    Ok(())
}

/// Has random games played on a new server, most of them to their ends.
async fn play(args: &Args, place: &Place) -> anyhow::Result<()> {
    let server = place.start().await?;
    let address = place.endpoints()?.http;
    let userids: Vec<String> = (1..=args.users).map(|number| format!("u{number}")).collect();
    let keys = sign_up_with_keys(address, &userids).await?;
    let (users, registry) = (Arc::new((userids, keys)), Arc::new(knotpost_games::registry()));
    let (boards, seed) = (args.boards as usize, args.common.seed.unwrap_or(1));
    let client = |next: Next| {
        let (users, registry) = (Arc::clone(&users), Arc::clone(&registry));
        async move {
            let mut http = Http::connect(address).await?;
            while let Some(board) = next.below(boards) {
                let dice = Dice::with_seed(seed ^ (board as u64) << 32);
                play_board(&mut http, &users, &registry, dice).await?;
            }
            Ok(())
        }
    };
    together(8, client).await?;
    server.stop().await
}

async fn play_board(
    http: &mut Http,
    (userids, keys): &(Vec<String>, Vec<String>),
    registry: &Registry,
    mut dice: Dice,
) -> anyhow::Result<()> {
    let (name, options) = draw(&mut dice, &KINDS)?;
    // Some users play more than others.
    let count = userids.len();
    let first = dice.usize(..count).min(dice.usize(..count));
    let players = [first, (first + 1 + dice.usize(..count - 1)) % count];
    let [ann, bob] = players.map(|at| userids.get(at).map_or("", String::as_str));
    let number = challenge(http, &format!("{name} challenge {options} {ann} {bob}"), "").await?;
    let mut most = if happens(&mut dice, 5) { dice.u64(..6) } else { u64::MAX };
    let path = format!("/api/v1/boards/{name}/{number}");
    loop {
        let board = http.get(&path).await?.json()?;
        if most == 0 || text(&board, "state") != "active" {
            return Ok(());
        }
        most -= 1;
        let mover = board.pointer("/to_move/0").and_then(Value::as_str).context("nobody is to move")?;
        let key = players.iter().find(|at| userids.get(**at).is_some_and(|userid| userid == mover));
        let key = key.and_then(|at| keys.get(*at)).with_context(|| format!("{mover} does not play here"))?;
        let word = choose(registry, &board, &mut dice)?.word;
        let comment = if happens(&mut dice, 2) { "Good luck!" } else { "" };
        let body = json!({ "move": word, "comment": comment }).to_string();
        let headers = format!("{JSON}Authorization: Bearer {key}\r\n");
        let answer = http.post(&format!("{path}/moves"), &headers, body.as_bytes()).await?;
        ensure!(answer.status == 200, "{path}: {}", answer.text());
    }
}
