"""What report_sample writes, against the schema and against itself: check_report.py SAMPLE SCHEMA"""

import base64
import copy
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

import jsonschema

SAMPLE, SCHEMA = sys.argv.pop(1), sys.argv.pop(1)
# What a shell, JSON and the option parser may each stumble over.
FOLDER = "-it's a \"folder\" $HOME \\ é"
KEPT = 1000


def strict(constant):
    raise ValueError(f"{constant} is no JSON")


def read_json(path):
    """Strict: the file must be UTF-8, without Python's NaN and Infinity."""
    return json.loads(path.read_bytes().decode("utf-8"), parse_constant=strict)


def write_sample(base, shuffle):
    done = subprocess.run([SAMPLE, FOLDER, str(shuffle)], cwd=base, check=True, capture_output=True)
    done.stdout.decode("utf-8")
    return pathlib.Path(base) / FOLDER


def setUpModule():
    global temporary, folder, report, schema, validator
    temporary = tempfile.TemporaryDirectory()
    folder = write_sample(temporary.name, 1)
    report = read_json(folder / "report.json")
    schema = read_json(pathlib.Path(SCHEMA))
    validator = jsonschema.Draft7Validator(schema)


def tearDownModule():
    temporary.cleanup()


class Written(unittest.TestCase):
    def finding(self, identity):
        found = [f for f in report["findings"] if f["id"] == identity]
        self.assertEqual(len(found), 1, identity)
        return found[0]

    def test_valid(self):
        jsonschema.Draft7Validator.check_schema(schema)
        errors = [f"{list(e.absolute_path)}: {e.message}" for e in validator.iter_errors(report)]
        self.assertEqual(errors[:5], [])

    def test_head(self):
        self.assertEqual(report["seed"], "18446744073709551615")
        self.assertIs(report["interrupted"], True)
        self.assertEqual(report["server"]["version"], "6.0.5-\ufffd")
        self.assertEqual(report["server"]["spec"], "mongodb://it's:***@host:27017/?replicaSet=a b")
        self.assertEqual(
            shlex.split(report["command"]),
            ["shardproof", "run", "--server", "mongodb://it's:***@host:27017/", "--seed", "1"],
        )

    def test_no_password_anywhere(self):
        for path in folder.rglob("*"):
            if path.is_file():
                text = path.read_bytes()
                self.assertNotIn(b"s3cr", text, path)
                self.assertNotIn(b"secret", text, path)

    def test_counts(self):
        areas = {area["name"]: area for area in report["areas"]}
        self.assertEqual(list(areas), ["find", "hash", "refine", "soundness"])
        for area in areas.values():
            self.assertEqual(area["answers"], sum(area["counts"].values()))
        for verdict, count in report["counts"].items():
            self.assertEqual(count, sum(area["counts"][verdict] for area in areas.values()))
        self.assertEqual(areas["hash"]["counts"]["match"], 9007199254740993)
        self.assertEqual(areas["hash"]["counts"]["mismatch"], 1500)
        self.assertEqual(areas["hash"]["counts"]["known"], 500)
        self.assertEqual(areas["soundness"]["counts"]["mismatch"], 1500)
        self.assertEqual(areas["find"]["answers"], 5)
        self.assertEqual(areas["find"]["answers_per_second"], 3.333)
        self.assertEqual(areas["soundness"]["answers_per_second"], 0)
        self.assertEqual(areas["find"]["note"], 'slow \ufffd "disk"')
        self.assertEqual(areas["refine"]["note"], "skipped: mongodb://user:***@host has no refine")
        self.assertIsNone(areas["hash"]["note"])

    def test_kinds(self):
        areas = {area["name"]: area["kinds"] for area in report["areas"]}
        self.assertEqual(list(areas["find"]), ["key shape", "operation", "outcome"])
        self.assertEqual(areas["find"]["operation"], {"aggregate": 1, "find": 1})
        self.assertEqual(areas["find"]["key shape"], {"a\ufffd\"b\n:1": 4})
        self.assertEqual(areas["find"]["outcome"], {f"error {i:03}": 2 * i + 2 for i in range(100)})
        self.assertEqual([areas[name] for name in ("hash", "refine", "soundness")], [{}, {}, {}])

    def test_kinds_in_the_summary(self):
        with tempfile.TemporaryDirectory() as base:
            done = subprocess.run([SAMPLE, FOLDER, "1"], cwd=base, check=True, capture_output=True)
        out = done.stdout.decode()
        self.assertIn("find, what was asked:\n", out)
        self.assertRegex(out, r"operation +aggregate 20 %, find 20 %\n")
        self.assertRegex(out, r"outcome +100, from error 099 4000 % to error 000 40 %\n")
        self.assertNotIn("hash, what was asked", out)

    def test_bounds(self):
        mismatches = [f for f in report["findings"] if f["area"] == "hash" and f["verdict"] == "mismatch"]
        noted = [f for f in report["findings"] if f["verdict"] in ("known", "unsupported")]
        lowest = [(number // 2, number % 2) for number in range(KEPT)]
        defects = [f for f in report["findings"] if f["area"] == "soundness"]
        for findings in (mismatches, noted, defects, report["infrastructure"]):
            self.assertEqual([(f["scene"], f["check"]) for f in findings], lowest)
        self.assertEqual(report["findings_dropped"], {"find": 0, "hash": 1000, "refine": 0, "soundness": 500})
        self.assertEqual(report["infrastructure_dropped"], {"find": 0, "hash": 0, "refine": 0, "soundness": 500})

    def test_kinds_of_findings(self):
        for finding in report["findings"]:
            self.assertEqual(finding["kind"], "defect" if finding["area"] == "soundness" else "model")
        for finding in report["infrastructure"]:
            self.assertNotIn("kind", finding)

    def test_groups(self):
        rare = [number for number in range(1500) if number % 4 != 0]
        # The sample's cases get smaller, so the last of each cause is its example.
        wanted = [("often \ufffd \"so\"", 375, 1496)]
        wanted += [(f"rare {number:04}", 1, number) for number in rare[:999]]
        wanted += [(None, len(rare) - 999, 1499)]
        self.assertEqual(
            [(g["cause"], g["count"], g["example"]) for g in report["groups"]],
            [(cause, count, f"cases/soundness-{n // 2}-{n % 2}.json") for cause, count, n in wanted],
        )
        self.assertEqual({(g["area"], g["kind"]) for g in report["groups"]}, {("soundness", "defect")})
        self.assertEqual(sum(g["count"] for g in report["groups"]), 1500)

    def test_examples_beyond_the_bound(self):
        listed = {f["case_file"] for f in report["findings"]}
        beyond = [g for g in report["groups"] if g["example"] not in listed]
        self.assertIn(report["groups"][0], beyond)
        self.assertGreater(len(beyond), 100)
        for group in report["groups"]:
            scene, check = map(int, group["example"].removesuffix(".json").split("-")[1:])
            case = json.loads((folder / group["example"]).read_text("utf-8"))
            self.assertEqual(case, {"s": "€" * (1500 - 2 * scene - check)})

    def test_groups_in_the_summary(self):
        with tempfile.TemporaryDirectory() as base:
            done = subprocess.run([SAMPLE, FOLDER, "1"], cwd=base, check=True, capture_output=True)
        out = done.stdout.decode()
        self.assertIn("\nDifferences: 1505; the first of each area:\n", out)
        lines = out.split("\nDefects, where the server contradicts itself: 1500\n\n", 1)[1].split("\n\n")[0].split("\n")
        self.assertEqual(lines[0], "soundness, by cause, each with its smallest case:")
        self.assertEqual(lines[1], '    375 × often \ufffd "so"')
        self.assertEqual(lines[3], "      1 × rare 0001")
        self.assertEqual([line.strip() for line in lines[2:11:2]], [g["replay"] for g in report["groups"][:5]])
        self.assertEqual([line.strip() for line in lines[12:41:2]], [g["example"] for g in report["groups"][5:20]])
        self.assertEqual(lines[41:], ["        and 981 more causes"])

    def test_infrastructure_is_apart(self):
        self.assertEqual({f["verdict"] for f in report["infrastructure"]}, {"infrastructure"})
        self.assertNotIn("infrastructure", {f["verdict"] for f in report["findings"]})

    def test_case_files(self):
        listed = report["findings"] + report["infrastructure"]
        names = {f["case_file"] for f in listed} | {g["example"] for g in report["groups"]}
        there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(there, names | {"report.json"})
        for finding in report["findings"]:
            self.assertEqual(finding["id"], f"{finding['area']}-{finding['scene']}-{finding['check']}")
            self.assertEqual(finding["case_file"], f"cases/{finding['id']}.json")
            text = (folder / finding["case_file"]).read_bytes().decode("utf-8")
            self.assertEqual(text.count("\n"), 1)
            self.assertTrue(text.endswith("\n"))
            # One answer is both a difference and a noted one in the sample; the difference has the file.
            if finding["verdict"] not in ("known", "unsupported") and "cut" not in finding["case"]:
                self.assertEqual(json.loads(text), finding["case"])

    def test_replay(self):
        files = [(f["replay"], f["case_file"]) for f in report["findings"] + report["infrastructure"]]
        files += [(g["replay"], g["example"]) for g in report["groups"]]
        for replay, file in files:
            words = shlex.split(replay)
            self.assertEqual(words[:2], ["shardproof", "replay"])
            self.assertEqual(words[2], f"./{FOLDER}/{file}")
            self.assertTrue((pathlib.Path(temporary.name) / words[2]).is_file())
            self.assertEqual(words[3:], ["--server", report["server"]["spec"]])

    def test_values_survive(self):
        case = self.finding("find-1-0")["case"]
        self.assertEqual(case["nul"], "a\0b\0")
        self.assertEqual(case["quotes \" ' \\ / \n"], "tab\t bell\a delete\x7f 😀 \u2028")
        self.assertEqual(case["long"], {"$numberLong": "-9223372036854775808"})
        self.assertEqual(case["$double"], {"$numberDouble": "-Infinity"})
        self.assertEqual(float(case[""]["$numberDouble"]), 5e-324)
        self.assertEqual(case["binary"], {"$binary": {"base64": "AAH/", "subType": "80"}})
        raw = (folder / "cases/find-1-0.json").read_text("utf-8")
        for wanted in ("9223372036854775807", "-9223372036854775808"):
            self.assertIn(wanted, raw)

    def test_invalid_utf8(self):
        finding = self.finding("find-1-1")
        raw = finding["case"]["s"]["$raw"]
        self.assertEqual(raw["type"], "02")
        self.assertEqual(base64.b64decode(raw["base64"], validate=True), b"\x03\0\0\0\xff\xfe\0")
        self.assertEqual(list(finding["observed"]["error"]), ["$raw"])
        self.assertEqual(finding["expected"], {"hash": "-1"})
        self.assertIn("invalid UTF-8 \ufffd\ufffd\ufffd and \"quotes\" and \x01", finding["rule"])

    def test_long_texts_are_cut(self):
        finding = self.finding("find-1-2")
        self.assertLess(len(finding["rule"].encode()), 4200)
        self.assertRegex(finding["rule"], r"^€+… \([0-9]+ bytes cut\)$")
        cut = finding["observed"]["cut"]
        self.assertGreater(cut["bytes"], 3000000)
        self.assertTrue(cut["start"].startswith('{"message": "€€'))

    def test_a_case_that_is_cut_is_whole_in_its_file(self):
        finding = self.finding("find-18446744073709551615-4294967295")
        self.assertEqual(list(finding["case"]), ["cut"])
        case = json.loads((folder / finding["case_file"]).read_text("utf-8"))
        self.assertEqual(case["s"], "€" * 1000000)

    def test_deep_documents(self):
        depth, inner = 0, self.finding("find-1-2")["case"]
        while inner:
            depth, inner = depth + 1, inner["a"]
        self.assertEqual(depth, 98)
        self.assertEqual(list(self.finding("find-1-3")["case"]), ["bson"])

    def test_the_same_whatever_came_first(self):
        for shuffle in (2, 3):
            with tempfile.TemporaryDirectory() as base:
                other_folder = write_sample(base, shuffle)
                other = read_json(other_folder / "report.json")
                for changing in ("started", "seconds"):
                    other[changing] = report[changing]
                self.assertEqual(other, report)
                for path in (folder / "cases").iterdir():
                    self.assertEqual((other_folder / "cases" / path.name).read_bytes(), path.read_bytes())


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = dict(
            report,
            groups=[report["groups"][0], report["groups"][-1]],
            findings=report["findings"][:2],
            infrastructure=report["infrastructure"][:2],
        )

    def refused(self, change, what):
        broken = copy.deepcopy(self.report)
        change(broken)
        self.assertFalse(validator.is_valid(broken), what)

    def objects(self, value, path=()):
        """The paths of all objects whose form the schema fixes."""
        if isinstance(value, dict):
            yield path
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            if key not in ("case", "expected", "observed", "findings_dropped", "infrastructure_dropped", "kinds"):
                yield from self.objects(inner, path + (key,))

    @staticmethod
    def at(value, path):
        for key in path:
            value = value[key]
        return value

    def test_the_report_itself_is_fine(self):
        self.assertTrue(validator.is_valid(self.report))

    def test_anything_missing_is_refused(self):
        tried = 0
        for path in self.objects(self.report):
            for key in self.at(self.report, path):
                self.refused(lambda broken: self.at(broken, path).pop(key), path + (key,))
                tried += 1
        self.assertGreater(tried, 100)

    def test_anything_more_is_refused(self):
        for path in self.objects(self.report):
            self.refused(lambda broken: self.at(broken, path).update({"more": 1}), path)

    def test_wrong_values_are_refused(self):
        finding = ("findings", 0)
        for path, value in (
            (("schema_version",), "2"),
            (("seed",), 1),
            (("seed",), "-1"),
            (("seed",), "01"),
            (("started",), "2024-01-01 00:00:00"),
            (("seconds",), -1),
            (("interrupted",), "no"),
            (("counts", "match"), -1),
            (("counts", "mismatch"), 1.5),
            (("counts", "known"), 2**64),
            (("tool", "name"), "other"),
            (("areas", 0, "name"), "../x"),
            (("areas", 0, "note"), 1),
            (("findings_dropped",), {"hash": -1}),
            (("findings_dropped",), {"../x": 1}),
            (("groups", 0, "kind"), "infrastructure"),
            (("groups", 0, "cause"), 1),
            (("groups", 0, "cause"), ""),
            (("groups", 0, "count"), 0),
            (("groups", 0, "example"), "cases/../x.json"),
            (("groups", 0, "replay"), "rm -rf x"),
            (finding + ("kind",), "other"),
            (("infrastructure", 0, "kind"), "model"),
            (finding + ("verdict",), "match"),
            (finding + ("verdict",), "infrastructure"),
            (finding + ("check",), 2**32),
            (finding + ("scene",), "1"),
            (finding + ("case",), "{}"),
            (finding + ("case_file",), "cases/../../x.json"),
            (finding + ("case_file",), "/cases/hash-1-1.json"),
            (finding + ("replay",), "rm -rf x"),
            (("infrastructure", 0, "verdict"), "mismatch"),
        ):

            def change(broken):
                self.at(broken, path[:-1])[path[-1]] = value

            self.refused(change, (path, value))

    def test_every_property_is_described(self):
        def walk(part, path):
            for name, inner in part.get("properties", {}).items():
                described = inner
                if "$ref" in inner:
                    described = schema["definitions"][inner["$ref"].rsplit("/", 1)[1]]
                # A second look at a property only narrows what its definition describes.
                if "allOf" not in part:
                    self.assertIn("description", described, path + (name,))
                walk(inner, path + (name,))
            if "items" in part:
                walk(part["items"], path + ("[]",))
            if part.get("type") == "object":
                self.assertIn("additionalProperties", part, path)

        walk(schema, ())
        for name, definition in schema["definitions"].items():
            walk(definition, (name,))


if __name__ == "__main__":
    unittest.main()
