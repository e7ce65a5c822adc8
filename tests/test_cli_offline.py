"""The command line where no server is needed: test_cli_offline.py SHARDPROOF"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

SHARDPROOF = sys.argv.pop(1)
# Recorded from a real cluster of MongoDB 6.0.27.
SAMPLES = pathlib.Path(__file__).parent / "data" / "ask_samples.jsonl"
HANG_LIMIT = 60


class Command(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def call(self, *words, given=""):
        """Runs in a folder and with a cache of its own, so that a run which starts after all harms nobody."""
        return subprocess.run(
            [SHARDPROOF, *words],
            input=given.encode() if isinstance(given, str) else given,
            capture_output=True,
            cwd=self.folder,
            env=dict(
                os.environ,
                SHARDPROOF_CACHE=str(self.folder / "cache"),
                TMPDIR=str(self.folder),
                # What a killed process left behind can make libmongoc warn on standard error.
                MONGOC_DISABLE_SHM="1",
            ),
            timeout=HANG_LIMIT,
        )

    def check(self, done, status, err=(), out=()):
        told = f"{done.args[1:]}: {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}"
        self.assertEqual(done.returncode, status, told)
        for words, text in ((err, done.stderr.decode()), (out, done.stdout.decode())):
            for word in [words] if isinstance(words, str) else words:
                self.assertIn(word, text, told)


class Usage(Command):
    def refused(self, *words, err):
        done = self.call(*words)
        self.check(done, 2, err)
        self.assertEqual(done.stdout, b"", words)

    def test_wrong_usage(self):
        for words, err in (
            ((), "usage: shardproof COMMAND"),
            (("",), "there is no command ''"),
            (("nonsense",), "there is no command 'nonsense'"),
            (("RUN",), "there is no command 'RUN'"),
            (("--nonsense",), "--nonsense"),
            (("run", "--nonsense"), "--nonsense"),
            (("run", "word"), "Too many arguments"),
            (("run", "--cases", "0"), ("--cases", "'0'")),
            (("run", "--cases", "x"), ("--cases", "'x'")),
            (("run", "--cases", "-1"), ("--cases", "'-1'")),
            (("run", "--cases", ""), ("--cases", "''")),
            (("run", "--cases", "1.5"), ("--cases", "'1.5'")),
            (("run", "--cases", "99999999999999999999"), "--cases"),
            (("run", "--cases"), "cases"),
            (("run", "--time", "-1"), ("--time", "'-1'")),
            (("run", "--time", "0"), ("--time", "'0'")),
            (("run", "--time", "nan"), ("--time", "'nan'")),
            (("run", "--time", "inf"), ("--time", "'inf'")),
            (("run", "--time", "1m"), ("--time", "'1m'")),
            (("run", "--time", "5", "--cases", "5"), ("--time", "--cases")),
            (("run", "--seed", "x"), ("--seed", "'x'")),
            (("run", "--seed", "-1"), ("--seed", "'-1'")),
            (("run", "--seed", "18446744073709551616"), "--seed"),
            (("run", "--jobs", "0"), ("--jobs", "'0'")),
            (("run", "--jobs", "65"), ("--jobs", "'65'")),
            (("run", "--shards", "0"), ("--shards", "'0'")),
            (("run", "--shards", "99"), ("--shards", "'99'")),
            (("run", "--areas", "nonsense"), "'nonsense'"),
            (("run", "--areas", "hash,nonsense"), "'nonsense'"),
            (("run", "--areas", ""), "area ''"),
            (("run", "--areas", "hash,"), "area ''"),
            (("run", "--areas", "hash,order,hash"), ("'hash'", "twice")),
            (("replay",), "case file"),
            (("replay", "--nonsense", "x"), "--nonsense"),
            (("replay", "--shards", "0", "x"), ("--shards", "'0'")),
            (("replay", "--shards", "99", "x"), ("--shards", "'99'")),
            (("replay", "--shards", "x", "x"), ("--shards", "'x'")),
            (("replay", "--model", "9.9", "x"), "9.9"),
            (("replay", "--model", "nonsense", "x"), "'nonsense'"),
            (("draw",), "--area"),
            (("draw", "--area", "nonsense"), "'nonsense'"),
            (("draw", "--area", "hash", "--cases", "0"), ("--cases", "'0'")),
            (("draw", "--area", "hash", "--shards", "99"), ("--shards", "'99'")),
            (("draw", "--area", "hash", "--seed", "-1"), ("--seed", "'-1'")),
            (("draw", "--area", "hash", "word"), "Too many arguments"),
            (("record",), "case file"),
            (("record", "--shards", "0", "x"), ("--shards", "'0'")),
            (("ask", "--server", "9.9"), "9.9"),
            (("ask", "--server", "3.6"), "3.6"),
            (("ask", "--server", "nonsense"), "'nonsense'"),
            (("ask", "--server", ""), "''"),
            (("ask", "--server", "6"), "'6'"),
            (("ask", "--server", "6.0.5.1"), "'6.0.5.1'"),
            (("ask", "--server", "6.0.5x"), "'6.0.5x'"),
            (("ask", "word"), "Too many arguments"),
        ):
            with self.subTest(words):
                self.refused(*words, err=err)

    def test_servers_that_cannot_be(self):
        (self.folder / "text").write_text("no program")
        for name, text in (("other", "#!/bin/sh\necho something else\n"), ("fails", "#!/bin/sh\nexit 7\n")):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o700)
        for command in (("run", "--cases", "1"), ("replay", "x")):
            for server, err in (
                ("/no/such/mongod", ("/no/such/mongod", "No such file")),
                ("3.2.1", ("3.2.1", "6.0.5")),
                (str(self.folder), str(self.folder)),
                (str(self.folder / "text"), "text"),
                (str(self.folder / "other"), "is no mongod"),
                (str(self.folder / "fails"), "does not run as a mongod"),
                ("mongodb://", "mongodb://"),
                ("mongodb://a,b/", "exactly one server"),
            ):
                with self.subTest((command, server)):
                    done = self.call(*command, "--server", server)
                    self.assertIn(done.returncode, (2, 3))
                    self.check(done, done.returncode, err)

    def test_a_report_that_cannot_be_written_is_known_at_once(self):
        (self.folder / "file").write_text("")
        done = self.call("run", "--report", "file/report")
        self.check(done, 3, ("file", "folder"))
        self.assertFalse((self.folder / "cache").exists(), "no server may have been looked for")

    def test_a_password_is_never_shown(self):
        done = self.call("run", "--cases", "1", "--server", "mongodb://user:s3cret@127.0.0.1:1/")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertNotIn(b"s3cret", done.stderr + done.stdout)

    def test_nobody_listens(self):
        self.check(self.call("replay", "x", "--server", "mongodb://127.0.0.1:1/"), 3, "127.0.0.1:1")

    def test_help(self):
        for words, out in (
            (("--help",), "usage: shardproof COMMAND"),
            (("help",), "usage: shardproof COMMAND"),
            (("run", "--help"), ("--server", "--areas", "--seed", "--cases", "--time", "--jobs", "--report")),
            (("draw", "--help"), ("--area", "--seed")),
            (("record", "--help"), ("PATH", "--server")),
            (("replay", "--help"), ("PATH", "--server", "--model")),
            (("ask", "--help"), "--server"),
            (("server", "--help"), "install"),
        ):
            with self.subTest(words):
                done = self.call(*words)
                self.check(done, 0, out=out)
                self.assertEqual(done.stderr, b"")

    def test_help_names_every_area(self):
        done = self.call("run", "--areas", "nonsense")
        self.check(done, 2, "--help")
        text = self.call("run", "--help").stdout.decode()
        for area in ("hash", "order", "route"):
            self.assertIn(area, text)

    def test_version(self):
        done = self.call("--version")
        self.check(done, 0)
        self.assertRegex(done.stdout.decode(), r"\Ashardproof [0-9]+\.[0-9]+\.[0-9]+\n\Z")


class Draw(Command):
    def test_the_seed_makes_the_cases(self):
        for area in ("hash", "order", "route"):
            words = ("draw", "--area", area, "--cases", "5")
            one, again = self.call(*words, "--seed", "1"), self.call(*words, "--seed", "1")
            other = self.call(*words, "--seed", "2")
            self.check(one, 0)
            self.assertEqual(one.stdout, again.stdout)
            self.assertNotEqual(one.stdout, other.stdout)
            cases = [json.loads(line) for line in one.stdout.decode().splitlines()]
            self.assertEqual([case["area"] for case in cases], [area] * 5)
            # What is drawn can be read: five scenes, none with an answer on record.
            (self.folder / "drawn.jsonl").write_bytes(one.stdout)
            self.check(self.call("replay", "drawn.jsonl"), 0, out="not checked: 5")


def hash_line(value):
    return json.dumps({"op": "hash", "value": value})


LAYOUT = {
    "layout": 1,
    "key": {"x": 1},
    "chunks": [[{"x": {"$minKey": 1}}, {"x": 0}, "s1"], [{"x": 0}, {"x": {"$maxKey": 1}}, "s2"]],
}


def insert_line(layout, **doc):
    return json.dumps({"op": "insert", "layout": layout, "doc": doc})


class Ask(Command):
    def ask(self, lines, status=0, words=()):
        done = self.call("ask", *words, given="".join(line + "\n" for line in lines))
        self.check(done, status)
        return [json.loads(line) for line in done.stdout.decode().splitlines()], done.stderr.decode()

    def unreadable(self, answer, *words):
        self.assertEqual(list(answer), ["error"])
        self.assertIsNone(answer["error"]["code"])
        for word in words:
            self.assertIn(word, answer["error"]["message"])

    def test_samples(self):
        lines = SAMPLES.read_text("utf-8").splitlines()
        recorded = [line for line in map(json.loads, lines) if "op" in line]
        self.assertGreater(len(recorded), 60)
        answers, err = self.ask(lines, words=("--server", "6.0.27"))
        self.assertEqual(err, "")
        self.assertEqual(len(answers), len(recorded))
        for line, answer in zip(recorded, answers):
            if "error" in line:
                self.assertEqual(answer["error"]["code"], line["error"]["code"], line)
            else:
                name = "hash" if line["op"] == "hash" else "shards"
                self.assertEqual(answer, {name: line[name]}, line)

    def test_answers_come_in_order(self):
        # 1 and 1.0 and NumberLong(1) are one value to a hash; the rest differ.
        values = [1, {"$numberLong": "1"}, {"$numberDouble": "1.0"}, "a", None, {"$minKey": 1}]
        alone = [self.ask([hash_line(value)])[0][0] for value in values]
        self.assertEqual(len({answer["hash"] for answer in alone}), 4)
        together, _ = self.ask([hash_line(value) for value in values * 50])
        self.assertEqual(together, alone * 50)
        self.assertEqual(alone[0], {"hash": "5902408780260971510"})

    def test_an_answer_comes_before_the_next_question(self):
        asking = subprocess.Popen([SHARDPROOF, "ask"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with asking:
            # Ends what would else wait for ever.
            watchdog = threading.Timer(HANG_LIMIT, asking.kill)
            watchdog.start()
            for value in (1, 2, 3):
                asking.stdin.write(hash_line(value).encode() + b"\n")
                asking.stdin.flush()
                self.assertIn(b"hash", asking.stdout.readline())
            asking.stdin.close()
            self.assertEqual(asking.wait(), 0)
            watchdog.cancel()

    def test_garbage_is_answered_and_the_rest_too(self):
        good = hash_line(1)
        for garbage, word in (
            ("garbage", "standard input:2"),
            ("{", "standard input:2"),
            ("[]", "standard input:2"),
            ('{"op": "hash"}', "'value'"),
            ('{"op": "nonsense"}', "'nonsense'"),
            ('{"op": ""}', "''"),
            ('{"op": 1}', "'op'"),
            ('{"op": null}', "'op'"),
            ('{"op": "insert", "doc": {}}', "'layout'"),
            ('{"op": "insert", "layout": "1", "doc": {}}', "'layout'"),
            ('{"op": "insert", "layout": 7, "doc": {}}', "no layout 7"),
            ('{"op": "hash", "value": {"$numberInt": "x"}}', "standard input:2"),
            ('{"op": "' + "é" * 400 + '"}', "é"),
            ('{"op": "x' + "é" * 400 + '"}', "é"),
        ):
            with self.subTest(garbage):
                answers, err = self.ask([good, garbage, good], 2)
                self.assertEqual(len(answers), 3)
                self.assertEqual(answers[0], answers[2])
                self.assertIn("hash", answers[0])
                self.unreadable(answers[1], word, "standard input:2")
                self.assertEqual(err, "")

    def test_bytes_that_are_no_text(self):
        done = self.call("ask", given=b'\xff\xfe\n{"op": "\xc3"}\n\0\n' + hash_line(1).encode())
        self.check(done, 2)
        answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertEqual(len(answers), 4)
        for answer in answers[:3]:
            self.unreadable(answer)
        self.assertIn("hash", answers[3])

    def test_a_wrong_layout_line(self):
        good = json.dumps(LAYOUT)
        for wrong, word in (
            ({**LAYOUT, "layout": 2, "chunks": LAYOUT["chunks"][:1]}, ""),
            ({**LAYOUT, "layout": 2, "chunks": []}, ""),
            ({**LAYOUT, "layout": 2, "chunks": 1}, "'chunks'"),
            ({**LAYOUT, "layout": 2, "key": {}}, "pattern"),
            ({**LAYOUT, "layout": 2, "key": 1}, "'key'"),
            ({"layout": 2}, "'key'"),
            ({**LAYOUT, "layout": "2"}, "'layout'"),
            ({"key": {"x": 1}}, "'layout'"),
            ({}, "'layout'"),
        ):
            with self.subTest(wrong):
                lines = [good, json.dumps(wrong), insert_line(2, x=1), insert_line(1, x=1), hash_line(1)]
                answers, err = self.ask(lines, 2)
                self.assertIn("standard input:2: ", err)
                self.assertIn(word, err)
                self.assertEqual(len(answers), 3)
                self.unreadable(answers[0], "standard input:3", "layout 2")
                self.assertEqual(answers[1], {"shards": ["s2"]})
                self.assertIn("hash", answers[2])

    def test_the_later_layout_counts(self):
        other = {**LAYOUT, "chunks": [[{"x": {"$minKey": 1}}, {"x": {"$maxKey": 1}}, "s9"]]}
        lines = [json.dumps(LAYOUT), insert_line(1, x=-1), json.dumps(other), insert_line(1, x=-1)]
        answers, _ = self.ask(lines)
        self.assertEqual(answers, [{"shards": ["s1"]}, {"shards": ["s9"]}])

    def test_many_layouts(self):
        lines = [json.dumps({**LAYOUT, "layout": number}) for number in range(200)]
        answers, _ = self.ask(lines + [insert_line(number, x=number - 100) for number in range(200)])
        self.assertEqual(answers, [{"shards": ["s1"]}] * 100 + [{"shards": ["s2"]}] * 100)

    def test_versions_differ(self):
        lines = [json.dumps(LAYOUT), insert_line(1, x={"$maxKey": 1})]
        new, _ = self.ask(lines, words=("--server", "6.0.27"))
        old, _ = self.ask(lines, words=("--server", "6.0.5"))
        self.assertEqual(new, [{"shards": ["s2"]}])
        self.assertEqual(old[0]["error"]["code"], 61)
        self.assertEqual(self.ask(lines)[0], new)

    def test_nothing_asked(self):
        for given in ("", "\n\n", json.dumps(LAYOUT) + "\n"):
            done = self.call("ask", given=given)
            self.check(done, 0)
            self.assertEqual(done.stdout + done.stderr, b"")

    def test_an_op_is_compared_whole(self):
        answers, _ = self.ask(['{"op": "hash\\u0000x", "value": 1}'], status=2)
        self.unreadable(answers[0], "there is no op")

    def test_an_endless_line_is_refused_and_the_rest_answered(self):
        done = self.call("ask", given=b"a" * (65 << 20) + b"\n" + hash_line(1).encode() + b"\n")
        first, second = map(json.loads, done.stdout.splitlines())
        self.unreadable(first, "standard input:1", "64 MiB")
        self.assertEqual(second, {"hash": "5902408780260971510"})

    def test_a_line_of_a_megabyte(self):
        answers, _ = self.ask([hash_line("x" * 1000000), hash_line(1)])
        self.assertEqual(len(answers), 2)
        self.assertEqual(answers[1], {"hash": "5902408780260971510"})
        answers, _ = self.ask(["x" * 1000000, hash_line(1)], 2)
        self.unreadable(answers[0])
        self.assertIn("hash", answers[1])

    def test_nobody_reads_the_answers(self):
        """Like `| head -1`: it may end by the signal, but it must end."""
        reader, writer = os.pipe()
        with tempfile.TemporaryFile() as questions:
            questions.write((hash_line(1) + "\n").encode() * 100000)
            questions.seek(0)
            asking = subprocess.Popen([SHARDPROOF, "ask"], stdin=questions, stdout=writer, stderr=subprocess.DEVNULL)
        self.addCleanup(asking.kill)
        os.close(writer)
        self.assertIn(b"hash", os.read(reader, 100))
        os.close(reader)
        self.assertIn(asking.wait(HANG_LIMIT), (-signal.SIGPIPE, 3))

    def test_answers_that_are_lost(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [SHARDPROOF, "ask"],
                input=hash_line(1).encode() + b"\n",
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=HANG_LIMIT,
            )
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"standard output", done.stderr)

    def test_questions_that_cannot_be_read(self):
        folder = os.open(self.folder, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        done = subprocess.run([SHARDPROOF, "ask"], stdin=folder, capture_output=True, timeout=HANG_LIMIT)
        self.assertEqual(done.returncode, 2)
        self.unreadable(json.loads(done.stdout), "standard input: it cannot be read")


def case(area, answers=None, **fields):
    document = {"area": area, **fields}
    if answers is not None:
        document["answers"] = answers
    return json.dumps(document)


ONE = "5902408780260971510"  # the hash of 1
HASH = case("hash", [{"hash": ONE}], value=1)
ORDER = case("order", [{"order": -1}], values=[1, 2])
ROUTE_FIELDS = {"key": LAYOUT["key"], "chunks": LAYOUT["chunks"], "docs": [{"x": -1}, {"x": 1}, {"x": [1]}]}
ROUTE_ANSWERS = [{"shards": ["s1"]}, {"shards": ["s2"]}, {"error": {"code": 61}}]
ROUTE = case("route", ROUTE_ANSWERS, **ROUTE_FIELDS)


class Replay(Command):
    def file(self, name, *lines):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in lines))
        return name

    def replay(self, *words, status, out=(), err=()):
        done = self.call("replay", *words)
        self.check(done, status, err, out)
        return done

    def test_right_answers(self):
        name = self.file("good.jsonl", HASH, "", ORDER, ROUTE)
        done = self.replay(name, status=0, out=("match: 5", "5 answers checked, 0 differ, 0 lines"))
        self.assertEqual(done.stderr, b"")

    def test_wrong_answers_are_shown(self):
        for line, shown in (
            (case("hash", [{"hash": "1"}], value=1), ("mismatch", "1", ONE)),
            (case("order", [{"order": 1}], values=[1, 2]), ("mismatch", '{"order":-1}', '{"order":1}')),
            (case("hash", [{"error": {"code": 2}}], value=1), ("unexpected-error", ONE, '"code":2')),
            (
                case("route", ROUTE_ANSWERS[:2] + [{"shards": ["s2"]}], **ROUTE_FIELDS),
                ("route question 2: missing-error", '"code":61', '{"shards":["s2"]}'),
            ),
            (
                case("route", [{"shards": ["s1", "s2"]}] + ROUTE_ANSWERS[1:], **ROUTE_FIELDS),
                ("route question 0: mismatch", '{"shards":["s1"]}', '{"shards":["s1","s2"]}'),
            ),
            (
                case("route", ROUTE_ANSWERS[:2] + [{"error": {"code": 2}}], **ROUTE_FIELDS),
                ("route question 2: mismatch", '"code":61', '"code":2'),
            ),
        ):
            with self.subTest(line):
                name = self.file("wrong.jsonl", HASH, line, ORDER)
                done = self.replay(name, status=1, out=("wrong.jsonl:2: ", "expected:", "observed:", "1 differ"))
                self.check(done, 1, out=shown)

    def test_a_file_cut_in_half(self):
        name = self.file("cut.jsonl", HASH, ORDER)
        path = self.folder / name
        path.write_text(path.read_text()[: len(HASH) + 1 + len(ORDER) // 2])
        other = self.file("other.jsonl", ROUTE)
        self.replay(name, other, status=2, err=("cut.jsonl:2", "cut?"), out="4 answers checked, 0 differ, 1 lines")

    def test_cut_and_wrong_is_still_shown(self):
        name = self.file("cut.jsonl", case("hash", [{"hash": "1"}], value=1), "{")
        self.replay(name, status=2, err="cut.jsonl:2", out=("mismatch: 1", "cut.jsonl:1"))

    def test_broken_cases_hide_no_other(self):
        for broken, words in (
            ("nonsense", "line 1"),
            ("{}", "'area'"),
            ('{"value": 1}', "'area'"),
            ('{"area": 1, "value": 1}', "'area'"),
            (case("nonsense", value=1), "'nonsense'"),
            (case("", value=1), "''"),
            (case("hash"), "'value'"),
            (case("order", values=[1]), "'values'"),
            (case("route", key={"x": 1}), "'chunks'"),
            (case("route", key={}, chunks=LAYOUT["chunks"], docs=[]), "pattern"),
            (case("hash", [], value=1).replace("[]", "1"), "'answers'"),
            (case("hash", [1], value=1), "answers[0]"),
            (case("hash", [{"hash": ONE}] * 2, value=1), "2 answers are on record for 1 questions"),
            (case("route", ROUTE_ANSWERS[:2], **ROUTE_FIELDS), "2 answers are on record for 3"),
        ):
            with self.subTest(broken):
                name = self.file("some.jsonl", HASH, broken, ORDER)
                self.replay(name, status=2, err=("some.jsonl:2", words), out="2 answers checked, 0 differ, 1 lines")

    def test_no_recorded_answer(self):
        name = self.file("bare.jsonl", case("hash", value=1), case("hash", [], value=1), ORDER)
        self.replay(name, status=0, out=("not checked: 2", "1 answers checked"))

    def test_folders(self):
        self.file("c/a.jsonl", HASH)
        self.file("c/deep/b.json", ORDER)
        self.file("c/README", "not a case")
        self.replay("c", status=0, out="2 answers checked")
        self.file("c/deep/c.json", case("hash", [{"hash": "1"}], value=1))
        self.replay("c", status=1, out="c/deep/c.json:1: ")

    def test_nothing_to_check(self):
        (self.folder / "empty").mkdir()
        (self.folder / "blank.jsonl").write_text("\n\n")
        (self.folder / "dangling").symlink_to("nowhere")
        self.file("good.jsonl", HASH)
        for path in ("empty", "blank.jsonl", "missing.jsonl", "dangling", ""):
            with self.subTest(path):
                self.replay("good.jsonl", path, status=2, err=path, out=("1 answers checked", "1 lines or files"))

    def test_standard_input(self):
        done = self.call("replay", "/dev/stdin", given=case("hash", [{"hash": "1"}], value=1))
        self.check(done, 1, out="/dev/stdin:1")

    def test_the_models_version(self):
        fields = {"key": LAYOUT["key"], "chunks": LAYOUT["chunks"], "docs": [{"x": {"$maxKey": 1}}]}
        name = self.file("max.jsonl", case("route", [{"shards": ["s2"]}], **fields))
        self.replay(name, status=0)
        self.replay(name, "--model", "6.0.5", status=1, out='"code":61')

    def test_a_huge_case(self):
        name = self.file("huge.jsonl", case("hash", value="x" * 5000000), HASH)
        self.replay(name, status=0, out="1 answers checked")


if __name__ == "__main__":
    unittest.main()
