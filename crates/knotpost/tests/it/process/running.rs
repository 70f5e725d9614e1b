//! One `knotpost` process after the other on one folder, and the commands run beside it.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use knotpost_program::server::Ports;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// Longer than anything takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A folder for a server, and what the environment tells the processes in it.
#[derive(Clone)]
pub(crate) struct Place {
    folder: Arc<TempDir>,
    settings: Vec<(String, String)>,
    shell: Option<&'static str>,
}

impl Place {
    /// An empty folder with any free ports and without rates.
    pub(crate) fn new() -> Self {
        let place =
            Self { folder: Arc::new(tempfile::tempdir().unwrap()), settings: Vec::new(), shell: None };
        place
            .with("KNOTPOST_HTTP__LISTEN", "127.0.0.1:0")
            .with("KNOTPOST_SMTP__LISTEN", "127.0.0.1:0")
            .with("KNOTPOST_LIMITS__ENABLED", "false")
    }

    /// The same with one more setting; a later one of the same name wins.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<str>) -> Self {
        self.settings.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// The same, but its programs are started by this script, which gets them as its arguments.
    pub(crate) fn with_shell(mut self, script: &'static str) -> Self {
        self.shell = Some(script);
        self
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn maildir(&self) -> PathBuf {
        self.data().join("mail/out")
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_knotpost");
        let mut command = match self.shell {
            None => Command::new(program),
            Some(script) => {
                let mut command = Command::new("sh");
                command.args(["-c", script, "sh", program]);
                command
            }
        };
        command.args(arguments).current_dir(self.root()).kill_on_drop(true);
        // Nothing of the caller's own settings may help or hinder.
        for (name, _) in inherited_settings() {
            command.env_remove(name);
        }
        command.envs(self.settings.iter().cloned()).env("NO_COLOR", "1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The same with an empty database.
    pub(crate) async fn migrated(self) -> Self {
        self.run(&["migrate"]).await.succeed();
        self
    }

    /// Runs a command whose standard output goes elsewhere.
    pub(crate) async fn run_into(&self, arguments: &[&str], output: impl Into<Stdio>) -> Ended {
        let child = self.program(arguments).stdin(Stdio::null()).stdout(output).spawn().unwrap();
        let output = timeout(PATIENCE, child.wait_with_output()).await.expect("the command ends").unwrap();
        Ended::from(output)
    }

    /// Runs a command of the program to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, b"").await
    }

    /// The same with something on its standard input.
    pub(crate) async fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ended {
        let mut child = self.program(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A program that refuses may leave without reading everything.
        let _ = stdin.write_all(input).await;
        drop(stdin);
        let output = timeout(PATIENCE, child.wait_with_output()).await.expect("the command ends").unwrap();
        Ended::from(output)
    }

    /// Runs a command and kills it as soon as its standard error has a line that begins like this.
    pub(crate) async fn run_until(&self, arguments: &[&str], begins: &str) -> Ended {
        let mut child = self.program(arguments).stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut stderr = String::new();
        while let Some(line) = timeout(PATIENCE, lines.next_line()).await.expect("it says something").unwrap()
        {
            stderr.push_str(&line);
            stderr.push('\n');
            if line.starts_with(begins) {
                child.start_kill().unwrap();
            }
        }
        let status = timeout(PATIENCE, child.wait()).await.expect("it ends").unwrap();
        Ended { status, stdout: String::new(), stderr }
    }

    /// Starts a server and waits until it listens.
    pub(crate) async fn start(&self) -> Running {
        self.try_start().await.unwrap_or_else(|ended| panic!("the server did not start: {ended:?}"))
    }

    /// Starts a server; what it said when it ended instead.
    pub(crate) async fn try_start(&self) -> Result<Running, Ended> {
        let file = self.data().join("ports.json");
        // A file that a killed server left behind says nothing about this one.
        let stale = file_number(&file);
        let mut child = self.program(&["serve"]).stdin(Stdio::null()).spawn().unwrap();
        let stdout = gather(BufReader::new(child.stdout.take().unwrap()));
        let stderr = gather(BufReader::new(child.stderr.take().unwrap()));
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return Err(Ended { status, stdout: stdout.await.unwrap(), stderr: stderr.await.unwrap() });
            }
            if file_number(&file).is_some_and(|number| Some(number) != stale) {
                let ports: Ports = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
                return Ok(Running { child, ports, stdout, stderr, _folder: Arc::clone(&self.folder) });
            }
            assert!(Instant::now() < deadline, "the server neither starts nor ends");
            sleep(Duration::from_millis(5)).await;
        }
    }
}

fn inherited_settings() -> impl Iterator<Item = (String, String)> {
    #[expect(clippy::disallowed_methods, reason = "to keep them from the programs under test")]
    std::env::vars().filter(|(name, _)| name.starts_with("KNOTPOST_"))
}

fn file_number(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|metadata| metadata.ino())
}

/// Everything a process says, so that it never waits for a reader.
fn gather(mut stream: impl tokio::io::AsyncBufRead + Unpin + Send + 'static) -> JoinHandle<String> {
    tokio::spawn(async move {
        let mut said = String::new();
        while stream.read_line(&mut said).await.is_ok_and(|read| read > 0) {}
        said
    })
}

/// How a process ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            status: output.status,
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ended {
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// What it said, after it ended well.
    pub(crate) fn succeed(self) -> String {
        assert!(self.status.success(), "{self:?}");
        self.stdout
    }
}

/// A server that runs.
pub(crate) struct Running {
    child: Child,
    pub(crate) ports: Ports,
    stdout: JoinHandle<String>,
    stderr: JoinHandle<String>,
    /// What it works in stays while it runs.
    _folder: Arc<TempDir>,
}

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Ends the process at once, as a power failure would.
    pub(crate) async fn kill(mut self) -> Ended {
        // The signal first: nothing is waited for before it is sent.
        self.child.start_kill().unwrap();
        self.end().await
    }

    /// Asks the process to stop.
    pub(crate) async fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status().await;
        assert!(status.unwrap().success());
    }

    /// Asks it to stop and waits until it has.
    pub(crate) async fn stop(self) -> Ended {
        self.signal("TERM").await;
        let ended = self.end().await;
        assert!(ended.status.success(), "{ended:?}");
        ended
    }

    /// Waits until it has ended.
    pub(crate) async fn end(mut self) -> Ended {
        let status = timeout(PATIENCE, self.child.wait()).await.expect("it ends").unwrap();
        Ended { status, stdout: self.stdout.await.unwrap(), stderr: self.stderr.await.unwrap() }
    }
}

/// The people of a server, as its operator sees them.
pub(crate) async fn users(place: &Place) -> Vec<String> {
    let list = place.run(&["admin", "user", "list"]).await.succeed();
    let words = list.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let people = words.filter(|words| words.get(1) != Some(&"bot"));
    people.filter_map(|words| words.first().map(|name| (*name).to_owned())).collect()
}

/// Runs another program to its end.
pub(crate) async fn run_neighbour(program: &str, arguments: &[&str]) -> Ended {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    Ended::from(timeout(PATIENCE, command.output()).await.expect("it ends").unwrap())
}

/// Whether this machine has a program; where nothing may be left out, it must.
pub(crate) fn has_neighbour(program: &str) -> bool {
    #[expect(clippy::disallowed_methods, reason = "the search path and the rule of continuous integration")]
    let (path, ci) = (std::env::var_os("PATH").unwrap_or_default(), std::env::var("CI").ok());
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    assert!(found || ci.as_deref() != Some("true"), "{program} must be there when CI is true");
    if !found {
        leave_out(&format!("tests with {program}, which is not on the PATH"));
    }
    found
}

/// Says that a test passes without having tested, here and in the list that `./test` prints at its end.
pub(crate) fn leave_out(what: &str) {
    eprintln!("SKIPPED: {what}; `./test --install` installs what is missing");
    #[expect(clippy::disallowed_methods, reason = "the runner names its list in the environment")]
    let Some(list) = std::env::var_os("KNOTPOST_TEST_SKIPPED") else { return };
    // One write for a line: tests run concurrently.
    let mut list = std::fs::File::options().append(true).create(true).open(list).unwrap();
    std::io::Write::write_all(&mut list, format!("{what}\n").as_bytes()).unwrap();
}

/// Waits until `probe` finds something.
pub(crate) async fn wait_for<T>(what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        sleep(Duration::from_millis(10)).await;
    }
}

/// Reads a stream to its end, or as far as it comes before it breaks.
pub(crate) async fn read_all(stream: &mut (impl AsyncReadExt + Unpin)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    bytes
}

/// Waits for something to be said and reads that much.
pub(crate) async fn read_some(stream: &mut (impl AsyncReadExt + Unpin)) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    let read = timeout(PATIENCE, stream.read(&mut bytes)).await;
    bytes.truncate(read.map_or(0, |read| read.unwrap_or(0)));
    bytes
}
