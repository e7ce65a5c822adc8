"""shardproof explain as its users see it: test_cli_explain.py SHARDPROOF"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARDPROOF = sys.argv.pop(1)
HANG_LIMIT = 60
# Else the driver warns where a process that was killed has left its counters under our number.
ENVIRONMENT = dict(os.environ, MONGOC_DISABLE_SHM="1")
MIN, MAX = {"$minKey": 1}, {"$maxKey": 1}

# Bounds in key order, and the shards that own what lies between.
SPLITS = [({"x": MIN}, {"x": 0}, "s1"), ({"x": 0}, {"x": 10}, "s2"), ({"x": 10}, {"x": MAX}, "s3")]
LAYOUT = {"key": {"x": 1}, "chunks": [list(chunk) for chunk in SPLITS]}
COMPOUND = {
    "key": {"x": 1, "y": 1},
    "chunks": [
        [{"x": MIN, "y": MIN}, {"x": 5, "y": 5}, "s2"],
        [{"x": 5, "y": 5}, {"x": "m", "y": MIN}, "s1"],
        [{"x": "m", "y": MIN}, {"x": MAX, "y": MAX}, "s3"],
    ],
}
HASHED = {
    "key": {"x": "hashed"},
    "chunks": [[{"x": MIN}, {"x": {"$numberLong": "0"}}, "s1"], [{"x": {"$numberLong": "0"}}, {"x": MAX}, "s2"]],
}
FIELDS = [
    "op", "server", "key", "filter", "collation", "defaultCollation", "replacement", "allChunks", "allOwners",
    "simple", "fixedKey", "bounds", "ranges", "chunks", "shards", "reach", "decision", "why", "answer",
]  # fmt: skip


def exported(uuid="AAAAAAAAAAAAAAAAAAAAAA==", **more):
    """The chunks as mongoexport writes them."""
    return [
        {
            "_id": {"$oid": f"{number:024x}"},
            "uuid": {"$binary": {"base64": uuid, "subType": "04"}},
            "min": low,
            "max": high,
            "shard": shard,
            "lastmod": {"$timestamp": {"t": 1, "i": number}},
            "history": [{"validAfter": {"$timestamp": {"t": 1, "i": 1}}, "shard": shard}],
            **more,
        }
        for number, (low, high, shard) in enumerate(SPLITS)
    ]


def lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


class Command(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def file(self, content, name="chunks.json"):
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    def call(self, *words, command="explain", given=""):
        return subprocess.run(
            [SHARDPROOF, command, *words],
            input=given.encode(),
            capture_output=True,
            cwd=self.folder,
            env=ENVIRONMENT,
            timeout=HANG_LIMIT,
        )

    def explain(self, layout, query, *words):
        done = self.call("--chunks", self.file(layout), "--json", json.dumps(query), *words)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(done.stdout.count(b"\n"), 1)
        return json.loads(done.stdout)

    def refused(self, *words, err, status=2):
        done = self.call(*words)
        told = f"{words}: {done.returncode}\n{done.stderr.decode()}"
        self.assertEqual(done.returncode, status, told)
        self.assertEqual(done.stdout, b"", told)
        for word in [err] if isinstance(err, str) else err:
            self.assertIn(word, done.stderr.decode(), told)


class Words(Command):
    def test_for_people(self):
        done = self.call("--chunks", self.file(LAYOUT), '{"x": {"$gte": 5}}')
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        for words in (
            "{x: 1}, chunks: 3",
            '{ "x" : { "$gte" : 5 } }',
            "  x: from 5 (in) to the end of the numbers\n",
            "  from {x: 5} to {x: Infinity} (in)\n",
            "Chunks hit: 2 of 3",
            "  s3: from {x: 10} to {x: MaxKey} (out)\n",
            "partial: 2 of 3",
            "goes to s2, s3",
        ):
            self.assertIn(words, done.stdout.decode())

    def test_help(self):
        done = self.call("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--key", "--chunks", "--op", "--collation", "--default-collation", "--shards", "--server", "--json"):
            self.assertIn(option, done.stdout.decode())
        self.assertIn(b"explain", self.call(command="--help").stdout)

    def test_nowhere_to_write(self):
        name = self.file(LAYOUT)
        for more in ([], ["--json"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [SHARDPROOF, "explain", "--chunks", name, "{}", *more],
                    cwd=self.folder, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, timeout=HANG_LIMIT,
                )  # fmt: skip
            self.assertEqual(done.returncode, 3)
            self.assertIn(b"could not be written", done.stderr)


class Documents(Command):
    def test_fields(self):
        told = self.explain(COMPOUND, {"x": {"$in": [1, "z"]}, "y": None})
        self.assertEqual(list(told), FIELDS)
        self.assertEqual(told["key"], {"x": {"$numberInt": "1"}, "y": {"$numberInt": "1"}})
        self.assertEqual(told["filter"], {"x": {"$in": [{"$numberInt": "1"}, "z"]}, "y": None})
        self.assertEqual((told["op"], told["server"], told["simple"]), ("find", "6.0.27", True))
        self.assertEqual((told["allChunks"], told["allOwners"]), (3, 3))
        self.assertIsNone(told["fixedKey"])
        one = {"$numberInt": "1"}
        self.assertEqual(
            told["bounds"][0],
            {
                "field": "x",
                "hashed": False,
                "bounded": True,
                "why": None,
                "intervals": {
                    "count": 2,
                    "shown": [
                        {"min": one, "minIn": True, "max": one, "maxIn": True},
                        {"min": "z", "minIn": True, "max": "z", "maxIn": True},
                    ],
                },
            },
        )
        self.assertEqual(told["ranges"]["count"], 2)
        self.assertEqual(told["ranges"]["shown"][0]["max"], {"x": one, "y": None})
        self.assertEqual([chunk["shard"] for chunk in told["chunks"]["shown"]], ["s2", "s3"])
        self.assertEqual(told["chunks"]["shown"][0]["min"], {"x": MIN, "y": MIN})
        self.assertEqual((told["reach"], told["decision"]), ("partial", "bounds"))
        self.assertEqual(told["answer"], {"shards": told["shards"]})

    def test_a_fixed_key(self):
        told = self.explain(HASHED, {"x": 5})
        value, hashed = {"x": {"$numberInt": "5"}}, {"x": {"$numberLong": "4470791281878691347"}}
        self.assertEqual(told["fixedKey"], {"value": value, "inChunks": hashed, "used": True})
        self.assertEqual((told["bounds"], told["ranges"], told["chunks"]["count"]), (None, None, 1))
        self.assertEqual((told["shards"], told["reach"], told["decision"]), (["s2"], "targeted", "whole-key"))

    def test_a_refused_query(self):
        told = self.explain(LAYOUT, {"x": {"$nonsense": 1}})
        self.assertEqual(list(told), FIELDS)
        self.assertEqual((told["reach"], told["decision"], told["shards"]), ("refused", "refused", []))
        self.assertEqual(told["answer"]["error"]["code"], 2)
        for field in ("simple", "fixedKey", "bounds", "ranges", "chunks"):
            self.assertIsNone(told[field])

    def test_collations(self):
        for words, simple, reach in (
            ((), True, "targeted"),
            (("--collation", '{"locale": "fr"}'), False, "broadcast"),
            (("--default-collation", '{"locale": "fr"}'), False, "broadcast"),
            (("--default-collation", '{"locale": "fr"}', "--collation", '{"locale": "simple"}'), True, "targeted"),
            (("--default-collation", "{}"), True, "targeted"),
        ):
            with self.subTest(words):
                told = self.explain(LAYOUT, {"x": "a"}, *words)
                self.assertEqual((told["simple"], told["reach"]), (simple, reach))
                self.assertEqual("collation" in told["why"], not simple)

    def test_the_option_counts_more_than_the_files_collation(self):
        layout = {**LAYOUT, "collation": {"locale": "fr"}}
        self.assertFalse(self.explain(layout, {"x": "a"})["simple"])
        self.assertTrue(self.explain(layout, {"x": "a"}, "--default-collation", '{"locale": "simple"}')["simple"])

    def test_versions(self):
        for server, shards, decision in (("6.0.5", ["s1"], "max-key"), ("6.0.27", ["s3"], "whole-key")):
            told = self.explain(LAYOUT, {"x": MAX}, "--server", server)
            self.assertEqual((told["shards"], told["decision"], told["server"]), (shards, decision, server))

    def test_writes(self):
        for op, query, more, answer in (
            ("aggregate", {"x": 10}, (), ["s3"]),
            ("updateOne", {"x": 10}, (), ["s3"]),
            ("updateOne", {"x": {"$gt": 5}}, (), 72),
            ("deleteOne", {"x": {"$gt": 5}}, (), 61),
            ("upsert", {"x": {"$gt": 50}}, (), 61),
            ("deleteMany", {"x": {"$gt": 5}}, (), ["s1", "s2", "s3"]),
            ("updateMany", {"x": {"$gt": 5}}, ("--shards", "4"), ["s1", "s2", "s3", "s4"]),
            ("replaceOne", {"y": 1}, ("--replacement", '{"x": 5}'), ["s2"]),
        ):
            with self.subTest((op, query)):
                told = self.explain(LAYOUT, query, "--op", op, *more)
                if isinstance(answer, int):
                    self.assertEqual(told["answer"]["error"]["code"], answer)
                else:
                    self.assertEqual(told["answer"], {"shards": answer})

    def test_the_shards_are_those_that_ask_answers(self):
        queries = [
            {}, {"x": 5}, {"x": {"$gt": 5}}, {"x": {"$lt": 0}}, {"x": {"$in": [1, 20]}}, {"x": "a"}, {"x": None}, {"y": 1},
            {"x": {"$exists": True}}, {"$or": [{"x": 1}, {"x": 11}]}, {"x": 1, "$and": [{"x": 2}]}, {"x": {"$in": []}},
            {"x": {"$ne": 3}}, {"x": {"$type": "number"}, "y": 6}, {"x": 5, "y": 5}, {"x": {"$gte": "a"}}, {"x": [1]},
            {"x": {"$regularExpression": {"pattern": "^a", "options": ""}}}, {"x": {"$foo": 1}}, {"x": MAX}, {"x": MIN},
        ]  # fmt: skip
        operations = ["find", "updateOne", "updateMany", "upsert", "deleteOne", "deleteMany"]
        layouts = [LAYOUT, COMPOUND, HASHED, {**LAYOUT, "collation": {"locale": "fr"}}]
        asked = [{"layout": number, "shards": 5, **layout} for number, layout in enumerate(layouts)]
        count = 0
        for number, layout in enumerate(layouts):
            for query in queries:
                op = operations[count % len(operations)]
                count += 1
                told = self.explain(layout, query, "--shards", "5", "--op", op)
                questions = [{"op": name, "layout": number, "filter": query} for name in ("find", op)]
                done = self.call(command="ask", given=lines([asked[number], *questions]))
                self.assertEqual(done.returncode, 0, done.stderr)
                read, answer = map(json.loads, done.stdout.splitlines())
                self.assertEqual(told["shards"], read.get("shards", []), (layout, query))
                self.assertEqual(told["answer"], answer, (layout, query, op))


class Files(Command):
    def shards(self, content, *words):
        return self.explain(content, {"x": {"$gte": 5}}, *words)["shards"]

    def test_forms(self):
        key = ("--key", '{"x": 1}')
        chunks = [{"min": low, "max": high, "shard": shard} for low, high, shard in SPLITS]
        for content, words in (
            (LAYOUT, ()),
            (LAYOUT, key),
            (json.dumps(LAYOUT, indent=1), ()),
            ("\n\n  " + json.dumps(LAYOUT) + "\n\n", ()),
            ({"layout": 3, **LAYOUT, "collation": None}, ()),
            ({"area": "find", **LAYOUT, "shards": 3, "queries": []}, ()),
            ({"chunks": LAYOUT["chunks"]}, key),
            (LAYOUT["chunks"], key),
            (json.dumps(LAYOUT["chunks"], indent=1), key),
            (chunks, key),
            ({"chunks": chunks, "key": {"x": 1}}, ()),
            (lines(chunks), key),
            (lines(reversed(chunks)), key),
            (lines(exported()), key),
            (lines(exported()).replace("\n", "\r\n"), key),
            (json.dumps(exported()), key),
            (lines(exported(ns="db.c")), key),
        ):
            with self.subTest(content):
                self.assertEqual(sorted(self.shards(content, *words)), ["s2", "s3"])

    def test_one_chunk_over_several_lines(self):
        chunk = {"min": {"x": MIN}, "max": {"x": MAX}, "shard": "s1"}
        self.assertEqual(self.shards(json.dumps(chunk, indent=1), "--key", '{"x": 1}'), ["s1"])

    def test_a_pipe(self):
        done = self.call("--chunks", "/dev/stdin", "--json", "{}", given=json.dumps(LAYOUT))
        self.assertEqual(json.loads(done.stdout)["shards"], ["s1", "s2", "s3"])

    def wrong(self, content, *words, err):
        self.refused("--chunks", self.file(content), *words, "{}", err=err)

    def test_wrong_files(self):
        chunk = exported()[0]
        for content, words in (
            ("", ("chunks.json: ", "nothing in it")),
            (" \n\n", "nothing in it"),
            ("garbage", ("chunks.json: line 1, column 1",)),
            (b"\0\0", "chunks.json: "),
            (b"\xff\xfe{", "chunks.json: "),
            ("5", "chunks.json: "),
            ("{", "chunks.json: line 1"),
            ('{\n"key": {"x": 1},\n"chunks": [oops]\n}', "chunks.json: line 3, column 12"),
            ("{}", ("no layout", "'chunks'")),
            ('{"key": {"x": 1}}', ("no layout", "'chunks'")),
            ("[]", "at least one chunk"),
            ("[1]", ("chunk 0", "[min, max")),
            ("[[]]", ("chunk 0", "[min, max")),
            ('[\n[{"x": 1}, {"x": oops}]]', "chunks.json: line 2, column 18"),
            ("[", "chunks.json: line 1"),
            ('[], "key": {"x": 1}', "nothing may follow"),
            ("[] []", "chunks.json: line 1"),
            ({**LAYOUT, "chunks": 1}, "'chunks' must be an array"),
            ({**LAYOUT, "chunks": LAYOUT["chunks"][1:]}, "begin at MinKey"),
            ({**LAYOUT, "chunks": LAYOUT["chunks"][::2]}, "no chunk begins at"),
            ({**LAYOUT, "chunks": LAYOUT["chunks"] * 2}, "overlap"),
            ({**LAYOUT, "chunks": [[{"y": MIN}, {"y": MAX}, "s1"]]}, ("chunk 0", "'y'")),
            ({**LAYOUT, "collation": 1}, "'collation'"),
            ({**LAYOUT, "shards": 0}, "'shards'"),
            (lines([LAYOUT, LAYOUT]), ("chunks.json:2: ", "a layout stands before", "sed -n 1p")),
            (lines([LAYOUT, {"op": "find"}]), "chunks.json:2: "),
            (lines(exported()) + "{", ("chunks.json:4 (the last line", "cut?")),
            (lines(exported()) + "{}\n", ("chunks.json:4: ", "no chunk")),
            (lines([chunk, {**chunk, "min": 1}]), ("chunks.json:2: ", "'min'")),
            (lines([chunk, {**chunk, "shard": 1}]), ("chunks.json:2: ", "'shard'")),
            (lines([chunk, {**chunk, "max": {"y": 1}}]), ("chunks.json:2: ", "'y'")),
            (lines(exported() + exported("AQAAAAAAAAAAAAAAAAAAAA==")), ("chunks.json:4: ", "another collection", "uuid")),
            (json.dumps([{"min": {"x": MIN}}]), ("chunk 0", "'shard'")),
        ):
            with self.subTest(content):
                self.wrong(content, "--key", '{"x": 1}', err=words)

    def test_files_that_cannot_be_read(self):
        self.refused("--chunks", "missing", "{}", err=("missing: it cannot be read", "No such file"))
        self.refused("--chunks", "", "{}", err="cannot be read")
        (self.folder / "folder").mkdir()
        self.refused("--chunks", "folder", "{}", err=("folder: ", "directory"))

    def test_the_key(self):
        self.wrong(LAYOUT["chunks"], err=("chunks.json", "--key"))
        self.wrong(lines(exported()), err=("chunks.json", "--key"))
        self.wrong({**LAYOUT, "key": 1}, err="'key'")
        self.wrong({**LAYOUT, "key": {}}, err="empty")
        self.wrong(LAYOUT, "--key", '{"y": 1}', err=("another than --key", "leave --key out"))
        self.wrong(LAYOUT, "--key", '{"x": "hashed"}', err="another than --key")
        self.wrong(LAYOUT, "--key", '{"x": -1}', err=("--key", "must be 1"))
        self.wrong(LAYOUT, "--key", "{}", err=("--key", "empty"))

    def test_the_shards(self):
        named = {**LAYOUT, "chunks": [[{"x": MIN}, {"x": MAX}, "rs0"]]}
        self.assertEqual(self.shards(named), ["rs0"])
        self.wrong(named, "--shards", "3", err="shards other than s1 to s3")
        self.wrong(LAYOUT, "--shards", "2", err="shards other than s1 to s2")


class Usage(Command):
    def test_wrong_usage(self):
        name = self.file(LAYOUT)
        for words, err in (
            ((), "which filter"),
            (("{}",), "--chunks"),
            (("--chunks", name), "which filter"),
            (("--chunks", name, "{}", "{}"), ("one filter", "quotes")),
            (("--chunks", name, "{}", "--nonsense"), "--nonsense"),
            (("--chunks", name, "{x: 1}"), ("the filter '{x: 1}' is no JSON document", "column 2")),
            (("--chunks", name, ""), "the filter ''"),
            (("--chunks", name, "[]"), "the filter '[]'"),
            (("--chunks", name, "{} {}"), "the filter"),
            (("--chunks", name, "{}", "--key", "x"), "--key 'x' is no JSON document"),
            (("--chunks", name, "{}", "--collation", "fr"), "--collation 'fr'"),
            (("--chunks", name, "{}", "--default-collation", "fr"), "--default-collation 'fr'"),
            (("--chunks", name, "{}", "--shards", "0"), ("--shards", "'0'")),
            (("--chunks", name, "{}", "--shards", "1025"), ("--shards", "'1025'")),
            (("--chunks", name, "{}", "--shards", "x"), ("--shards", "'x'")),
            (("--chunks", name, "{}", "--server", "9.9"), "9.9"),
            (("--chunks", name, "{}", "--server", "nonsense"), "'nonsense'"),
            (("--chunks", name, "{}", "--op", "nonsense"), ("'nonsense'", "updateOne")),
            (("--chunks", name, "{}", "--op", ""), "no op ''"),
            (("--chunks", name, "{}", "--op", "replaceOne"), "needs --replacement"),
            (("--chunks", name, "{}", "--replacement", "{}"), "for --op replaceOne only"),
            (("--chunks", name, "{}", "--op", "replaceOne", "--replacement", "x"), "--replacement 'x'"),
            (("--chunks", name, "{}", "--op", "replaceOne", "--replacement", '{"$set": {"x": 1}}'), "'$set'"),
            (("--chunks", name, '{"$text": {"$search": "a"}}'), "$text"),
        ):
            with self.subTest(words):
                self.refused(*words, err=err)

    def test_a_refused_collation(self):
        name = self.file(LAYOUT)
        self.refused("--chunks", name, "{}", "--default-collation", '{"locale": "nonsense"}', err="--default-collation")
        # The query's own is the server's to refuse, and that is an answer.
        done = self.call("--chunks", name, "{}", "--json", "--collation", '{"locale": "nonsense"}')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(json.loads(done.stdout)["decision"], "refused")


if __name__ == "__main__":
    unittest.main()
