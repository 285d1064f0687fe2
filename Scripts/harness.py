"""What the checks share: a home with the program in it, what is expected, other programs, servers and terminals."""
import argparse
import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class Fault(Exception):
    """Something is not as it must be."""


def expect(holds, words):
    if not holds:
        raise Fault(words)


def options(doc, *more):
    """The options of a check: the program last, and some others as (name, default, help)."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, help in more:
        kind = {"action": "store_true"} if default is False else {"default": default, "type": type(default)}
        parser.add_argument(name, help=help, **kind)
    parser.add_argument("program", nargs="?", default=ROOT / ".build/debug/capsule", type=pathlib.Path,
                        help="default: the debug build")
    found = parser.parse_args()
    found.program = found.program.resolve()
    return found


def main(body):
    """Runs a check in a folder of its own that is removed, and says what is wrong."""
    name = pathlib.Path(sys.argv[0]).name
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    folder = tempfile.mkdtemp(prefix=f"capsule-{name}-")
    try:
        body(pathlib.Path(folder))
    except Fault as fault:
        sys.exit(f"{name}: {fault}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def need(*names):
    """The path of the first of some programs that is installed."""
    found = next(filter(None, (shutil.which(name, path=PATH) for name in names)), None)
    expect(found, f"not installed: {' or '.join(names)}")
    return found


class Home:
    """A home of its own, with nothing of this machine's environment."""

    def __init__(self, folder, program, zone="UTC", **more):
        self.path, self.program = pathlib.Path(folder), program
        self.path.mkdir(mode=0o700, exist_ok=True)
        self.store = self.path / ".local/share/capsule"
        self.environment = {"PATH": PATH, "HOME": str(folder), "TZ": zone, "LC_ALL": "C.UTF-8", **more}

    def run(self, *words, code=0, stdin=b"", limit=300):
        """Runs the program; `code` is the exit status that is expected, or `None` for any."""
        words = [str(word) for word in words]
        try:
            ran = subprocess.run([self.program, "--no-input", *words], env=self.environment, cwd=self.path,
                                 input=stdin, capture_output=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            raise Fault(f"'{' '.join(words)[:200]}' takes more than {limit} s")
        if code not in (None, ran.returncode):
            told = (ran.stdout + ran.stderr).decode(errors="replace")[-400:]
            raise Fault(f"'{' '.join(words)[:200]}' exits with {ran.returncode}, not {code}: {told}")
        return ran

    def text(self, *words, **how):
        return self.run(*words, **how).stdout.decode().strip()

    def json(self, *words, **how):
        return json.loads(self.run(*words, "--json", **how).stdout)

    def write(self, name, data):
        path = self.path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path


def command(*words, stdin=b"", env=None):
    """What another program prints; it must succeed and complain of nothing that is not told."""
    ran = subprocess.run([str(word) for word in words], input=stdin, capture_output=True, env=env, check=False)
    expect(ran.returncode == 0, f"'{words[0]}' exits with {ran.returncode}: {ran.stderr.decode(errors='replace')[-400:]}")
    return ran.stdout


def same(name, found, wanted, here="capsule", there="there"):
    """Holds two counters to be the same."""
    expect(found == wanted, f"{name}: only {here} has {sorted((found - wanted).items())[:5]}; "
                            f"only {there}: {sorted((wanted - found).items())[:5]}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A program that serves on a port of the loopback, ended with a block."""

    def __init__(self, words, port, log, **how):
        self.words, self.port, self.log, self.how = [str(word) for word in words], port, log, how

    def __enter__(self):
        with open(self.log, "wb") as file:
            self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                            start_new_session=True, **self.how)
        end = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < end:
            with socket.socket() as probe:
                probe.settimeout(0.2)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.02)
        self.__exit__()
        raise Fault(f"'{self.words[0]}' does not serve: {pathlib.Path(self.log).read_text(errors='replace')[-300:]}")

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def at_terminal(words, answers=(), env=None, folder=None, size=(60, 92)):
    """Runs a program at a terminal of so many rows and columns, and types an answer at every prompt; gives its exit
    status, all that it wrote, and the seconds that it worked."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        os.chdir(folder or ".")
        os.execvpe(str(words[0]), [str(word) for word in words], env or os.environ)
    said, seen, answers, end = b"", 0, list(answers), time.monotonic() + 120
    while select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            part = b""
        if not part:
            _, status, usage = os.wait4(process, 0)
            os.close(terminal)
            return os.waitstatus_to_exitcode(status), said, usage.ru_utime + usage.ru_stime
        said += part
        if answers and said[seen:].rstrip().endswith(b":"):
            os.write(terminal, answers.pop(0).encode() + b"\n")
            seen = len(said)
    os.kill(process, signal.SIGKILL)
    raise Fault(f"'{words[0]}' hangs at: {said!r}")
