//! Private PostgreSQL servers, gone at the end: their processes are crashed, killed or frozen, and begun again, also as a
//! copy of another one.

use std::io::{Read as _, Seek as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tempfile::TempDir;
use tokio::process::Command;

use crate::server::{PATIENCE, Patience, tail};

/// Debian's folder for the programs of each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// Settings of a server. The machine itself does not fail here, so nothing is synced.
const SETTINGS: &str = "-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200";

/// A PostgreSQL server in a folder of its own.
pub(crate) struct Node {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
    as_postgres: bool,
}

impl Node {
    async fn in_new_folder() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("knotpost-postgres").tempdir()?;
        let as_postgres = folder.path().metadata()?.uid() == 0;
        if as_postgres {
            // PostgreSQL refuses to run as root.
            run(Command::new("chown").arg("postgres").arg(folder.path())).await?;
        }
        // A free one. Between two lives of the server another program could take it, which no program has done yet.
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        Ok(Self { programs: find_programs(), folder, port, as_postgres })
    }

    /// A new cluster, started.
    pub(crate) async fn create() -> anyhow::Result<Self> {
        let node = Self::in_new_folder().await?;
        let mut init = node.command("initdb");
        init.arg("-D").arg(node.data()).args(["-U", "knotpost", "-A", "trust", "-E", "UTF8", "--locale=C"]);
        run(init.arg("--no-sync")).await.context("there is no PostgreSQL to be had")?;
        node.start().await?;
        Ok(node)
    }

    /// A standby of `primary`, started.
    pub(crate) async fn follow(primary: &Self) -> anyhow::Result<Self> {
        let node = Self::in_new_folder().await?;
        node.rejoin(primary).await?;
        Ok(node)
    }

    /// Begins again as a standby of `primary`, with a new copy of it, when none of its own processes is left: they share
    /// memory that is free only then.
    pub(crate) async fn rejoin(&self, primary: &Self) -> anyhow::Result<()> {
        let mut patience = Patience::new(PATIENCE, Duration::from_millis(10));
        while !self.processes().is_empty() {
            patience.wait("PostgreSQL does not end").await?;
        }
        if self.data().exists() {
            std::fs::remove_dir_all(self.data())?;
        }
        let mut copy = self.command("pg_basebackup");
        copy.arg("-d").arg(primary.connection("node")).arg("-D").arg(self.data());
        run(copy.args(["-R", "-X", "stream", "-c", "fast", "--no-sync"])).await?;
        self.start().await
    }

    /// The process of the server is told to take over. Returns when it takes writes.
    pub(crate) async fn promote(&self) -> anyhow::Result<()> {
        let done = self.ask("SELECT pg_promote(true, 60)").await?;
        ensure!(done == "t", "the standby was not promoted: {done}");
        Ok(())
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// For PostgreSQL's own programs.
    fn connection(&self, name: &str) -> String {
        let folder = self.folder.path().display();
        format!("host={folder} port={} user=knotpost dbname=postgres application_name={name}", self.port)
    }

    /// A program of PostgreSQL, run as a user that it accepts.
    fn command(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if self.as_postgres { Command::new("runuser") } else { Command::new(&program) };
        if self.as_postgres {
            command.args(["-u", "postgres", "--"]).arg(program);
        }
        command.current_dir("/");
        command
    }

    /// Starts a server that was stopped, crashed or killed.
    pub(crate) async fn start(&self) -> anyhow::Result<()> {
        // Left behind by a process that was killed. While nobody has waited for it, which is for the system's first process
        // to do, PostgreSQL takes it for one that runs.
        let lock = self.folder.path().join(format!(".s.PGSQL.{}.lock", self.port));
        let _ = std::fs::remove_file(self.data().join("postmaster.pid"));
        let _ = std::fs::remove_file(lock);
        let options = format!("-k {} -p {} {SETTINGS}", self.folder.path().display(), self.port);
        let mut command = self.command("pg_ctl");
        command.arg("-D").arg(self.data()).arg("-l").arg(self.folder.path().join("server.log"));
        let started = run(command.args(["-w", "-s", "-o", &options, "start"])).await;
        started.with_context(|| format!("its log ends with:\n{}", self.end_of_log())).map(drop)
    }

    fn end_of_log(&self) -> String {
        let log = std::fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default();
        tail(&log)
    }

    fn stopping(&self, mode: &str) -> Command {
        let mut command = self.command("pg_ctl");
        command.arg("-D").arg(self.data()).args(["-m", mode, "-w", "-s", "stop"]);
        command
    }

    /// Stops: `fast` in order, so that clients are sent away and the standby gets everything; `immediate` without a warning.
    pub(crate) async fn stop(&self, mode: &str) -> anyhow::Result<()> {
        run(&mut self.stopping(mode)).await.map(drop)
    }

    /// The address for servers of ours.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sends a signal to the server and all its processes, the first one first, so that none is begun anew.
    pub(crate) fn signal(&self, signal: &str) -> std::io::Result<()> {
        let processes = self.processes().into_iter().map(|process| process.to_string());
        // A process may have ended meanwhile.
        std::process::Command::new("kill")
            .arg(signal)
            .args(processes)
            .stderr(Stdio::null())
            .status()
            .map(drop)
    }

    /// Its processes: all of PostgreSQL work in the folder of their data.
    fn processes(&self) -> Vec<u32> {
        let data = self.data().canonicalize().unwrap_or_default();
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let here = entries.filter(|entry| entry.path().join("cwd").read_link().is_ok_and(|at| at == data));
        let mut processes: Vec<u32> =
            here.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        processes.sort_unstable();
        processes
    }

    /// The output of `psql` for statements: rows as lines, columns separated by `|`.
    pub(crate) async fn ask(&self, sql: &str) -> anyhow::Result<String> {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", &self.connection("drill")]);
        run(command.arg("-c").arg(sql)).await
    }

    /// The state of its connections, the standbys that commits wait for, and the end of its log.
    pub(crate) async fn describe_waits(&self) -> anyhow::Result<String> {
        let settings = self.ask("SHOW synchronous_standby_names").await?;
        let sql = "SELECT pid, backend_type, state, wait_event_type, wait_event, now() - state_change, left(query, 100) \
                   FROM pg_stat_activity ORDER BY state, state_change";
        let last = self.end_of_log();
        Ok(format!("synchronous_standby_names = '{settings}'\n{}\nits log:\n{last}", self.ask(sql).await?))
    }

    /// Has commits wait for the standby, and waits until it has everything.
    pub(crate) async fn wait_for_standby(&self) -> anyhow::Result<()> {
        self.ask("ALTER SYSTEM SET synchronous_standby_names = '*'").await?;
        self.ask("SELECT pg_reload_conf()").await?;
        let mut patience = Patience::new(PATIENCE, Duration::from_millis(50));
        let sql = "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'node' AND state = 'streaming' \
                   AND sync_state = 'sync' AND replay_lsn >= pg_current_wal_lsn() - 1000000";
        while self.ask(sql).await? != "1" {
            patience.wait("the standby does not follow").await?;
        }
        Ok(())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // One that stands still would not hear that it is to stop. It may be down already, and there is no caller to return
        // an error to.
        let _ = self.signal("-CONT");
        let _ = self.stopping("immediate").as_std_mut().output();
    }
}

/// The folder of the newest installed version; an empty path stands for the search path.
fn find_programs() -> PathBuf {
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).max();
    newest.map(|version| Path::new(DEBIAN).join(version.to_string()).join("bin")).unwrap_or_default()
}

/// Runs a command to its end, which must be a success; returns its output.
async fn run(command: &mut Command) -> anyhow::Result<String> {
    // A file, since a daemon that the command starts would hold pipes of ours open.
    let mut log = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?).kill_on_drop(true);
    let status = command.status().await?;
    let mut output = String::new();
    log.rewind()?;
    log.read_to_string(&mut output)?;
    ensure!(status.success(), "{:?}: {output} ({status})", command.as_std());
    Ok(output.trim().to_owned())
}
