//! The program under trial: starts and kills `knotpost` processes on one folder, and runs its commands.

use std::fs::{File, OpenOptions};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use crate::deployed;
use crate::sink::Sink;

/// The limit for every operation, generous for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Pauses between looks at what must come true before a deadline.
#[derive(Debug)]
pub(crate) struct Patience {
    deadline: Instant,
    pause: Duration,
    longest: Duration,
}

impl Patience {
    pub(crate) fn new(limit: Duration, pause: Duration) -> Self {
        Self { deadline: Instant::now() + limit, pause, longest: pause }
    }

    /// Pauses that grow, so that many waiting players do not keep a server busy.
    pub(crate) fn growing(limit: Duration) -> Self {
        Self { longest: Duration::from_millis(320), ..Self::new(limit, Duration::from_millis(10)) }
    }

    /// Waits before the next look; after the deadline the words for what has not come true are the error.
    pub(crate) async fn wait(&mut self, what: &str) -> anyhow::Result<()> {
        ensure!(Instant::now() < self.deadline, "{what}");
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(self.longest);
        Ok(())
    }
}

/// The addresses a server listens on, as it writes them down.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
pub(crate) struct Endpoints {
    pub(crate) http: SocketAddr,
    pub(crate) smtp: SocketAddr,
    pub(crate) lmtp: SocketAddr,
}

/// A folder for a server, and the environment of its processes.
#[derive(Debug)]
pub(crate) struct Place {
    program: PathBuf,
    folder: PathBuf,
    /// Set up as operators run it, see [`Place::deployed`].
    pub(crate) is_deployed: bool,
    /// The command line of a program that runs the server, to which ours is appended.
    wrapper: Vec<String>,
    settings: Vec<(String, String)>,
    /// Those of the process that runs now, or ran last.
    endpoints: Mutex<Option<Endpoints>>,
}

impl Place {
    /// An empty folder for the server `program`: any free ports, no rate limits, and all addresses count as confirmed.
    pub(crate) fn new(program: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("knotpost-load").tempdir()?.keep();
        Ok(Self::at(program, &folder))
    }

    /// As [`Place::new`], in an existing folder.
    pub(crate) fn at(program: &Path, folder: &Path) -> Self {
        Self::listening(program, folder)
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
        let place = Self { is_deployed: true, ..Self::listening(&program, &folder) };
        let data = place.data().display().to_string();
        Ok(place.with("SERVER__DATA", data))
    }

    fn listening(program: &Path, folder: &Path) -> Self {
        let place = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            is_deployed: false,
            wrapper: Vec::new(),
            settings: Vec::new(),
            endpoints: Mutex::default(),
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
    pub(crate) fn under(self, wrapper: Vec<String>) -> Self {
        Self { wrapper, ..self }
    }

    pub(crate) fn is_on_sqlite(&self) -> bool {
        !self.settings.iter().any(|(name, _)| name == "DATABASE__URL")
    }

    /// Writes the settings into the configuration file, which the server may only read; it owns the rest.
    pub(crate) fn write_down(&self) -> anyhow::Result<()> {
        deployed::write_settings(&self.folder, &self.settings)
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
        self.folder.join(if self.is_deployed { deployed::DATA } else { "data" })
    }

    /// Removes the folder; without this it stays for inspection.
    pub(crate) fn remove(&self) -> std::io::Result<()> {
        std::fs::remove_dir_all(&self.folder)
    }

    /// The log of all servers of this folder so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("server.log")).unwrap_or_default()
    }

    /// The addresses of the server that runs now, or ran last.
    pub(crate) fn endpoints(&self) -> anyhow::Result<Endpoints> {
        self.endpoints.lock().unwrap_or_else(PoisonError::into_inner).context("no server has run here")
    }

    fn command(&self, words: &[String], arguments: &[&str]) -> Command {
        let user = if self.is_deployed { deployed::ordinary_user() } else { Vec::new() };
        let words = [words, user.as_slice()].concat();
        let mut command = match words.split_first() {
            None => Command::new(&self.program),
            Some((first, more)) => {
                let mut command = Command::new(first);
                command.args(more).arg(&self.program);
                command
            }
        };
        // The caller's own settings must have no influence.
        #[expect(clippy::disallowed_methods, reason = "to keep them from the program under trial")]
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("KNOTPOST_") {
                command.env_remove(name);
            }
        }
        if self.is_deployed {
            command.arg("--config").arg(self.folder.join(deployed::SETTINGS)).current_dir("/");
        } else {
            command.envs(self.settings.iter().map(|(name, value)| (format!("KNOTPOST_{name}"), value)));
            command.current_dir(&self.folder);
        }
        command.args(arguments).env("NO_COLOR", "1").kill_on_drop(true);
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

    fn ports(&self) -> PathBuf {
        self.data().join("ports.json")
    }

    /// Begins a server process, whose listeners are not open yet.
    pub(crate) fn spawn(&self) -> anyhow::Result<Server> {
        let stale = file_number(&self.ports());
        let log: File = OpenOptions::new().create(true).append(true).open(self.folder.join("server.log"))?;
        let mut command = self.command(&self.wrapper, &["serve"]);
        command.stdin(Stdio::null()).stdout(Stdio::from(log.try_clone()?)).stderr(Stdio::from(log));
        Ok(Server { child: command.spawn()?, stale })
    }

    /// Waits until the listeners of a process are open.
    pub(crate) async fn open(&self, server: &mut Server) -> anyhow::Result<Endpoints> {
        let ports = self.ports();
        let mut patience = Patience::new(PATIENCE, Duration::from_millis(2));
        while file_number(&ports).is_none_or(|number| Some(number) == server.stale) {
            if let Some(status) = server.child.try_wait()? {
                bail!("the server did not start: {status}");
            }
            patience.wait("the server neither starts nor ends").await?;
        }
        let endpoints = serde_json::from_str(&std::fs::read_to_string(&ports)?).context("ports.json")?;
        *self.endpoints.lock().unwrap_or_else(PoisonError::into_inner) = Some(endpoints);
        Ok(endpoints)
    }

    /// Starts a server and waits until its listeners are open.
    pub(crate) async fn start(&self) -> anyhow::Result<Server> {
        let mut server = self.spawn()?;
        let opened = self.open(&mut server).await;
        opened.with_context(|| format!("it said:\n{}", tail(&self.log())))?;
        Ok(server)
    }
}

/// A server's process.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// The file of addresses that a killed server left, by which that of this one is told from it.
    stale: Option<u64>,
}

impl Server {
    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap_or(0)
    }

    /// Kills the process, however far it has started, as a power failure would; returns when it is gone.
    pub(crate) async fn kill(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }

    /// True when the process has ended by itself.
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
