"""The command line against real servers: test_cli_live.py SHARDPROOF PLANTED SCHEMA

Every test has a TMPDIR and a cache folder of its own, so that it sees what is left behind; the installed
servers of the usual cache are linked into it.
"""

import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

SHARDPROOF, PLANTED, SCHEMA = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
HANG_LIMIT = 120
STOP_LIMIT = 15


def setUpModule():
    global mongod, validator
    done = subprocess.run([SHARDPROOF, "server", "install"], check=True, stdout=subprocess.PIPE, timeout=600)
    mongod = pathlib.Path(done.stdout.decode().split()[1])
    validator = jsonschema.Draft7Validator(json.loads(pathlib.Path(SCHEMA).read_text()))


class Home:
    """A place for one or several runs, where all they leave can be seen."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="shardproof-test-", dir="/tmp")
        self.folder = pathlib.Path(self.temporary.name).resolve()
        self.tmp, self.cache = self.folder / "tmp", self.folder / "cache"
        self.tmp.mkdir()
        self.cache.mkdir()
        (self.cache / "servers").symlink_to(mongod.parent.parent)
        self.env = dict(os.environ, TMPDIR=str(self.tmp), SHARDPROOF_CACHE=str(self.cache), MONGOC_DISABLE_SHM="1")

    def start(self, *words):
        return subprocess.Popen(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def call(self, *words):
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=HANG_LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, out.decode(), err.decode()

    def servers(self):
        """The pids of the servers whose data is in here, by the name of the server."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            if "--dbpath" in words and words[words.index("--dbpath") + 1].startswith(str(self.tmp)):
                found[words[words.index("--replSet") + 1]] = int(entry.name)
        return found

    def folders(self):
        return sorted(path.name for path in self.tmp.iterdir())

    def records(self):
        return sorted(path.name for path in (self.cache / "clusters").glob("*.json"))

    def close(self):
        for pid in self.servers().values():
            os.kill(pid, signal.SIGKILL)
        self.temporary.cleanup()


def wait_until(is_so, seconds=HANG_LIMIT):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Live(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)

    def call(self, *words, status=0):
        got, out, err = self.home.call(*words)
        self.assertEqual(got, status, f"{words}\n{out}\n{err}")
        return out, err

    def read_report(self, name):
        report = json.loads((self.home.folder / name / "report.json").read_text("utf-8"))
        errors = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(report)]
        self.assertEqual(errors[:5], [])
        for area in report["areas"]:
            self.assertEqual(area["answers"], sum(area["counts"].values()), area)
        for verdict, count in report["counts"].items():
            self.assertEqual(count, sum(area["counts"][verdict] for area in report["areas"]))
        return report

    def assert_nothing_left(self):
        self.assertEqual(self.home.servers(), {})
        self.assertEqual(self.home.folders(), [])
        self.assertEqual(self.home.records(), [])


class WithCluster(Live):
    """Tests that share one cluster, which stays."""

    @classmethod
    def setUpClass(cls):
        cls.cluster_home = Home()
        status, out, err = cls.cluster_home.call(SHARDPROOF, "server", "up", "--json", "--server", mongod)
        if status != 0:
            cls.cluster_home.close()
            raise RuntimeError(f"server up: {status}\n{err}")
        cls.cluster = json.loads(out)
        cls.config = cls.cluster["config"]
        cls.shard = cls.cluster["shards"][0]["uri"]

    @classmethod
    def tearDownClass(cls):
        try:
            status, out, err = cls.cluster_home.call(SHARDPROOF, "server", "down", cls.cluster["id"])
            left = cls.cluster_home.servers(), cls.cluster_home.folders(), cls.cluster_home.records()
            if status != 0 or left != ({}, [], []):
                raise RuntimeError(f"server down: {status}\n{out}{err}{left}")
        finally:
            cls.cluster_home.close()

    def without_times(self, report):
        for key in ("started", "seconds", "command"):
            del report[key]
        for area in report["areas"]:
            del area["seconds"], area["answers_per_second"]
        for finding in report["findings"] + report["infrastructure"]:
            del finding["replay"]  # names the folder
        return report

    def case_files(self, name):
        folder = self.home.folder / name / "cases"
        return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}

    def test_the_number_of_jobs_changes_nothing(self):
        reports = []
        for jobs in ("1", "2"):
            self.call(
                *(SHARDPROOF, "run", "--server", self.config, "--areas", "find,hash,order,route,write", "--cases", "480"),
                *("--seed", "7", "--jobs", jobs, "--report", jobs),
            )
            reports.append(self.read_report(jobs))
        self.assertEqual(reports[0]["command"], reports[1]["command"])
        # Scenes are never cut, and those of find have 600 questions.
        self.assertEqual([area["answers"] for area in reports[0]["areas"]], [600, 480, 480, 480, 480])
        kinds = {area["name"]: area["kinds"] for area in reports[0]["areas"]}
        self.assertEqual((kinds["hash"], kinds["order"], kinds["route"]), ({}, {}, {}))
        for area, asked in (("find", 600), ("write", 480)):
            for dimension in ("key shape", "operation", "collation", "outcome"):
                self.assertEqual(sum(kinds[area][dimension].values()), asked, dimension)
            self.assertGreater(kinds[area]["outcome"]["one shard"], 0)
            self.assertGreater(kinds[area]["operator"]["$or"], 0)
        self.assertEqual(*map(self.without_times, reports))

    def test_the_areas_of_rules_agree(self):
        """Some scenes of each, from a seed that nothing else uses."""
        areas = ("shardcollection", "chunks", "index", "unique", "keychange", "refine", "reshard")
        for area in areas:
            cases = "2" if area == "reshard" else "24"
            self.call(SHARDPROOF, "run", "--server", self.config, "--areas", area, "--cases", cases, "--seed", "3",
                      "--report", area)
            report = self.read_report(area)
            (counted,) = report["areas"]
            self.assertGreaterEqual(counted["counts"]["match"], int(cases))
            self.assertEqual(counted["counts"]["match"], counted["answers"], area)
            for dimension, kinds in counted["kinds"].items():
                self.assertGreater(sum(kinds.values()), 0, dimension)
            self.assertNotEqual(counted["kinds"], {})

    def test_the_number_of_jobs_changes_no_rule(self):
        reports = []
        for jobs in ("1", "2"):
            self.call(SHARDPROOF, "run", "--server", self.config, "--areas", "shardcollection,index,keychange",
                      "--cases", "60", "--seed", "7", "--jobs", jobs, "--report", jobs)
            reports.append(self.without_times(self.read_report(jobs)))
        self.assertEqual(*reports)

    def test_planted_differences(self):
        """A wrong model is found out, in the same way by any number of jobs, and the right one agrees."""
        cases = 4000
        reports = []
        for jobs in ("1", "2"):
            self.call(PLANTED, self.config, jobs, jobs, cases, status=1)
            reports.append(self.without_times(self.read_report(jobs)))
        self.assertEqual(*reports)
        self.assertEqual(self.case_files("1"), self.case_files("2"))

        report = reports[0]
        findings = report["findings"]
        self.assertEqual(report["counts"]["match"] + report["counts"]["mismatch"], cases)
        self.assertEqual(report["counts"]["mismatch"], len(findings))
        self.assertIn(len(findings), range(10, cases // 4))
        self.assertEqual(set(self.case_files("1")), {finding["id"] + ".json" for finding in findings})
        for finding in findings:
            value = float(finding["case"]["value"]["$numberDouble"])
            self.assertTrue(value < 0 and value != math.trunc(value), value)
            self.assertNotEqual(finding["expected"], finding["observed"])
            # Of each batch, of which there are several, the first few are asked again.
            self.assertIn(finding["again"], ("same", "unasked"))
        self.assertGreaterEqual(sum(finding["again"] == "same" for finding in findings), min(16, len(findings)))

        out, _ = self.call(SHARDPROOF, "replay", "1/cases", "--server", self.config)
        self.assertIn(f"{len(findings)} answers checked, 0 differ, 0 lines", out)
        self.assertIn(f"match: {len(findings)}", out)

    def write_cases(self, *documents):
        path = self.home.folder / "cases.jsonl"
        path.write_text("".join(json.dumps(document) + "\n" for document in documents))
        return path.name

    HASH = {"area": "hash", "value": {"$numberDouble": "-1.5"}}
    ORDER = {"area": "order", "values": [{"$numberDecimal": "0.1"}, {"$numberDouble": "0.1"}]}
    ROUTE = {
        "area": "route",
        "key": {"x": 1},
        "chunks": [
            [{"x": {"$minKey": 1}}, {"x": 0}, "s2"],
            [{"x": 0}, {"x": "b"}, "s1"],
            [{"x": "b"}, {"x": {"$maxKey": 1}}, "s3"],
        ],
        "docs": [{"x": -1}, {"x": 0}, {"x": "a"}, {"x": "b"}, {}, {"x": [1]}],
    }

    LAYOUT = {"key": ROUTE["key"], "chunks": ROUTE["chunks"], "shards": 3}
    FIND = {
        "area": "find",
        **LAYOUT,
        "collation": {"locale": "fr"},
        "queries": [
            {"op": "find", "filter": {"x": -1}},
            {"op": "aggregate", "filter": {"x": "a"}},
            {"op": "find", "filter": {"x": "a"}, "collation": {"locale": "simple"}},
            {"op": "find", "filter": {"x": {"$nonsense": 1}}},
        ],
    }
    WRITE = {
        "area": "write",
        **LAYOUT,
        "writes": [
            {"op": "upsert", "filter": {"x": "a"}},
            {"op": "deleteOne", "filter": {"y": 1}},
            {"op": "updateMany", "filter": {}},
        ],
    }

    def test_record_and_replay_of_targeting(self):
        cases, _ = self.record(self.write_cases(self.FIND, self.WRITE), self.config)
        answers = [
            [sorted(answer["shards"]) if "shards" in answer else answer["error"]["code"] for answer in case["answers"]]
            for case in cases
        ]
        code = lambda number: {"$numberInt": str(number)}
        self.assertEqual(answers[0], [["s2"], ["s1", "s2", "s3"], ["s1"], code(2)])
        self.assertEqual(answers[1], [["s1"], code(61), ["s1", "s2", "s3"]])
        for words in (("--server", self.config), ("--model", "6.0.5")):
            out, _ = self.call(SHARDPROOF, "replay", "recorded.jsonl", *words)
            self.assertIn("7 answers checked, 0 differ, 0 lines", out)

    def test_cases_for_other_clusters_are_told_and_left_out(self):
        other = {**self.FIND, "shards": 5}
        name = self.write_cases(self.HASH, other, {**self.WRITE, "shards": 2}, self.ORDER)
        out, err = self.call(SHARDPROOF, "replay", name, "--server", self.config, status=2)
        self.assertIn("2 answers checked, 0 differ, 2 lines", out)
        self.assertIn("cases.jsonl:2: the case is made for a cluster of 5 shards, and this one has 3", err)
        self.assertIn("cases.jsonl:3: ", err)
        cases, err = self.record(name, self.config, 2)
        self.assertEqual([case["area"] for case in cases], ["hash", "order"])
        self.assertIn("cases.jsonl:3: the case is made for a cluster of 2 shards", err)

    def test_malformed_cases_of_targeting(self):
        broken = (
            ({**self.FIND, "chunks": []}, "chunk"),
            ({**self.FIND, "queries": {"op": "find"}}, "'queries'"),
            ({**self.FIND, "queries": [1]}, "queries[0]"),
            ({**self.WRITE, "writes": [{"op": "upsertMany", "filter": {}}]}, "op"),
            ({**self.WRITE, "writes": [{"op": "updateOne"}]}, "'filter'"),
        )
        name = self.write_cases(*(case for case, _ in broken), self.HASH)
        out, err = self.call(SHARDPROOF, "replay", name, "--server", self.config, status=2)
        self.assertIn(f"1 answers checked, 0 differ, {len(broken)} lines", out)
        for line, (_, words) in enumerate(broken, 1):
            told = [text for text in err.splitlines() if f"cases.jsonl:{line}: " in text]
            self.assertEqual(len(told), 1, err)
            self.assertIn(words, told[0])

    def test_replay_against_a_cluster(self):
        # What was recorded does not count where a server is asked.
        name = self.write_cases(self.HASH, {**self.HASH, "answers": [{"hash": "1"}]}, self.ORDER, self.ROUTE)
        out, err = self.call(SHARDPROOF, "replay", name, "--server", self.config)
        self.assertIn("9 answers checked, 0 differ, 0 lines", out)
        self.assertIn("match: 9", out)
        self.assertEqual(err, "")

    SOUNDNESS = {
        "area": "soundness",
        "key": {"x": 1},
        "chunks": [
            [{"x": {"$minKey": 1}}, {"x": {"$timestamp": {"t": 1, "i": 1}}}, "s1"],
            [{"x": {"$timestamp": {"t": 1, "i": 1}}}, {"x": {"$maxKey": 1}}, "s2"],
        ],
        "docs": [{"_id": 1, "x": {"$timestamp": {"t": 0, "i": 0}}}, {"_id": 2, "x": 5}, {"_id": 3, "x": [5]}],
        "checks": [
            {"filter": {}, "finds": [0, 1, 2]},
            {"filter": {"_id": 1}, "finds": [0]},
            {"filter": {"x": {"$numberDecimal": "5.0"}}, "finds": [1]},
            {"filter": {"_id": 3}, "finds": [2]},  # refused, so it need not be found
        ],
    }

    def test_soundness_finds_a_loss(self):
        # The time takes the place of an empty timestamp, on a shard that does not own it.
        sound = {**self.SOUNDNESS, "docs": [{"_id": 1, "x": "a"}] + self.SOUNDNESS["docs"][1:]}
        name = self.write_cases(self.SOUNDNESS, sound)
        out, err = self.call(SHARDPROOF, "replay", name, "--server", self.config, status=1)
        self.assertEqual(err, "")
        self.assertIn("8 answers checked, 2 differ, 0 lines", out)
        self.assertIn("cases.jsonl:1: soundness question 0: mismatch", out)
        self.assertIn("cases.jsonl:1: soundness question 1: mismatch", out)
        self.assertEqual(out.count("on a shard that does not own it"), 2)
        self.assertEqual(out.count('"missing":[0],"extra":[]'), 2)

    def test_replay_of_broken_lines_against_a_cluster(self):
        name = self.write_cases(self.HASH, {"area": "route", "key": {"x": 1}}, self.ORDER)
        out, err = self.call(SHARDPROOF, "replay", name, "--server", self.config, status=2)
        self.assertIn("cases.jsonl:2: ", err)
        self.assertIn("2 answers checked, 0 differ, 1 lines", out)

    def test_a_server_refuses_what_the_model_takes(self):
        # An unknown shard cannot be given a chunk: whatever comes out, it is told and no agreement.
        strange = [[{"x": {"$minKey": 1}}, {"x": {"$maxKey": 1}}, "nowhere"]]
        name = self.write_cases({**self.ROUTE, "chunks": strange}, self.HASH)
        status, out, err = self.home.call(SHARDPROOF, "replay", name, "--server", self.config)
        self.assertIn(status, (1, 2, 3), out + err)
        self.assertIn("match: 1\n", out)
        self.assertIn("nowhere", out + err)

    def record(self, name, server, status=0):
        out, err = self.call(SHARDPROOF, "record", name, "--server", server, status=status)
        (self.home.folder / "recorded.jsonl").write_text(out)
        return [json.loads(line) for line in out.splitlines()], err

    def test_record_and_replay(self):
        old = {**self.HASH, "answers": [{"hash": "1"}], "origin": {"version": "old"}}
        cases, _ = self.record(self.write_cases(old, self.ORDER, self.ROUTE), self.config)
        self.assertEqual([len(case["answers"]) for case in cases], [1, 1, 6])
        self.assertEqual({case["origin"]["version"] for case in cases}, {"6.0.5"})
        self.assertEqual(cases[2]["answers"][0], {"shards": ["s2"]})
        self.assertEqual(cases[2]["docs"], [
            {"x": {"$numberInt": "-1"}}, {"x": {"$numberInt": "0"}}, {"x": "a"}, {"x": "b"}, {},
            {"x": [{"$numberInt": "1"}]},
        ])
        out, _ = self.call(SHARDPROOF, "replay", "recorded.jsonl", "--model", "6.0.5")
        self.assertIn("8 answers checked, 0 differ, 0 lines", out)

    def test_record_where_the_server_lacks_something(self):
        cases, err = self.record(self.write_cases(self.HASH, self.ROUTE, self.ORDER), self.shard, 2)
        self.assertEqual([case["area"] for case in cases], ["hash", "order"])
        self.assertIn("cases.jsonl:2: ", err)
        self.assertIn("'route'", err)

    def test_a_server_that_is_in_no_cluster(self):
        """A shard asked directly stands for any single server."""
        name = self.write_cases(self.HASH, self.ROUTE, self.ORDER)
        out, err = self.call(SHARDPROOF, "replay", name, "--server", self.shard, status=2)
        self.assertIn("2 answers checked, 0 differ, 1 lines", out)
        self.assertIn("cases.jsonl:2: ", err)
        self.assertIn("'route'", err)
        out, _ = self.call(
            *(SHARDPROOF, "run", "--server", self.shard, "--areas", "hash,route", "--cases", "100", "--report", "r")
        )
        report = self.read_report("r")
        areas = {area["name"]: area for area in report["areas"]}
        self.assertEqual(areas["hash"]["counts"]["match"], 100)
        self.assertEqual(areas["route"]["answers"], 0)
        self.assertIn("skipped", areas["route"]["note"])
        self.assertEqual(report["server"]["kind"], "mongod")

    def test_a_lent_cluster_is_not_taken_down(self):
        before = self.cluster_home.servers()
        self.assertEqual(sorted(before), ["config", "s1", "s2", "s3"])
        self.call(SHARDPROOF, "run", "--server", self.config, "--areas", "route", "--cases", "160", "--report", "r")
        self.assertEqual(self.cluster_home.servers(), before)
        self.assertEqual(self.home.folders() + self.home.records(), [])
        self.call(SHARDPROOF, "replay", self.write_cases(self.ROUTE), "--server", self.config)


class Runs(Live):
    def test_report(self):
        self.call(
            *(SHARDPROOF, "run", "--areas", "hash,order", "--cases", "20000", "--seed", "1", "--report", "r")
        )
        report = self.read_report("r")
        self.assertEqual([area["name"] for area in report["areas"]], ["hash", "order"])
        for area in report["areas"]:
            self.assertEqual((area["scenes"], area["answers"], area["note"]), (20000, 20000, None))
        self.assertEqual(report["counts"]["match"], 40000)
        self.assertEqual((report["findings"], report["infrastructure"]), ([], []))
        self.assertIs(report["interrupted"], False)
        self.assertEqual(report["seed"], "1")
        self.assertEqual(report["server"], {"kind": "mongod-cluster", "version": "6.0.5", "spec": "6.0.5"})
        self.assert_nothing_left()

    def test_a_report_that_cannot_be_written(self):
        (self.home.folder / "file").write_text("in the way")
        _, err = self.call(
            *(SHARDPROOF, "run", "--server", mongod, "--areas", "hash", "--cases", "10", "--shards", "1"),
            *("--report", "file"),
            status=3,
        )
        self.assertIn("file", err)
        self.assert_nothing_left()

    def start_run(self, *words):
        """Starts a run and returns once its servers are up."""
        run = self.home.start(SHARDPROOF, "run", "--server", mongod, "--report", "r", *words)
        self.addCleanup(self.end, run)
        line = run.stderr.readline().decode()
        self.assertIn("shardproof run --server", line, line + run.stderr.read().decode() if not line else line)
        return run

    @staticmethod
    def end(run):
        if run.poll() is None:
            run.kill()
        run.communicate()

    def finish(self, run, seconds=HANG_LIMIT):
        out, err = run.communicate(timeout=seconds)
        return out.decode(), err.decode()

    def test_interrupted(self):
        run = self.start_run("--areas", "route", "--time", "60")
        time.sleep(3)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        out, err = self.finish(run, STOP_LIMIT)
        self.assertEqual(run.returncode, 130, out + err)
        self.assertIn("stopped before the end", err)
        report = self.read_report("r")
        self.assertIs(report["interrupted"], True)
        self.assertGreater(report["counts"]["match"], 0)
        self.assertEqual(report["counts"]["infrastructure"], 0)
        self.assertEqual(report["areas"][0]["scenes"] * 80, report["areas"][0]["answers"])
        self.assert_nothing_left()

    def test_interrupted_while_the_servers_start(self):
        run = self.home.start(SHARDPROOF, "run", "--server", mongod, "--report", "r", "--time", "60")
        self.addCleanup(self.end, run)
        self.assertTrue(wait_until(lambda: self.home.servers() or run.poll() is not None))
        run.send_signal(signal.SIGTERM)
        out, err = self.finish(run, STOP_LIMIT)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, out + err)
        self.assert_nothing_left()

    def test_killed(self):
        """Even then no server goes on, and the next command removes what is left."""
        run = self.start_run("--areas", "hash", "--time", "60")
        time.sleep(1)
        self.assertEqual(len(self.home.servers()), 4)
        run.kill()
        run.wait()
        self.assertTrue(wait_until(lambda: not self.home.servers()), self.home.servers())
        self.assertEqual((len(self.home.folders()), len(self.home.records())), (1, 1))
        _, err = self.call(
            *(SHARDPROOF, "run", "--server", mongod, "--areas", "hash", "--cases", "10", "--shards", "1"),
            *("--report", "r"),
        )
        self.assertRegex(err, "(?i)remove")
        self.assert_nothing_left()

    def kill_server(self, run, name):
        """Kills a server of the run and returns once another has taken its place."""
        self.assertIsNone(run.poll(), "over too early: nothing was killed in it")
        killed = self.home.servers()[name]
        os.kill(killed, signal.SIGKILL)
        came = wait_until(lambda: self.home.servers().get(name, killed) != killed or run.poll() is not None)
        self.assertTrue(came)
        self.assertIsNone(run.poll(), f"it ended instead of restarting {name}")

    def lose_servers(self, area, cases, names):
        run = self.start_run("--areas", area, "--cases", str(cases), "--seed", "3")
        for name in names:
            time.sleep(1)
            self.kill_server(run, name)
        out, err = self.finish(run)
        report = self.read_report("r")
        counts = report["counts"]
        self.assertIn(run.returncode, (0, 3), out + err)
        self.assertEqual(run.returncode, 3 if counts["infrastructure"] > 0 else 0)
        self.assertEqual(report["findings"], [])
        self.assertEqual(counts["match"] + counts["infrastructure"], cases)
        self.assertEqual(report["areas"][0]["answers"], cases)
        # What was in flight is asked again, so that next to nothing is given up.
        self.assertLess(counts["infrastructure"], cases / 10)
        self.assertIsNone(report["areas"][0]["note"])
        self.assert_nothing_left()

    def test_a_server_dies_in_hash(self):
        self.lose_servers("hash", 6000000, ["s1", "s2"])

    def test_a_server_dies_in_route(self):
        self.lose_servers("route", 12000, ["s2", "config"])

    def test_a_server_dies_in_find(self):
        self.lose_servers("find", 24000, ["s2", "config"])


if __name__ == "__main__":
    unittest.main()
