#!/usr/bin/env python3
"""The Debian package, tried out in a new Debian that nothing else is in.

    package.py KNOTPOST

A release is made of this program in a clone of the repository, and a package with a higher
version. The package of the release is installed into a root that mmdebstrap makes, from the sources of packages of this machine. Its server is started as
the unit says: its command, as its user, in its folders, with its way of being told that it is
ready. A game is begun by mail; then the package is upgraded, removed, installed again and
purged. systemd is not process 1 there: its programs are replaced by some that note what
they are asked for, and the sandbox of the unit is not exercised.
Exit code 77: this machine cannot do it, for the reason that is printed.
"""

import atexit
import email
import email.message
import email.policy
import email.utils
import json
import os
import pathlib
import re
import shlex
import shutil
import smtplib
import socket
import stat
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CANNOT = 77
PATIENCE = 60
DATA = "var/lib/knotpost"
ENABLED = "etc/systemd/system/multi-user.target.wants/knotpost.service"
SETTINGS = "etc/knotpost.toml"


def fail(words):
    sys.exit(f"package: {words}")


def run(*command, **options):
    """Runs a command, or ends with what it said."""
    done = subprocess.run(command, text=True, capture_output=True, check=False, **options)
    if done.returncode != 0:
        fail(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def wait_for(what, look):
    """Waits until `look` finds something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    fail(f"{what} did not come within {PATIENCE} s")


# Packages that travel nowhere are barely compressed.
FAST = os.environ | {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}


def build(program, place, version):
    """A package of the program."""
    said = run(ROOT / "deploy/debian/build", "--program", program, "--output", place, "--version", version, env=FAST)
    return pathlib.Path(said.splitlines()[-1])


def clone_tree(place):
    """A clone of the repository in which the files are committed as they are here."""
    run("git", "clone", "--quiet", ROOT, place)
    for path in filter(None, run("git", "ls-files", "-z", cwd=ROOT).split("\0")):
        if (ROOT / path).is_file():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, place / path)
    run("git", "add", "--all", cwd=place)
    run("git", "-c", "user.name=Trial", "-c", "user.email=trial@localhost", "commit", "--quiet", "--allow-empty",
        "--message", "trial", cwd=place)


def release(program, place):
    """What `deploy/release` makes of it: the Debian package."""
    clone, output = place / "clone", place / "release"
    clone_tree(clone)
    command = [clone / "deploy/release", "--snapshot", "--program", program, "--output", output]
    (clone / "new").write_text("")
    refused = subprocess.run(command, text=True, capture_output=True, check=False, env=FAST)
    if refused.returncode != 1 or "not committed" not in refused.stderr or output.exists():
        fail(f"a release was made of a tree with changes:\n{refused}")
    (clone / "new").unlink()
    print(run(*command, env=FAST).strip())
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=output)
    if "operators" not in (output / "NOTES.md").read_text():
        fail("the notes are not those of CHANGELOG.md")
    (tarball,) = output.glob("*.tar.gz")
    listed = run("tar", "-tzf", tarball)
    for file in ("bin/knotpost", "deploy/knotpost.service", "docs/operations/install.md", "docs/reference/settings.md",
                 "share/man/man5/knotpost.toml.5", "share/completions/_knotpost", "third-party.txt"):
        if f"/{file}\n" not in listed:
            fail(f"{file} is not in {tarball.name}")
    (package,) = output.glob("*.deb")
    return package


def judge(package):
    """What lintian says of the package."""
    if not shutil.which("lintian"):
        print("not judged by lintian, which is not there")
        return
    said = run("lintian", "--fail-on", "error", package)
    print("lintian has found no errors" + (f", but\n{said}" if said else ""))


# --- a Debian -----------------------------------------------------------------


class Debian:
    """A new root with Debian in it."""

    def __init__(self, root):
        self.root = root
        self.asked = root / "asked"

    def install_base(self):
        suite = re.search(r"^VERSION_CODENAME=(.*)$", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)
        sources = [file for file in pathlib.Path("/etc/apt").glob("sources.list.d/*") if
                   file.suffix in (".sources", ".list")]
        sources += [file for file in [pathlib.Path("/etc/apt/sources.list")] if file.exists()]
        command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", suite.group(1), self.root, *sources]
        made = subprocess.run(command, text=True, capture_output=True, check=False)
        if made.returncode != 0:
            cannot(f"mmdebstrap makes no Debian here:\n{made.stderr}")

    def run(self, *command, user="root", code=0):
        """Runs a command inside; its output."""
        group = "nogroup" if user == "nobody" else user
        inside = [shutil.which("chroot"), f"--userspec={user}:{group}"]
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        clean |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        done = subprocess.run([*inside, self.root, *command], text=True, capture_output=True, check=False, env=clean)
        if done.returncode != code:
            fail(f"{shlex.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def apt(self, *words):
        return self.run("apt-get", "-q", "-y", "-o", "Dpkg::Use-Pty=0", "--no-install-recommends", *words)

    def install(self, package):
        shutil.copy(package, self.root / "tmp" / package.name)
        said = self.apt("install", f"/tmp/{package.name}")
        (self.root / "tmp" / package.name).unlink()
        return said

    def pretend_systemd(self):
        """From now on systemd seems to be process 1; what it is asked for is noted."""
        (self.root / "run/systemd/system").mkdir(parents=True)
        for name in ("deb-systemd-invoke", "systemctl"):
            program = self.root / "usr/bin" / name
            program.unlink(missing_ok=True)
            program.write_text(f'#!/bin/sh\necho "{name} $*" >>/asked\n')
            program.chmod(0o755)

    def was_asked(self, words):
        """Whether systemd was asked for this since the last question."""
        asked = self.asked.read_text() if self.asked.exists() else ""
        self.asked.unlink(missing_ok=True)
        if words not in asked.splitlines():
            fail(f"systemd was not asked to `{words}` but\n{asked}")

    def expect(self, path, mode, owner):
        """Mode and owner of a file."""
        found = (self.root / path).stat()
        names = {int(line.split(":")[2]): line.split(":")[0] for line in
                 (self.root / "etc/passwd").read_text().splitlines()}
        groups = {int(line.split(":")[2]): line.split(":")[0] for line in
                  (self.root / "etc/group").read_text().splitlines()}
        is_owner = f"{names.get(found.st_uid)}:{groups.get(found.st_gid)}"
        if stat.S_IMODE(found.st_mode) != mode or is_owner != owner:
            fail(f"/{path} is {stat.S_IMODE(found.st_mode):04o} {is_owner}, not {mode:04o} {owner}")


# --- its server ---------------------------------------------------------------


class Server:
    """The server of the package, started as its unit says."""

    def __init__(self, debian):
        self.debian = debian
        lines = (debian.root / "usr/lib/systemd/system/knotpost.service").read_text().splitlines()
        unit = dict(line.split("=", 1) for line in lines if "=" in line)
        user = unit["User"]
        uid, gid = (int(debian.run("id", kind, user)) for kind in ("-u", "-g"))
        for base, key, mode in (("run", "RuntimeDirectory", 0o755), ("var/lib", "StateDirectory", 0o700)):
            folder = debian.root / base / unit[key]
            folder.mkdir(exist_ok=True)
            os.chown(folder, uid, gid)
            folder.chmod(mode)
        path = debian.root / "run/notify"
        path.unlink(missing_ok=True)
        self.notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notices.bind(str(path))
        self.notices.settimeout(PATIENCE)
        path.chmod(0o666)
        within = 'cd "$1" && umask "$2" && shift 2 && exec "$@"'
        command = [shutil.which("chroot"), f"--userspec={user}:{user}", debian.root, "/bin/sh", "-c", within, "sh",
                   unit["WorkingDirectory"], unit["UMask"], *shlex.split(unit["ExecStart"])]
        environment = {"PATH": "/usr/bin:/bin", "NOTIFY_SOCKET": "/run/notify"}
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=self.log,
                                        stdin=subprocess.DEVNULL)
        atexit.register(self.end)
        self.wait_until("READY=1")
        self.ports = json.loads((debian.root / DATA / "ports.json").read_text())

    def wait_until(self, state):
        """Waits for a notice, as systemd does with `Type=notify`."""
        try:
            while state not in self.notices.recv(4096).decode().splitlines():
                pass
        except TimeoutError:
            self.log.seek(0)
            fail(f"the server did not say {state}:\n{self.log.read().decode()}")

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        self.process.terminate()
        self.wait_until("STOPPING=1")
        if self.process.wait(PATIENCE) != 0:
            fail(f"the server ended with {self.process.returncode}")

    def mail(self, user, words):
        """Mails a command."""
        message = email.message.EmailMessage()
        message["From"] = sender = f"{user}@example.org"
        message["To"] = recipient = "pbmserv@localhost"
        message["Subject"] = words
        message["Message-ID"] = email.utils.make_msgid(domain="example.org")
        message.set_content("Good luck!")
        host, port = self.ports["smtp"].rsplit(":", 1)
        with smtplib.SMTP(host, int(port)) as session:
            session.send_message(message, sender, [recipient])

    def mails(self, user):
        """The texts that the server has mailed to a user, below their From and Subject."""
        found = []
        for file in sorted((self.debian.root / DATA / "mail/out/new").glob("*")):
            mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            if f"{user}@example.org" in str(mail["Delivered-To"] or mail["To"]):
                found.append(f"{mail['From']}\n{mail['Subject']}\n{mail.get_body(('plain',)).get_content()}")
        return found

    def wait_for_mail(self, user, *words):
        """The first mail to a user with all these words."""
        def look():
            return next((mail for mail in self.mails(user) if all(word in mail for word in words)), None)
        return wait_for(f"a mail to {user} with {words}", look)


# --- the trial ----------------------------------------------------------------


def edit_settings(debian):
    """What an operator would change, and free ports; the file afterwards."""
    file = debian.root / SETTINGS
    text = file.read_text()
    for old, new in (('#name = "Knotpost"', 'name = "Games by Mail"'), ("127.0.0.1:8080", "127.0.0.1:0"),
                     ("127.0.0.1:2525", "127.0.0.1:0")):
        if old not in text:
            fail(f"`{old}` is not in the settings")
        text = text.replace(old, new)
    file.write_text(text)
    return text


def check_files(debian):
    """What the package has brought, and who may read it."""
    debian.expect(SETTINGS, 0o640, "root:knotpost")
    debian.expect(DATA, 0o700, "knotpost:knotpost")
    debian.expect("usr/lib/systemd/system/knotpost.service", 0o644, "root:root")
    if "Permission denied" not in debian.run("cat", f"/{SETTINGS}", user="nobody", code=1):
        fail("everybody may read the settings")
    if not (debian.root / ENABLED).is_symlink():
        fail("the unit is not enabled")
    for page in ("man1/knotpost.1", "man1/knotpost-admin-user-grant.1", "man5/knotpost.toml.5"):
        if not (debian.root / f"usr/share/man/{page}.gz").exists():
            fail(f"there is no page {page}")
    debian.run("bash", "-n", "/usr/share/bash-completion/completions/knotpost")
    # Documents are left out on machines that want none.
    listed = debian.run("dpkg", "-L", "knotpost")
    for file in ("zsh/vendor-completions/_knotpost", "fish/vendor_completions.d/knotpost.fish",
                 "doc/knotpost/copyright", "doc/knotpost/third-party.txt.gz"):
        if f"/usr/share/{file}\n" not in listed:
            fail(f"there is no {file}")


def check_documents(package, place):
    """The links of the documents lead to files of the package, and so do the examples that they name."""
    run("dpkg-deb", "-x", package, place)
    documents = place / "usr/share/doc/knotpost"
    pages = list(documents.rglob("*.md"))
    if len(pages) < 40:
        fail(f"there are only {len(pages)} documents")
    for page in pages:
        text = page.read_text()
        prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        links = [page.parent / link for link in re.findall(r"\]\(([^)#\s:]+)[)#]", prose)]
        links += [place / name for name in re.findall(r"`/(usr/share/doc/knotpost/examples/[^`]+)`", text)]
        for link in links:
            if not link.exists():
                fail(f"{page.relative_to(place)}: there is no {link}")


def command(debian, *words):
    """Runs a command of the program as its user."""
    return debian.run("/usr/bin/knotpost", "--config", f"/{SETTINGS}", *words, user="knotpost")


def begin_game(server):
    """Two users by mail, a board, and its first move."""
    for user in ("ann", "bob"):
        server.mail(user, f"signup {user} {user}-secret")
        server.wait_for_mail(user, user)
    server.mail("ann", "osbox challenge -size=3 ann bob")
    server.wait_for_mail("ann", "Osbox Board 101")
    server.mail("ann", "osbox move 101 ann ann-secret j2")
    return server.wait_for_mail("bob", "Osbox Board 101", "j2")


def try_out(program, place):
    first, second = release(program, place), build(program, place, "999.0.0")
    judge(first)
    check_documents(first, place / "documents")
    debian = Debian(place / "root")
    started = time.monotonic()
    debian.install_base()
    print(f"a new Debian: {time.monotonic() - started:.0f} s")

    started = time.monotonic()
    debian.install(first)
    check_files(debian)
    settings = edit_settings(debian)
    server = Server(debian)
    if "Games by Mail" not in begin_game(server):
        fail("the mail does not have the name of the settings")
    print(f"from `apt install` to the first mailed move: {time.monotonic() - started:.1f} s")
    command(debian, "admin", "user", "grant", "ann")

    debian.pretend_systemd()
    debian.install(second)
    debian.was_asked("deb-systemd-invoke restart knotpost.service")
    server.stop()
    if (debian.root / SETTINGS).read_text() != settings:
        fail("the upgrade has changed the settings")
    debian.expect(SETTINGS, 0o640, "root:knotpost")
    server = Server(debian)
    server.mail("bob", "osbox move 101 bob bob-secret a8")
    server.wait_for_mail("ann", "Osbox Board 101", "a8")
    print("upgraded: the board and the settings are the same, and the game goes on")

    debian.apt("remove", "knotpost")
    debian.was_asked("deb-systemd-invoke stop knotpost-backup.timer knotpost.service")
    server.stop()
    if (debian.root / "usr/bin/knotpost").exists() or (debian.root / SETTINGS).read_text() != settings:
        fail("removing it leaves the program, or takes the settings")
    debian.install(second)
    debian.was_asked("deb-systemd-invoke restart knotpost.service")
    if "101" not in command(debian, "admin", "board", "list"):
        fail("the board is lost after removing and installing")
    print("removed and installed again: settings and data are the same")

    debian.apt("purge", "knotpost")
    for path in (SETTINGS, DATA, ENABLED):
        if os.path.lexists(debian.root / path):
            fail(f"/{path} is still there after purging")
    if "knotpost" not in debian.run("getent", "passwd", "knotpost"):
        fail("the user is gone")
    print("purged: settings and data are gone")


def cannot(reason):
    print(f"package: not tried out: {reason}")
    sys.exit(CANNOT)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if os.geteuid() != 0:
        cannot("only root can make another root")
    for program in ("mmdebstrap", "dpkg-deb", "dpkg-shlibdeps", "strip"):
        if not shutil.which(program):
            cannot(f"there is no {program} (Debian: mmdebstrap, dpkg-dev, binutils)")
    place = pathlib.Path(tempfile.mkdtemp(prefix="knotpost-package."))
    try:
        try_out(pathlib.Path(sys.argv[1]).resolve(), place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print("The sandbox of the unit was not exercised: systemd is not process 1 here.")


if __name__ == "__main__":
    main()
