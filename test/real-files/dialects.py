"""Writes tables in many dialects of CSV with Python's own writer, and prints their fields: a writer without code of this repository."""

import csv
import io
import json
import random
import sys

chance = random.Random(11)

# Notations of the fields of a column. Most columns hold one, some a second one here and there.
notations = {
    "whole": lambda: str(chance.choice([0, 1, -1, 2**53 - 1, 999999999999999, chance.randint(-(10**6), 10**6)])),
    "long": lambda: str(chance.choice([2**53 + 1, 2**63, 10**20, -(2**63)])),
    "decimal": lambda: chance.choice(["0.1", "-2.50", "1e-5", "3.0", ".5", "5.", "1.5E+3", repr(chance.random()), "1e400", "0.30000000000000004"]),
    "infinite": lambda: chance.choice(["inf", "-inf", "Infinity", "NaN", "1.0"]),
    "comma": lambda: chance.choice(["1,5", "-0,25", "1.234,56", "1 234", "12%", "$5", "€ 3,20", "1'000"]),
    "code": lambda: chance.choice(["007", "1E5", "+49", "250.00", "0x1F", "1-Mar", "E11.9", "1/2", "٣"]),
    "day": lambda: chance.choice(["2024-02-29", "1899-12-31", "0001-01-01", "9999-12-31"]),
    "other day": lambda: chance.choice(["01/02/2020", "2/1/20", "31.12.1999", "2020-1-1", "20200101", "2020-02-30", "2020-01-01T00:00:00+02:00"]),
    "truth": lambda: chance.choice(["TRUE", "false", "True"]),
    "other truth": lambda: chance.choice(["yes", "no", "Y", "1", "0", "T", "f"]),
    "words": lambda: chance.choice(["a b", "ä", "e\u0301", "\U0001f600", 'in "quotes"', "two\nlines", "a;b", "a,b", "a\tb", "-", "#x", "'x'", "=1+1", "x" * 500]),
    "absent": lambda: chance.choice(["", "", "NA", "null", ".", "n/a", "None", "#N/A"]),
}
dialects = [
    {"delimiter": delimiter, "lineterminator": end, "quoting": quoting}
    for delimiter in ",;\t"
    for end in ("\n", "\r\n")
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)
]
titles = ["Age at Diagnosis", "Größe (cm)", "ΔCt", "x%", "a.b", "C-D", "value", "年齢", "Выбор", "2nd", "select", "n°"]


def table():
    width = chance.randint(2, 9)
    kinds = [chance.sample(sorted(notations), 2) for _ in range(width)]
    share = [chance.choice([0, 0, 0, 0.05, 0.5]) for _ in range(width)]
    rows = []
    for line in range(chance.randint(1, 60)):
        row = [notations["absent" if chance.random() < 0.1 else kind[chance.random() < rare]]() for kind, rare in zip(kinds, share)]
        rows.append([f"P{line:02}", *row])
    return [["patient_id", *chance.sample(titles, width)], *rows]


for place in range(180):
    dialect = dialects[place % len(dialects)]
    rows = table()
    # Fields between tabs hold neither tabs nor line ends.
    if dialect["delimiter"] == "\t":
        rows = [[field.replace("\t", " ").replace("\n", " ") for field in row] for row in rows]
    text = io.StringIO(newline="")
    csv.writer(text, **dialect).writerows(rows)
    path = f"{sys.argv[1]}/{place}.csv"
    with open(path, "w", encoding=chance.choice(["utf-8", "utf-8-sig"]), newline="") as file:
        file.write(text.getvalue())
    print(json.dumps({"path": path, "dialect": repr(dialect), "rows": rows}))
