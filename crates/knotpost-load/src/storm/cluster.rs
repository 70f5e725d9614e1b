//! The database of a storm: a private PostgreSQL cluster that can be crashed, or the caller's own.

use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context as _, ensure};
use tempfile::TempDir;
use tokio::process::Command;

use crate::server::said;

/// Where Debian installs the programs of each version.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The database that all servers share.
pub(super) enum Database {
    Private(Cluster),
    Theirs {
        url: String,
        /// A shell command that restarts it.
        restart: Option<String>,
    },
}

impl Database {
    pub(super) fn url(&self) -> String {
        match self {
            Self::Private(cluster) => cluster.url(),
            Self::Theirs { url, .. } => url.clone(),
        }
    }

    /// Whether it can be restarted.
    pub(super) fn can_restart(&self) -> bool {
        !matches!(self, Self::Theirs { restart: None, .. })
    }

    /// Crashes the private cluster without a warning; the caller's cluster is restarted by the caller's command instead.
    pub(super) async fn crash(&self) -> anyhow::Result<()> {
        match self {
            Self::Private(cluster) => cluster.crash().await,
            Self::Theirs { restart: None, .. } => Ok(()),
            Self::Theirs { restart: Some(restart), .. } => {
                run(Command::new("sh").args(["-c", restart])).await.map(drop)
            }
        }
    }

    /// Starts a crashed cluster again.
    pub(super) async fn recover(&self) -> anyhow::Result<()> {
        match self {
            Self::Private(cluster) => cluster.start().await,
            Self::Theirs { .. } => Ok(()),
        }
    }

    /// The output of `psql` for a statement: rows as lines, columns separated by `|`.
    pub(super) async fn ask(&self, sql: &str) -> anyhow::Result<String> {
        let psql = match self {
            Self::Private(cluster) => cluster.program("psql"),
            Self::Theirs { .. } => PathBuf::from("psql"),
        };
        let mut command = Command::new(psql);
        command.args(["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &self.url(), "-c", sql]);
        let output = run(&mut command).await?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// A private cluster on a socket in a folder that no other user can enter. It never syncs: the machine itself does not
/// fail here.
pub(super) struct Cluster {
    programs: PathBuf,
    folder: TempDir,
    as_postgres: bool,
}

impl Cluster {
    /// Makes a cluster and starts it.
    pub(super) async fn open() -> anyhow::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::Builder::new().prefix("knotpost-storm").tempdir()?;
        let as_postgres = folder.path().metadata()?.uid() == 0;
        if as_postgres {
            // PostgreSQL refuses to run as root.
            run(Command::new("chown").arg("postgres").arg(folder.path())).await?;
        }
        let cluster = Self { programs: find_programs(), folder, as_postgres };
        let data = cluster.data();
        let mut init = cluster.command("initdb");
        init.arg("-D").arg(data).args(["-U", "knotpost", "-A", "trust", "-E", "UTF8", "--locale=C"]);
        run(init.arg("--no-sync"))
            .await
            .context("there is no PostgreSQL to be had; name one by --database")?;
        cluster.start().await?;
        Ok(cluster)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    fn url(&self) -> String {
        format!("postgres://knotpost@localhost/postgres?host={}", self.folder.path().display())
    }

    /// A program of PostgreSQL, run as a user that it accepts.
    fn words(&self, name: &str) -> (PathBuf, Vec<PathBuf>) {
        let program = self.program(name);
        if self.as_postgres {
            let words = ["-u", "postgres", "--"].map(PathBuf::from).into_iter().chain([program]);
            ("runuser".into(), words.collect())
        } else {
            (program, Vec::new())
        }
    }

    fn command(&self, name: &str) -> Command {
        let (program, words) = self.words(name);
        let mut command = Command::new(program);
        command.args(words).current_dir("/");
        command
    }

    async fn start(&self) -> anyhow::Result<()> {
        let socket = self.folder.path().display();
        let options = format!("-k {socket} -c listen_addresses= -c fsync=off -c max_connections=200");
        let mut command = self.command("pg_ctl");
        command.arg("-D").arg(self.data()).arg("-l").arg(self.folder.path().join("server.log"));
        run(command.args(["-w", "-s", "-o", &options, "start"])).await.map(drop)
    }

    async fn crash(&self) -> anyhow::Result<()> {
        let mut command = self.command("pg_ctl");
        run(command.arg("-D").arg(self.data()).args(["-m", "immediate", "-s", "stop"])).await.map(drop)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let (program, words) = self.words("pg_ctl");
        let mut command = std::process::Command::new(program);
        command.args(words).current_dir("/").arg("-D").arg(self.data());
        // It may be down already, and there is no caller to return an error to.
        let _ = command.args(["-m", "immediate", "-s", "stop"]).output();
    }
}

/// The folder of the newest installed version; an empty path stands for the search path.
pub(crate) fn find_programs() -> PathBuf {
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).max();
    newest.map(|version| Path::new(DEBIAN).join(version.to_string()).join("bin")).unwrap_or_default()
}

/// Runs a command to its end, which must be a success.
pub(crate) async fn run(command: &mut Command) -> anyhow::Result<Output> {
    use std::io::{Read as _, Seek as _};
    use std::process::Stdio;
    // A daemon that the command starts must not hold our pipes open.
    let mut log = tempfile::tempfile()?;
    let quiet = command.stdin(Stdio::null()).stderr(log.try_clone()?).kill_on_drop(true);
    let daemon = quiet.as_std().get_args().any(|word| word == "start");
    let (status, stdout) = if daemon {
        (quiet.stdout(log.try_clone()?).status().await?, Vec::new())
    } else {
        let output = quiet.stdout(Stdio::piped()).output().await?;
        (output.status, output.stdout)
    };
    let mut stderr = Vec::new();
    log.rewind()?;
    log.read_to_end(&mut stderr)?;
    let output = Output { status, stdout, stderr };
    ensure!(status.success(), "{:?}: {}", command.as_std(), said(&output));
    Ok(output)
}
