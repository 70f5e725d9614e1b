//! A machine that can lose its power: a server under `strace`, and the files of its database as a disk would hold them.
//!
//! Treated as durable although a disk promises less: file names (creation and removal), and all files other than those of
//! the database.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::process::Command;
use tokio::time::Instant;

use super::disk::{File, Losses};
use super::trace::{self, Event};
use crate::dice::Dice;
use crate::play::fleet::Fleet;
use crate::server::{PATIENCE, Patience, Place};

/// The database files that survive a power cut; SQLite's shared-memory file does not.
const FILES: [&str; 2] = ["knotpost.db", LOG];
const LOG: &str = "knotpost.db-wal";
const SHARED: &str = "knotpost.db-shm";

/// The longest wait for a write; there may be none.
const NEXT_WRITE: Duration = Duration::from_millis(300);

pub(super) struct Machine {
    data: PathBuf,
    trace: PathBuf,
    disk: BTreeMap<PathBuf, File>,
    /// The disk confirms every sync and makes nothing durable.
    is_lying: bool,
    pub(super) cuts: usize,
    /// Cuts that lost nothing, because the trace does not explain the contents of the files.
    pub(super) unexplained: usize,
    /// Cuts with changes that were not durable yet.
    pub(super) hits: usize,
    pub(super) losses: Losses,
}

/// Fails where processes cannot be traced.
pub(super) async fn expect_tracer() -> anyhow::Result<()> {
    let tried = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output().await;
    let tried = tried.context("there is no strace; it knows what was synced (apt install strace)")?;
    let said = String::from_utf8_lossy(&tried.stderr);
    ensure!(
        tried.status.success(),
        "strace may not trace here (in a container: --cap-add SYS_PTRACE): {said}"
    );
    Ok(())
}

impl Machine {
    /// The machine, and the place on it.
    pub(super) fn new(place: Place, is_lying: bool) -> anyhow::Result<(Self, Place)> {
        // As strace will name the files.
        let root = place.root().canonicalize()?;
        let machine = Self {
            data: root.join("data"),
            trace: root.join("trace"),
            disk: BTreeMap::new(),
            is_lying,
            cuts: 0,
            unexplained: 0,
            hits: 0,
            losses: Losses::default(),
        };
        let mut words =
            ["strace", "-D", "-f", "-y", "-xx", "--seccomp-bpf", "-s", trace::LONGEST, "-e", trace::CALLS]
                .map(str::to_owned)
                .to_vec();
        for file in machine.files().chain([machine.trace.clone()]) {
            let option = if file == machine.trace { "-o" } else { "-P" };
            words.extend([option.to_owned(), file.display().to_string()]);
        }
        Ok((machine, place.under(words)))
    }

    fn files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        FILES.iter().map(|name| self.data.join(name))
    }

    /// Takes what the files hold for what the disk holds, before a server starts on it.
    pub(super) fn boot(&mut self) {
        self.disk = self.files().map(|file| (file.clone(), File::new(bytes_of(&file)))).collect();
    }

    /// Returns just after a write to the log, or after a while without one.
    pub(super) async fn wait_for_write(&self) {
        use std::os::unix::fs::MetadataExt as _;
        let log = self.data.join(LOG);
        let touched = || std::fs::metadata(&log).map(|found| (found.mtime(), found.mtime_nsec())).ok();
        let (before, deadline) = (touched(), Instant::now() + NEXT_WRITE);
        while touched() == before && Instant::now() < deadline {
            // A timer would be too slow.
            tokio::task::yield_now().await;
        }
    }

    /// Cuts the power, and replaces the files by what a disk may have left.
    pub(super) async fn cut(&mut self, fleet: &mut Fleet, dice: &mut Dice) -> anyhow::Result<()> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", fleet.process().unwrap_or(0)))?;
        let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
        let tracer =
            tracer.and_then(|number| number.trim().parse().ok()).context("nobody traces the server")?;
        fleet.kill(0).await?;
        wait_for_end(tracer).await?;
        self.replay(&std::fs::read_to_string(&self.trace)?)?;
        self.cuts += 1;
        // Without a trace that explains every byte, the model does not know what a disk may lose, and the cut loses nothing.
        let explains =
            |(path, file): (&PathBuf, &File)| file.seen().is_none_or(|seen| seen == bytes_of(path));
        if !self.disk.iter().all(explains) {
            self.unexplained += 1;
            std::fs::rename(&self.trace, self.trace.with_extension(self.cuts.to_string()))?;
            return Ok(());
        }
        let mut losses = Losses::default();
        for (path, file) in &self.disk {
            let (left, lost) = file.lose_power(dice);
            losses.add(lost);
            std::fs::write(path, left)?;
        }
        self.hits += usize::from(losses.unsafe_sectors > 0);
        self.losses.add(losses);
        match std::fs::remove_file(self.data.join(SHARED)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The contents of the disk after all traced calls.
    fn replay(&mut self, text: &str) -> anyhow::Result<()> {
        let mut syncs: HashMap<u32, u64> = HashMap::new();
        for event in trace::read(text)? {
            match event {
                Event::Write { file, offset, bytes, done } => {
                    if let Some(file) = self.disk.get_mut(&file) {
                        file.write(offset, bytes, done);
                    }
                }
                Event::Truncate { file, length, done } => {
                    if let Some(file) = self.disk.get_mut(&file) {
                        file.truncate(length, done);
                    }
                }
                Event::SyncBegun { file, process } => {
                    if let Some(file) = self.disk.get(&file) {
                        syncs.insert(process, file.begin_sync());
                    }
                }
                Event::Synced { .. } if self.is_lying => {}
                Event::Synced { file, process } => {
                    if let (Some(file), Some(serial)) = (self.disk.get_mut(&file), syncs.remove(&process)) {
                        file.make_safe(serial);
                    }
                }
                Event::Removed { file } => {
                    if let Some(file) = self.disk.get_mut(&file) {
                        *file = File::default();
                    }
                }
            }
        }
        Ok(())
    }
}

/// The contents of a file; empty when there is none.
fn bytes_of(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_default()
}

/// Waits until a process that is not our child has written its last line and gone.
async fn wait_for_end(process: u32) -> anyhow::Result<()> {
    let mut patience = Patience::new(PATIENCE, Duration::from_millis(2));
    let is_alive = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line.starts_with("State:") && !line.contains('Z') && !line.contains('X'))
    };
    while is_alive() {
        patience.wait("strace does not end").await?;
    }
    Ok(())
}
