"""docs/coverage.md and docs/older-servers.md against the tree: test_coverage_doc.py SHARDPROOF SOURCE_FOLDER"""

import pathlib
import re
import subprocess
import sys
import unittest

SHARDPROOF, ROOT = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
COLUMNS = ["number", "statement", "stands in", "versions", "area", "checks", "servers"]
UNCHECKED = "not checked: "


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def tables(text):
    """Each table as (its heading, its columns, its rows)."""
    found, heading, open_table = [], None, None
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        if not line.startswith("|"):
            open_table = None
        elif open_table is None:
            open_table = (heading, cells(line), [])
            found.append(open_table)
        elif not re.fullmatch(r"[|\- ]+", line):
            open_table[2].append(cells(line))
    return found


def quoted(cell):
    return re.findall(r"`([^`]*)`", cell)


def faults(text, areas, findings, exists):
    """What is wrong with a page of coverage, one line each."""
    wrong, last, sources = [], 0, set()
    for heading, columns, rows in tables(text):
        if heading == "Sources":
            sources = {row[0] for row in rows}
            continue
        if columns != COLUMNS:
            wrong.append(f"{heading}: the columns are {columns}")
            continue
        if not rows:
            wrong.append(f"{heading}: no rows")
        for row in rows:
            where = f"{heading}: {row[0]}"
            if len(row) != len(COLUMNS):
                wrong.append(f"{where}: {len(row)} cells")
                continue
            number, statement, stands, versions, area, checks, servers = row
            if not number.isdigit() or int(number) <= last:
                wrong.append(f"{where}: not above {last}")
            last = int(number) if number.isdigit() else last
            if not statement or not versions:
                wrong.append(f"{where}: nothing said")
            for source in stands.split(", "):
                if source not in sources:
                    wrong.append(f"{where}: no source '{source}'")
            for name in quoted(area):
                if name not in areas:
                    wrong.append(f"{where}: no area '{name}'")
            for path in quoted(checks):
                if not exists(path):
                    wrong.append(f"{where}: no file {path}")
            if (area and not quoted(area)) or (checks and not quoted(checks)):
                wrong.append(f"{where}: names are to stand in backquotes")
            checked = bool(quoted(area) or quoted(checks))
            if checked == servers.startswith(UNCHECKED):
                wrong.append(f"{where}: needs a check or a reason, one of them")
            if servers.startswith(UNCHECKED) and len(servers) < len(UNCHECKED) + 4:
                wrong.append(f"{where}: no reason")
            for words in re.findall(r"findings? ([0-9]+(?:(?:, | and )[0-9]+)*)", servers):
                for finding in re.findall(r"[0-9]+", words):
                    if finding not in findings:
                        wrong.append(f"{where}: no finding {finding}")
    if last == 0:
        wrong.append("no statements")
    return wrong


def read(path):
    return (ROOT / path).read_text("utf-8")


def rows_by_number():
    return {int(row[0]): row for _, columns, rows in tables(read("docs/coverage.md")) if columns == COLUMNS for row in rows}


class Coverage(unittest.TestCase):
    maxDiff = None

    def test_the_page(self):
        done = subprocess.run([SHARDPROOF, "run", "--help"], stdout=subprocess.PIPE, check=True, timeout=60)
        listed = done.stdout.decode().split("\nAreas:\n")[1]
        areas = set(re.findall(r"^  ([a-z]+) ", listed, re.M))
        self.assertLessEqual({"hash", "soundness"}, areas)
        findings = set(re.findall(r"^## ([0-9]+)\.", read("docs/findings.md"), re.M))
        self.assertIn("23", findings)
        exists = lambda path: (ROOT / path).is_file()
        self.assertEqual("\n".join(faults(read("docs/coverage.md"), areas, findings, exists)), "")

    def test_every_area_has_a_statement(self):
        done = subprocess.run([SHARDPROOF, "run", "--help"], stdout=subprocess.PIPE, check=True, timeout=60)
        areas = set(re.findall(r"^  ([a-z]+) ", done.stdout.decode().split("\nAreas:\n")[1], re.M))
        self.assertEqual(areas, {name for row in rows_by_number().values() for name in quoted(row[4])})

    def test_live_statements_are_on_the_page(self):
        rows, seen = rows_by_number(), set()
        for path in sorted((ROOT / "tests").glob("test_statements_*_live.c")):
            for number in map(int, re.findall(r"SP_STATEMENT\(\s*([0-9]+),", path.read_text("utf-8"))):
                seen.add(number)
                self.assertIn(number, rows, path.name)
                self.assertIn(f"tests/{path.name}", quoted(rows[number][5]), number)
        self.assertGreater(len(seen), 30)

    def test_older_servers(self):
        """Whatever differs between versions before 6.0 has a row that says what was seen."""
        names = set(re.findall(r"\bSP_[A-Z_0-9]+", read("oracles/version.h")))
        page = {name for _, columns, rows in tables(read("docs/older-servers.md")) for row in rows for name in re.findall(r"SP_\w+", row[1])}
        self.assertEqual(page - names, set())
        table = re.findall(r"\{(SP_\w+),\s*(ALWAYS|NEVER|\{[0-9, ]+\}),\s*(ALWAYS|NEVER|\{[0-9, ]+\}),", read("oracles/version.c"))
        self.assertGreater(len(table), 10)
        old = {name for name, since, before in table if "{4" in since + before or "{5" in since + before}
        self.assertEqual(old - page, set())
        for heading, columns, rows in tables(read("docs/older-servers.md")):
            self.assertEqual(columns, ["rule", "row", "asked", "4.2.6", "4.4.2", "5.0.4", "6.0.5", "evidence"], heading)
            for row in rows:
                self.assertEqual(len(row), 8, row)
                self.assertRegex(row[7], "observed|documented", row)


class Faults(unittest.TestCase):
    """The checks themselves: each broken page is found out."""

    HEAD = "## Sources\n| source | what |\n| --- | --- |\n| a | b |\n\n## T\n| " + " | ".join(COLUMNS) + " |\n| --- | --- |\n"
    GOOD = "| 1 | s | a | all | `hash` | `f` | finding 7 |"

    def faults(self, *lines):
        return faults(self.HEAD + "\n".join(lines) + "\n", {"hash"}, {"7"}, lambda path: path == "f")

    def test_good(self):
        self.assertEqual(self.faults(self.GOOD), [])
        self.assertEqual(self.faults(self.GOOD, "| 2 | s | a | all | | | not checked: performance |"), [])
        self.assertEqual(self.faults("| 1 | s | a | all | `hash` | | `{x: {$in: [1\\|2]}}` |"), [])

    def test_broken(self):
        for line, words in (
            ("| 1 | again | a | all | `hash` | | |", "not above 1"),
            ("| x | s | a | all | `hash` | | |", "not above 1"),
            ("| 2 | s | a | all | `hash` | |", "6 cells"),
            ("| 2 | | a | all | `hash` | | |", "nothing said"),
            ("| 2 | s | a | | `hash` | | |", "nothing said"),
            ("| 2 | s | b | all | `hash` | | |", "no source 'b'"),
            ("| 2 | s | | all | `hash` | | |", "no source ''"),
            ("| 2 | s | a | all | `hush` | | |", "no area 'hush'"),
            ("| 2 | s | a | all | hash | `f` | |", "backquotes"),
            ("| 2 | s | a | all | `hash` | f | |", "backquotes"),
            ("| 2 | s | a | all | | `g` | |", "no file g"),
            ("| 2 | s | a | all | | | |", "check or a reason"),
            ("| 2 | s | a | all | | | 72 |", "check or a reason"),
            ("| 2 | s | a | all | `hash` | | not checked: performance |", "check or a reason"),
            ("| 2 | s | a | all | | | not checked: |", "reason"),
            ("| 2 | s | a | all | `hash` | | findings 7 and 8 |", "no finding 8"),
        ):
            with self.subTest(line):
                found = self.faults(self.GOOD, line)
                self.assertTrue(any(words in fault for fault in found), found)

    def test_empty(self):
        self.assertEqual(self.faults()[-1], "no statements")
        self.assertIn("the columns are", faults("## T\n| a | b |\n| --- | --- |\n", set(), set(), bool)[0])


if __name__ == "__main__":
    unittest.main()
