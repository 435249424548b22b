"""python -m unittest run_test, in notebooks/: a notebook that fails in any way is seen to fail.

notebooks_test.go checks the committed ones.
"""

import pathlib
import tempfile
import unittest
from unittest import mock

import nbformat

import run
from run import execute

HERE = pathlib.Path(__file__).parent


def outcome(*cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    return execute(notebook, HERE, 120, say=lambda line: None)


class Run(unittest.TestCase):
    def test_success(self):
        self.assertEqual(outcome('!echo "$GONB_DIR"', '%%\nprintln("to stderr, which is no failure")'), [])

    def test_failures(self):
        for name, cell in {
            "does not compile": "%%\nvar x int = \"text\"",
            "panics": '%%\npanic("on purpose")',
            "exits": 'import "os"\n%%\nos.Exit(3)',
            "failed shell line": "!false",
            "unknown command": "%nosuchcommand",
        }.items():
            with self.subTest(name):
                wrong = outcome(cell, "!echo the next cell succeeds")
                self.assertEqual([line.split(":")[0] for line in wrong], ["cell 0"])

    def test_last_good_one_stays(self):
        with tempfile.TemporaryDirectory() as folder:
            source, to = pathlib.Path(folder, "a.ipynb"), pathlib.Path(folder, "to")
            to.mkdir()
            for text, wrong, written in [("good", [], ["a.ipynb"]), ("bad", ["cell 0: no"], ["a.ipynb", "failed/a.ipynb"]),
                                         ("better", [], ["a.ipynb"])]:
                nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]), source)
                with mock.patch("run.execute", return_value=wrong), mock.patch("builtins.print"):
                    self.assertEqual(run.run(source, to, 1), bool(wrong))
                self.assertEqual(sorted(str(p.relative_to(to)) for p in to.rglob("*.ipynb")), written)
                for name in written:
                    says = text if name.startswith("failed") == bool(wrong) else "good"
                    self.assertEqual(nbformat.read(to / name, as_version=4).cells[0].source, says)


if __name__ == "__main__":
    unittest.main()
