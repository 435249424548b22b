"""Tests of check.py's promises: no step takes the part down, and nothing measured is lost."""
import json
import os
import shutil
import sys
import tempfile
import time
import unittest

os.environ.setdefault("GOPHE_PROGRAMS", "/nowhere")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check
import compare
import recorder


def python(script):
    return [sys.executable, "-u", "-c", script]


class Steps(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = temp.name
        self.grace, recorder.GRACE = recorder.GRACE, 2
        self.addCleanup(setattr, recorder, "GRACE", self.grace)

    def recorder(self, limit=60, words=()):
        r = recorder.Recorder(self.folder, "t", limit, words)
        self.addCleanup(r.lines.close)
        self.addCleanup(r.log.close)
        return r

    def lines(self):
        with open(os.path.join(self.folder, "t.jsonl")) as f:
            return [json.loads(line) for line in f]

    def log(self):
        with open(os.path.join(self.folder, "t.log")) as f:
            return f.read()

    def test_statuses(self):
        r = self.recorder()
        for script, want in (("print('said')", "ok"), ("raise SystemExit(2)", "failed"), ("import time; time.sleep(60)", "timeout")):
            status, _, facts = r.run(want, python(script), 1)
            self.assertEqual(status, want)
            self.assertEqual("tail" in facts, want != "ok")
        self.assertEqual(r.run("absent", ["/nowhere/phe"], 5)[0], "failed")
        self.assertIn("said", self.log())

    def test_what_a_stopped_program_said_stays(self):
        status, output, _ = self.recorder().run("slow", python("print('half'); import time; time.sleep(60)"), 1)
        self.assertEqual((status, output), ("timeout", "half\n"))

    def test_interrupted_first_so_that_it_can_save(self):
        script = "import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: print('saved')"
        self.assertEqual(self.recorder().run("saver", python(script), 1)[1], "saved\n")

    def test_stubborn_is_killed(self):
        start = time.monotonic()
        script = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(60)"
        self.assertEqual(self.recorder().run("stubborn", python(script), 1)[0], "timeout")
        self.assertLess(time.monotonic() - start, 20)

    def test_no_time_left(self):
        status, _, facts = self.recorder(limit=0).run("late", python("print(1)"), 5)
        self.assertEqual((status, facts), ("skipped", {"why": "no time is left"}))

    def test_lines_are_on_disk_at_once(self):
        r = self.recorder()
        r.write("first", "ok", seconds=1)
        self.assertEqual(self.lines(), [{"part": "t", "step": "first", "status": "ok", "seconds": 1}])

    def test_words_choose_steps(self):
        r = self.recorder(words=("local", "dkf"))
        self.assertTrue(r.wants("gophe adult scheme=local") and r.wants("jax dkf"))
        self.assertFalse(r.wants("gophe adult scheme=rows"))
        self.assertTrue(self.recorder().wants("anything"))

    def test_memory(self):
        bin_folder = os.path.join(self.folder, "bin")
        os.mkdir(bin_folder)
        smi = os.path.join(bin_folder, "nvidia-smi")
        with open(smi, "w") as f:  # 500 MiB at first, and up to 1,500 while a step runs
            f.write('#!/bin/sh\ncase "$*" in *lms*) echo 700; echo 1500; echo 900; exec sleep 60;; *) echo 500;; esac\n')
        os.chmod(smi, 0o755)
        before, os.environ["PATH"] = os.environ["PATH"], bin_folder + os.pathsep + os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        self.assertEqual(self.recorder().run("step", python("import time; time.sleep(0.5)"), 10)[2]["device_mb"], round(1000 * 1.048576))

    @unittest.skipIf(shutil.which("nvidia-smi"), "this machine has a GPU")
    def test_no_gpu_no_memory(self):
        self.assertIsNone(self.recorder().run("step", python("pass"), 10)[2]["device_mb"])

    def test_measurements(self):
        r = self.recorder()
        line = json.dumps({"task": "none", "scores": {}})
        for name, script, want in (("good", f"print('chatter'); print('''{line}''')", "ok"), ("silent", "pass", "failed"),
                                   ("unfit", "raise SystemExit(4)", "skipped")):
            check.measure(r, name, python(script), 10)
            self.assertEqual((self.lines()[-1]["step"], self.lines()[-1]["status"]), (name, want))
        self.assertEqual(self.lines()[0]["measurement"], {"task": "none", "scores": {}})


class Scores(unittest.TestCase):
    def test_verdict(self):
        self.assertEqual(compare.verdict([("accuracy", 0.81, 0.80, 0.01, 5, 5)]), "agree: 1")
        self.assertTrue(compare.verdict([("accuracy", 0.83, 0.80, 0.01, 5, 5)]).startswith("differ: accuracy"))
        self.assertTrue(compare.verdict([("accuracy", float("nan"), 0.80, 0.01, 5, 5)]).startswith("differ"))
        self.assertEqual(compare.verdict([("accuracy", None, 0.80, 0.01, 5, 5)]), "none to compare")

    def test_measurement_finds_its_reference(self):
        with open(compare.REFERENCE) as f:
            known = json.loads(f.readline())
        self.assertTrue(compare.measurement(known).startswith("agree"))
        self.assertTrue(compare.measurement({**known, "scores": {**known["scores"], "accuracy": 0.5}}).startswith("differ"))
        self.assertEqual(compare.measurement({**known, "steps": 1}), "no reference")


if __name__ == "__main__":
    unittest.main()
