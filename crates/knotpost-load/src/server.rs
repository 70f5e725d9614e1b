//! The program under trial: starts and kills `knotpost` processes on one folder, and runs its commands.

use std::fs::{File, OpenOptions};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use crate::deployed;
use crate::sink::Sink;

/// The limit for every operation, generous for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// The addresses a running server listens on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoints {
    pub(crate) http: SocketAddr,
    pub(crate) smtp: SocketAddr,
    pub(crate) lmtp: SocketAddr,
}

impl Endpoints {
    fn read(text: &str) -> anyhow::Result<Self> {
        let ports: Value = serde_json::from_str(text)?;
        let address = |name: &str| -> anyhow::Result<SocketAddr> {
            let address = ports.get(name).and_then(Value::as_str);
            Ok(address.with_context(|| format!("ports.json names no {name}"))?.parse()?)
        };
        Ok(Self { http: address("http")?, smtp: address("smtp")?, lmtp: address("lmtp")? })
    }
}

/// A folder for a server, and the environment of its processes.
#[derive(Debug)]
pub(crate) struct Place {
    program: PathBuf,
    folder: PathBuf,
    layout: Layout,
    /// The command line of a program that runs the server, to which ours is appended.
    wrapper: Vec<String>,
    settings: Vec<(String, String)>,
}

/// How a folder is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// One folder for everything, settings in the environment, and the server runs as the trial's user.
    OneFolder,
    /// As operators run it, see [`Place::deployed`].
    Deployed,
}

impl Place {
    /// An empty folder for the server `program`: any free ports, no rate limits, and all addresses count as confirmed.
    pub(crate) fn new(program: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("knotpost-load").tempdir()?.keep();
        Ok(Self::at(program, &folder))
    }

    /// As [`Place::new`], in an existing folder.
    pub(crate) fn at(program: &Path, folder: &Path) -> Self {
        Self::listening(program, folder, Layout::OneFolder)
            .with("LIMITS__ENABLED", "false")
            // All players share one host.
            .with("SMTP__RELAYS", "127.0.0.0/8")
            .with("INBOUND__WAITING_PER_DOMAIN", "1000000")
            .with("INBOUND__WAITING_TOTAL", "1000000")
            .with("ACCOUNTS__CONFIRM_ADDRESSES", "off")
    }

    /// An empty folder in the deployed profile: data and configuration apart, an unprivileged user, and limits, bounds and
    /// confirmations at their defaults. Settings of [`Place::with`] take effect once they are written to the file.
    pub(crate) fn deployed(program: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("knotpost-load").tempdir()?.keep();
        let program = deployed::furnish(&folder, program)?;
        let place = Self::listening(&program, &folder, Layout::Deployed);
        let data = place.data().display().to_string();
        Ok(place.with("SERVER__DATA", data))
    }

    fn listening(program: &Path, folder: &Path, layout: Layout) -> Self {
        let place = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            layout,
            wrapper: Vec::new(),
            settings: Vec::new(),
        };
        place
            .with("HTTP__LISTEN", "127.0.0.1:0")
            // Links in mails stay the same when it is started again.
            .with("SERVER__PUBLIC_URL", "http://localhost:8080")
            .with("SMTP__LISTEN", "127.0.0.1:0")
            .with("LMTP__LISTEN", "127.0.0.1:0")
    }

    /// Sends its mail to a listener of the sink. The key is always the same, so that folders can share a database.
    pub(crate) fn mailing_to(self, sink: &Sink, listener: usize) -> Self {
        self.with("MAIL__TRANSPORT", sink.transport(listener)).with("SECRETS__KEY", "c5".repeat(32))
    }

    /// Works on this database; `None`: SQLite in its folder.
    pub(crate) fn on_database(self, url: Option<&str>) -> Self {
        match url {
            Some(url) => self.with("DATABASE__URL", url),
            None => self,
        }
    }

    /// Has its servers run by a wrapper, under which the server's process is still our child.
    pub(crate) fn under(mut self, wrapper: Vec<String>) -> Self {
        self.wrapper = wrapper;
        self
    }

    pub(crate) fn is_on_sqlite(&self) -> bool {
        !self.settings.iter().any(|(name, _)| name == "DATABASE__URL")
    }

    /// Writes the settings into the configuration file, which the server may only read; it owns the rest.
    pub(crate) fn write_down(&self) -> anyhow::Result<()> {
        deployed::write_settings(&self.folder, &self.settings)
    }

    pub(crate) fn is_deployed(&self) -> bool {
        self.layout == Layout::Deployed
    }

    /// Adds a setting, named as in the environment without the prefix; a later one of the same name wins.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.settings.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn root(&self) -> &Path {
        &self.folder
    }

    /// The folder of the server's data.
    pub(crate) fn data(&self) -> PathBuf {
        self.root().join(match self.layout {
            Layout::OneFolder => "data",
            Layout::Deployed => deployed::DATA,
        })
    }

    /// Removes the folder; without this it stays for inspection.
    pub(crate) fn remove(&self) -> std::io::Result<()> {
        std::fs::remove_dir_all(&self.folder)
    }

    /// The log of all servers of this folder so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.root().join("server.log")).unwrap_or_default()
    }

    fn command(&self, words: &[String], arguments: &[&str]) -> Command {
        let user = if self.is_deployed() { deployed::ordinary_user() } else { Vec::new() };
        let words = [words, user.as_slice()].concat();
        let mut command = match words.split_first() {
            None => Command::new(&self.program),
            Some((first, more)) => {
                let mut command = Command::new(first);
                command.args(more).arg(&self.program);
                command
            }
        };
        if self.is_deployed() {
            command.arg("--config").arg(self.root().join(deployed::SETTINGS)).current_dir("/");
        } else {
            command.current_dir(self.root());
        }
        command.args(arguments).kill_on_drop(true);
        // The caller's own settings must have no influence.
        #[expect(clippy::disallowed_methods, reason = "to keep them from the program under trial")]
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("KNOTPOST_") {
                command.env_remove(name);
            }
        }
        if !self.is_deployed() {
            command.envs(self.settings.iter().map(|(name, value)| (format!("KNOTPOST_{name}"), value)));
        }
        command.env("NO_COLOR", "1");
        command
    }

    /// Runs a command of the program to its end, with something on its standard input.
    pub(crate) async fn run(&self, arguments: &[&str], input: &[u8]) -> anyhow::Result<Output> {
        let mut command = self.command(&[], arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that refuses may end before it has read everything.
            let _ = stdin.write_all(input).await;
        }
        let output = timeout(PATIENCE, child.wait_with_output()).await;
        Ok(output.with_context(|| format!("`knotpost {}` does not end", arguments.join(" ")))??)
    }

    /// As [`Place::run`] with inherited output and without a time limit.
    pub(crate) async fn run_openly(&self, arguments: &[&str]) -> anyhow::Result<std::process::ExitStatus> {
        Ok(self.command(&[], arguments).stdin(Stdio::null()).status().await?)
    }

    /// A new user with a confirmed address.
    pub(crate) async fn add_user(&self, userid: &str, password: &str, address: &str) -> anyhow::Result<()> {
        let output =
            self.run(&["admin", "user", "add", userid, address], format!("{password}\n").as_bytes()).await?;
        ensure!(output.status.success(), "{userid} was not added: {}", said(&output));
        Ok(())
    }

    /// Spawns a server process.
    pub(crate) fn spawn(&self) -> anyhow::Result<Starting> {
        let ports = self.data().join("ports.json");
        // A killed server may have left its file. `Starting::wait` tells it from the new one by this number.
        let stale = file_number(&ports);
        let log: File = OpenOptions::new().create(true).append(true).open(self.root().join("server.log"))?;
        let mut command = self.command(&self.wrapper, &["serve"]);
        command.stdin(Stdio::null()).stdout(Stdio::from(log.try_clone()?)).stderr(Stdio::from(log));
        Ok(Starting { child: command.spawn()?, ports, stale })
    }

    /// Starts a server and waits until its listeners are open.
    pub(crate) async fn start(&self) -> anyhow::Result<Running> {
        self.spawn()?.wait().await.with_context(|| format!("it said:\n{}", tail(&self.log())))
    }
}

/// A server whose listeners are not open yet.
#[derive(Debug)]
pub(crate) struct Starting {
    child: Child,
    ports: PathBuf,
    stale: Option<u64>,
}

impl Starting {
    /// Waits until the listeners are open.
    pub(crate) async fn wait(mut self) -> anyhow::Result<Running> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server did not start: {status}");
            }
            if file_number(&self.ports).is_some_and(|number| Some(number) != self.stale) {
                let endpoints = Endpoints::read(&std::fs::read_to_string(&self.ports)?)?;
                return Ok(Running { child: self.child, endpoints });
            }
            ensure!(Instant::now() < deadline, "the server neither starts nor ends");
            sleep(Duration::from_millis(2)).await;
        }
    }

    /// Kills the process, however far it has started.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    pub(crate) endpoints: Endpoints,
}

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap_or(0)
    }

    /// Kills the process, as a power failure would, and returns when it is gone.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Whether the process has ended by itself.
    pub(crate) fn has_ended(&mut self) -> anyhow::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Asks the server to stop and waits until it has.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        Command::new("kill").args(["-TERM", &self.id().to_string()]).status().await?;
        let status = timeout(PATIENCE, self.child.wait()).await.context("the server does not stop")??;
        ensure!(status.success(), "the server stopped with {status}");
        Ok(())
    }
}

/// Resident memory in MiB, now and at most, where the system reports it.
pub(crate) fn memory_of(process: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib / 1024)
    };
    Some((value("VmRSS:")?, value("VmHWM:")?))
}

fn file_number(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|metadata| metadata.ino())
}

/// The output of a command, on one line or several.
pub(crate) fn said(output: &Output) -> String {
    let both = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{} ({})", both.concat().trim(), output.status)
}

/// The last lines of a log.
pub(crate) fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines.get(lines.len().saturating_sub(20)..).unwrap_or_default().join("\n")
}

/// The absolute path of the server's program: the one named, or the one beside this program, where cargo puts it.
///
/// # Errors
/// When there is none.
pub(crate) fn program_at(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let program = match named {
        Some(named) => named.to_owned(),
        None => std::env::current_exe()?.with_file_name("knotpost"),
    };
    std::fs::canonicalize(&program).with_context(|| {
        format!(
            "there is no {}; build it (cargo build -p knotpost, with --release for load) or name it with --server",
            program.display()
        )
    })
}
