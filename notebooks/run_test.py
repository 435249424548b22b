"""python -m unittest run_test, in notebooks/: a notebook that fails in any way is seen to fail, and the committed ones are whole."""

import json
import pathlib
import unittest

import nbformat

from run import execute, failures

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


class Committed(unittest.TestCase):
    def test_notebooks(self):
        paths = sorted(HERE.glob("*.ipynb"))
        self.assertEqual(len(paths), 14)
        for path in paths:
            with self.subTest(path.name):
                notebook = nbformat.read(path, as_version=4)
                self.assertEqual(list(failures(notebook)), [])
                outputs = [o for cell in notebook.cells for o in cell.get("outputs", [])]
                for kind in ("image/png", "text/html"):
                    self.assertTrue(any(kind in o.get("data", {}) for o in outputs), f"no {kind}: commit it with its outputs")
                self.assertTrue(all(cell.outputs or cell.source.startswith("%noautoget") for cell in notebook.cells if cell.cell_type == "code"))
                self.assertIn("## Try this", notebook.cells[-1].source)
                for elsewhere in ("http://", "https://", "/home/", "/root/", "/tmp/"):
                    self.assertNotIn(elsewhere, json.dumps(notebook))


if __name__ == "__main__":
    unittest.main()
