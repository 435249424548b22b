"""python -m unittest run_test, in notebooks/: a notebook that fails in any way is seen to fail.

notebooks_test.go checks the committed ones.
"""

import pathlib
import unittest

import nbformat

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


if __name__ == "__main__":
    unittest.main()
