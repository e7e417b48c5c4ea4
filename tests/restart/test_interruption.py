"""Runs that a signal ends, friendly or not, leave readable files behind and go on from their checkpoint."""
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from limber_process import ProgramTest, command, frame_times, read_statistics, two_bodies_scene

H = 0.01


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]


class Interruption(ProgramTest):
    def start(self, output, ranks, *options):
        """A run that would take hours, once it has written a few steps."""
        scene = two_bodies_scene()
        scene["simulation"]["duration"] = 1e4
        config = self.write_config(scene)
        arguments = ["run", config, "--output", self.folder / output, *options]
        with open(self.folder / f"{output}.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(command(arguments, ranks), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       cwd=self.folder)
        self.addCleanup(self.stop, process)
        self.wait_for_rows(process, output, 6)
        return process

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.kill()
        process.wait()

    def log(self, output):
        return (self.folder / f"{output}.log").read_text(encoding="utf-8")

    def wait_for_rows(self, process, output, rows):
        deadline = time.monotonic() + 60
        statistics = self.folder / output / "statistics.csv"
        while not statistics.is_file() or statistics.read_text(encoding="utf-8").count("\n") <= rows:
            self.assertIsNone(process.poll(), self.log(output))
            self.assertLess(time.monotonic(), deadline, "no progress")
            time.sleep(0.02)

    def go_on(self, output, ranks):
        """Restarts, runs three steps more than were written, and compares with a run that was never stopped."""
        written = int(read_statistics(self.folder / output)[-1]["step"])
        options = ["--quiet", "--set", f"simulation.duration={H * (written + 3)!r}"]
        config = self.folder / "scene.yaml"
        for folder, more in ((output, ["--restart"]), (output + "_whole", [])):
            result = self.limber("run", config, "--output", self.folder / folder, *options, *more, ranks=ranks)
            self.assertEqual(result.code, 0, str(result))
        self.assert_same_bits(output, output + "_whole")
        self.assertEqual([row["step"] for row in read_statistics(self.folder / output)], list(range(written + 4)))
        self.assertEqual(len(frame_times(self.folder / output)), written + 4)
        self.assertEqual(list((self.folder / output).rglob("*.tmp")), [])

    def check_friendly(self, ranks, signal_number):
        output = "run"
        process = self.start(output, ranks, "--set", "output.checkpoint_every=0")
        process.send_signal(signal_number)
        self.assertEqual(process.wait(60), 4, self.log(output))
        log = self.log(output)
        self.assertEqual(log.count("interrupted at t ="), 1, log)
        self.assertEqual(len(list((self.folder / output / "checkpoints").iterdir())), 1)
        self.assert_frames(output)
        self.go_on(output, ranks)

    def test_user_signal(self):
        self.check_friendly(1, signal.SIGUSR1)

    def test_user_signal_to_mpirun(self):
        self.check_friendly(3, signal.SIGUSR1)

    def test_termination(self):
        self.check_friendly(1, signal.SIGTERM)

    def test_keyboard_interrupt(self):
        self.check_friendly(1, signal.SIGINT)

    def check_killed(self, ranks):
        process = self.start("run", ranks, "--set", "output.checkpoint_every=2")
        victim = process.pid if ranks == 1 else children(process.pid)[-1]
        time.sleep(0.05)
        subprocess.run(["kill", "-9", str(victim)], check=True)
        self.assertNotEqual(process.wait(60), 0)
        self.assert_frames("run")
        rows = read_statistics(self.folder / "run")
        # A frame is written before its row; the kill may fall between them.
        self.assertIn(len(frame_times(self.folder / "run")) - len(rows), (0, 1))
        self.go_on("run", ranks)

    def test_killed(self):
        self.check_killed(1)

    def test_one_of_three_ranks_killed(self):
        self.check_killed(3)


if __name__ == "__main__":
    unittest.main()
