"""Run programs one after the other, each with its own limit, and write each result to disk at once."""
import json
import os
import shutil
import signal
import subprocess
import threading
import time

GRACE = 15  # seconds from asking a program to stop until it is killed


class Recorder:
    """Runs the steps of one part. Each step writes a line of JSON to disk. The programs' output goes to a log."""

    def __init__(self, folder, part, limit, words=()):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.part, self.words = folder, part, words
        self.end = time.monotonic() + limit
        self.memory_before = memory_in_use()
        self.lines = open(os.path.join(folder, part + ".jsonl"), "a")
        self.log = open(os.path.join(folder, part + ".log"), "ab", buffering=0)

    def left(self):
        """Seconds that the part still has."""
        return self.end - time.monotonic()

    def wants(self, name):
        return not self.words or any(word in name for word in self.words)

    def write(self, name, status, **facts):
        """Put one line on disk, so that it survives whatever comes next."""
        line = {"part": self.part, "step": name, "status": status, **facts}
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()
        os.fsync(self.lines.fileno())
        told = " ".join(f"{key}={value}" for key, value in facts.items() if key in ("seconds", "why", "scores", "passed", "failed"))
        print(f"{self.part} {status:8} {name}  {told}", flush=True)
        return line

    def run(self, name, argv, limit, cwd=None, env=None, log=None):
        """Run a program and return (status, its standard output, facts). Statuses are ok, failed, timeout and skipped."""
        if self.left() < 5:
            return "skipped", "", {"why": "no time is left"}
        self.log.write(f"\n== {name}: {' '.join(argv)}\n".encode())
        start = time.monotonic()
        with MemorySampler(self.memory_before) as memory:
            status, code, output = self.wait(argv, min(limit, self.left()), cwd, env, log)
        facts = {"seconds": round(time.monotonic() - start, 2), "device_mb": memory.peak(), "code": code}
        if status in ("failed", "timeout"):
            facts["tail"] = self.tail()
        return status, output, facts

    def wait(self, argv, limit, cwd, env, log):
        with open(os.path.join(self.folder, log), "ab") if log else open(os.devnull, "wb") as own:
            try:
                program = subprocess.Popen(argv, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                                           stdout=subprocess.PIPE, stderr=own if log else self.log, start_new_session=True)
            except OSError as error:
                self.log.write(f"{error}\n".encode())
                return "failed", None, ""
            output = bytearray()
            reader = threading.Thread(target=self.read, args=(program.stdout, output, own if log else self.log), daemon=True)
            reader.start()
            status = self.stop(program, limit)
            reader.join(GRACE)
        return status, program.returncode, bytes(output).decode(errors="replace")

    @staticmethod
    def read(pipe, output, log):
        """Copy a program's output into the log as it comes."""
        for line in pipe:
            output += line
            log.write(line)
            log.flush()

    @staticmethod
    def stop(program, limit):
        """Wait for a program; at its limit interrupt it, so that it can save its results, and then kill it."""
        try:
            return "ok" if program.wait(limit) == 0 else "failed"
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGINT)
        try:
            program.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
        return "timeout"

    def tail(self):
        """The end of the log."""
        with open(self.log.name, "rb") as log:
            log.seek(0, os.SEEK_END)
            log.seek(max(0, log.tell() - 1500))
            return log.read().decode(errors="replace")


QUERY = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]


def memory_in_use():
    """The GPU's memory that others use, in MiB; 0 where nothing tells."""
    try:
        output = subprocess.run(QUERY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=30).stdout
        return int(output.split()[0])
    except (OSError, subprocess.TimeoutExpired, IndexError, ValueError):
        return 0


class MemorySampler:
    """Samples the GPU's memory in use while a step runs. What others used before the first step is taken off."""

    def __init__(self, before):
        self.before, self.most, self.program = before, None, None

    def __enter__(self):
        if shutil.which("nvidia-smi"):
            self.program = subprocess.Popen(QUERY + ["-lms", "250"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            threading.Thread(target=self.sample, args=(self.program.stdout,), daemon=True).start()
        return self

    def sample(self, lines):
        for line in lines:
            if line.strip().isdigit():
                self.most = max(self.most or 0, int(line))

    def __exit__(self, *_):
        if self.program:
            self.program.kill()
            self.program.wait()

    def peak(self):
        """The most memory in use, in 10^6 bytes; None where nothing was sampled."""
        return None if self.most is None else round((self.most - self.before) * 1.048576)
