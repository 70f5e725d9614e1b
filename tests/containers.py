#!/usr/bin/env python3
"""The container files, tried out as far as that goes without an engine.

    containers.py KNOTPOST

docker-compose reads its file, and the server takes every setting named there.
What `.dockerignore` lets through is complete enough to compile. The commands of
both Dockerfiles run on this Debian, in a copy-on-write image of it that nobody
else sees, without a network; in it the server then runs as its user with the
environment of the image, and nginx with our settings in front of two of them.
Exit code 77: the kernel does not let us make such an image.
"""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
CANNOT = 77
INSIDE = "--inside"


def run(*command, **options):
    """Runs a command, or ends with what it said."""
    done = subprocess.run(command, text=True, capture_output=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"containers: {shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


# --- files that are read ------------------------------------------------------


def allowed_by(ignore):
    """Which paths the lines of a .dockerignore let through; the last line that fits counts."""
    rules = []
    for line in ignore.splitlines():
        if line and not line.startswith("#"):
            pattern = re.escape(line.lstrip("!")).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
            rules.append((line.startswith("!"), re.compile(pattern.replace(r"\*", "[^/]*") + "(?:/.*)?")))

    def is_allowed(path):
        verdict = True
        for is_exception, pattern in rules:
            if pattern.fullmatch(path):
                verdict = is_exception
        return verdict

    return is_allowed


def check_context(place):
    """The files an engine would be sent are enough for cargo."""
    is_allowed = allowed_by((ROOT / ".dockerignore").read_text())
    listed = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for path in filter(is_allowed, filter(None, listed)):
        copy = place / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, copy)
    # What was compiled of other people's crates is good for this place, too.
    target = os.environ | {"CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))}
    run("cargo", "check", "--quiet", "--locked", "--offline", "--package", "knotpost", cwd=place, env=target)
    print("the build context compiles")


def check_compose(program, place):
    """docker-compose understands its file, the server the settings in it."""
    nothing = pathlib.Path(place) / "nothing.env"
    nothing.write_text("")
    shown = run("docker-compose", "--env-file", str(nothing), "config", cwd=ROOT)
    if run("docker-compose", "--env-file", ".env.example", "config", cwd=ROOT) != shown:
        sys.exit("containers: .env.example, copied as it is, changes the installation")
    settings = dict(re.findall(r"^ +(KNOTPOST_\w+): ?['\"]?(.*?)['\"]?$", shown, re.MULTILINE))
    if len(settings) < 8:
        sys.exit(f"containers: too few settings in docker-compose.yml: {sorted(settings)}")
    run(program, "config", "show", cwd=place, env={"PATH": os.environ["PATH"]} | settings)
    example = dict(re.findall(r'^#(KNOTPOST_\w+)="(.*)"$', (ROOT / ".env.example").read_text(), re.MULTILINE))
    if len(example) < 5:
        sys.exit(f"containers: too few settings in .env.example: {sorted(example)}")
    run(program, "config", "show", cwd=place, env={"PATH": os.environ["PATH"]} | example)
    print(f"docker-compose.yml is sound, its {len(settings)} settings are known")


def instructions(dockerfile):
    """The instructions of the last stage, each as its word and the rest."""
    text = re.sub(r"^#.*\n", "", dockerfile.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    pairs = [line.split(None, 1) for line in text.splitlines() if line.strip()]
    last = max(index for index, pair in enumerate(pairs) if pair[0] == "FROM")
    return pairs[last + 1 :]


# --- inside the image ---------------------------------------------------------


def wait_for(address, status=200):
    """Waits until an address answers like that."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                seen = answer.status
        except urllib.error.HTTPError as error:
            seen = error.code
        except OSError:
            seen = None
        if seen == status:
            return
        time.sleep(0.1)
    sys.exit(f"containers: {address} answers {seen} instead of {status}")


def run_stage(dockerfile, program):
    """Carries out RUN, COPY and the rest of the last stage; returns environment, user, folder, command, check."""
    environment, user, folder, command, check = {"PATH": os.environ["PATH"]}, "root", "/", [], []
    for word, rest in instructions(dockerfile):
        if word == "RUN":
            # No network in here: what is installed is there already.
            rest = re.sub(r"apt-get update\b|(DEBIAN_FRONTEND=\S+ )?apt-get install [^&]*", "true ", rest)
            run("sh", "-ec", rest)
        elif word == "COPY":
            words = shlex.split(rest)
            mode = [word.split("=")[1] for word in words if word.startswith("--chmod=")]
            *sources, target = [word for word in words if not word.startswith("--")]
            sources = [program] if "--from=build" in words else [dockerfile.parent / name for name in sources]
            pathlib.Path(target if target.endswith("/") else os.path.dirname(target)).mkdir(parents=True, exist_ok=True)
            for source in sources:
                shutil.copy2(source, target)
            if mode:
                os.chmod(target, int(mode[0], 8))
        elif word == "ENV":
            environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif word == "USER":
            user = rest
        elif word == "WORKDIR":
            folder = rest
        elif word in ("ENTRYPOINT", "CMD"):
            command += words_of(rest)
        elif word == "HEALTHCHECK":
            check = words_of(rest.partition("CMD ")[2])
        elif word not in ("VOLUME", "EXPOSE", "STOPSIGNAL"):
            sys.exit(f"containers: {word} is not understood here")
    return environment, user, folder, command, check


def words_of(array):
    """The words of a command that is written as a JSON array."""
    return shlex.split(re.sub(r"[\[\],]", " ", array))


def check_health(image, expected):
    """What an engine runs now and then in a running container."""
    environment, user, folder, _, check = image
    as_user = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *check]
    done = subprocess.run(as_user, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != expected:
        sys.exit(f"containers: {check} ended with {done.returncode} instead of {expected}: {done.stdout}{done.stderr}")


def start(command, environment, user, folder):
    as_user = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *command]
    return subprocess.Popen(as_user, env=environment, cwd=folder, stdout=subprocess.DEVNULL)


def stop(process):
    """Ends what `start` started, as an engine would."""
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=20)


def try_server(image):
    """The image's server, as its user and with its environment."""
    environment, user, folder, command, _ = image
    check_health(image, 1)
    server = start(command, environment, user, folder)
    wait_for("http://127.0.0.1:8080/readyz")
    wait_for("http://127.0.0.1:8080/")
    check_health(image, 0)
    owner = run("stat", "-c", "%U %a", f"{folder}/knotpost.db", f"{folder}/secret.key").split("\n")
    stop(server)
    if any(line and not line.startswith(user) for line in owner):
        sys.exit(f"containers: whose files are these: {owner}")
    check_health(image, 1)
    print(f"the image's server runs as {user}, and its health check tells whether it does")


def try_proxy(image):
    """nginx with our settings before two servers, one of which then stops."""
    environment, user, folder, command, _ = image
    servers = []
    hosts = ["127.0.0.1 localhost"]
    for number in (1, 2):
        own = f"{folder}/{number}"
        run("install", "-d", "-o", user, "-m", "700", own)
        hosts.append(f"127.0.0.{number + 1} knotpost-{number}")
        settings = {"KNOTPOST_SERVER__DATA": own, "KNOTPOST_SMTP__LISTEN": "",
                    "KNOTPOST_HTTP__LISTEN": f"127.0.0.{number + 1}:8080"}
        servers.append(start(command, environment | settings, user, folder))
    pathlib.Path("/etc/hosts").write_text("\n".join(hosts) + "\n")
    for number in (1, 2):
        wait_for(f"http://127.0.0.{number + 1}:8080/readyz")
    conf = (ROOT / "deploy/nginx.conf").read_text()
    pathlib.Path("/tmp/nginx.conf").write_text("daemon off;\nerror_log /dev/null;\n" + conf.replace("listen 8080;", "listen 127.0.0.1:8080;"))
    run("nginx", "-t", "-q", "-c", "/tmp/nginx.conf")
    proxy = subprocess.Popen(["nginx", "-c", "/tmp/nginx.conf"])
    wait_for("http://127.0.0.1:8080/")
    wait_for("http://127.0.0.1:8080/metrics", 404)
    stop(servers[0])
    for _ in range(8):
        wait_for("http://127.0.0.1:8080/games/osbox")
    stop(servers[1])
    wait_for("http://127.0.0.1:8080/", 502)
    stop(proxy)
    print("nginx spreads the web over two servers and does without one")


def try_mail():
    """Postfix takes the settings of the mail server's image."""
    image = run_stage(ROOT / "deploy/mail/Dockerfile", None)
    script = pathlib.Path("/usr/local/bin/start.sh").read_text().replace("exec postfix start-fg", "exec postfix check")
    run("sh", "-ec", script, env=os.environ | {"KNOTPOST_SERVER__ADDRESS": "pbmserv@games.example"})
    found = run("postmap", "-q", "games.example", "texthash:/etc/postfix/games").strip()
    if found != "lmtp:inet:knotpost:2424":
        sys.exit(f"containers: mail to the games goes to {found!r}")
    check_health(image, 1)
    run("postfix", "start")
    check_health(image, 0)
    run("postfix", "stop")
    print("Postfix takes the settings of the mail server, and its health check tells whether it runs")


def inside(program):
    run("ip", "link", "set", "lo", "up")
    image = run_stage(ROOT / "Dockerfile", program)
    try_server(image)
    try_proxy(image)
    try_mail()


# --- and around it ------------------------------------------------------------

# $1: an empty folder; $2 and $3: folders that are needed as they are.
ENTER = """
mount -t tmpfs none "$1"
mkdir "$1/up" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount -t tmpfs none "$1/root/tmp"
for each in /dev "$2" "$3"; do
    mkdir -p "$1/root$each"
    mount --bind "$each" "$1/root$each"
done
"""


def image_command(place, program, *command):
    """The command in an image of this machine: mounts, processes and network are its own."""
    script = f"set -e; {ENTER}\nshift 3; exec chroot {shlex.quote(str(place))}/root \"$@\""
    folders = [str(place), str(ROOT), str(program.parent)]
    return ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", *folders, *command]


def main():
    sys.stdout.reconfigure(line_buffering=True)
    if len(sys.argv) == 3 and sys.argv[1] == INSIDE:
        inside(sys.argv[2])
        return
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place:
        check_compose(program, place)
        check_context(pathlib.Path(place))
    with tempfile.TemporaryDirectory() as place:
        if subprocess.run(image_command(place, program, "true"), capture_output=True, check=False).returncode != 0:
            print("containers: this kernel makes no images; their commands were not run", file=sys.stderr)
            sys.exit(CANNOT)
        done = subprocess.run(image_command(place, program, sys.executable, __file__, INSIDE, str(program)), check=False)
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
