"""Execute notebooks headless: python run.py [--to FOLDER] [--beside N] NOTEBOOK.ipynb ...

Each is executed from its first cell in a kernel of its own, N of them side by side, and written to FOLDER (out/notebooks) with
its outputs. One that failed is written to FOLDER/failed, and the last good one stays. Exit status 1 tells that a cell failed, of any
notebook: by a Go error, a failed ! line, an unknown % command, a kernel that died or a cell that took too long. (nbconvert --execute takes the second and third for success,
and writes nothing on failure.) `make book FROM=out/notebooks` makes pages of them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

SILENT_FAILURE = re.compile(r"^exit status \d+$|unknown or not implemented yet", re.MULTILINE)


def failures(notebook):
    """What went wrong, a line each, by the outputs of an executed notebook's cells."""
    for number, cell in enumerate(notebook.cells):
        outputs = cell.get("outputs", [])
        said = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stderr")
        errors = [o.evalue for o in outputs if o.output_type == "error"]
        if errors or SILENT_FAILURE.search(said):
            yield f"cell {number}: {''.join([said, *errors]).strip()[-500:]}"


def execute(notebook, folder, seconds_a_cell, say=print):
    """Execute a notebook in place, with folder as its own, and return what went wrong, a line each."""
    started = {}

    def start(cell, cell_index):
        started[cell_index] = time.monotonic()

    def done(cell, cell_index, execute_reply=None):
        first_line = next((line for line in cell.source.splitlines() if line.strip()), "")
        say(f"cell {cell_index:2d} {time.monotonic() - started[cell_index]:6.1f} s  {first_line[:70]}")

    client = NotebookClient(notebook, timeout=seconds_a_cell, kernel_name="gonb", allow_errors=True, record_timing=False,
                            resources={"metadata": {"path": str(folder)}}, on_cell_execute=start, on_cell_executed=done)
    wrong = []
    with tempfile.TemporaryFile("w+") as log:  # the kernel logs each start and stop
        try:
            client.execute(stderr=log)
        except (CellTimeoutError, DeadKernelError) as error:
            log.seek(0)
            wrong.append(f"{type(error).__name__}: {error}\nThe kernel's log ends:\n{log.read()[-2000:]}")
    notebook.metadata.get("language_info", {})["pygments_lexer"] = "go"  # the kernel says none, and the book would have Python's colours
    return wrong + list(failures(notebook))


def run(path, to, seconds_a_cell):
    """Execute one notebook and write it; return whether it failed. Lines of notebooks side by side begin with their names."""

    def say(line):
        print(f"{path.stem:22} {line}", flush=True)

    began = time.monotonic()
    try:
        notebook = nbformat.read(path, as_version=4)
    except (OSError, nbformat.reader.NotJSONError) as error:
        say(f"FAILED cannot be read as a notebook: {error}")
        return True
    wrong = execute(notebook, path.parent.resolve(), seconds_a_cell, say)
    failed = to / "failed" / path.name
    failed.unlink(missing_ok=True)
    if wrong:
        failed.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, failed if wrong else to / path.name)
    for line in wrong:
        say(f"FAILED {line}")
    say(f"{'failed' if wrong else 'done'} in {time.monotonic() - began:.0f} s")
    return bool(wrong)


def play_to_nobody():
    """Tell widgets that no browser will answer. Otherwise each waits eight seconds for one."""
    os.environ["GOPHE_HEADLESS"] = "1"


def link_quickly():
    """Leave debugging information out of the cells' programs, and link them without the C linker where Go can.

    Building takes most of a cell's time, and nobody debugs the programs. The second flag alone saves a third of it.
    """
    internal = " -linkmode=internal" if sys.platform == "linux" else ""
    os.environ["GOFLAGS"] = f"{os.environ.get('GOFLAGS', '')} '-ldflags=-s{internal}'".strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("out/notebooks"), help="folder for what was executed")
    parser.add_argument("--seconds-a-cell", type=int, default=900, help="time limit of a cell")
    parser.add_argument("--beside", type=int, default=min(2, os.cpu_count() or 1), help="notebooks executed side by side")
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    link_quickly()
    play_to_nobody()
    # The last ones take longest: begun first, they do not leave a processor idle at the end.
    with concurrent.futures.ThreadPoolExecutor(arguments.beside) as workers:
        failed = sum(workers.map(lambda path: run(path, arguments.to, arguments.seconds_a_cell), reversed(arguments.notebooks)))
    if failed:
        sys.exit(f"{failed} of {len(arguments.notebooks)} notebooks failed; their outputs are in {arguments.to}/failed")


if __name__ == "__main__":
    main()
