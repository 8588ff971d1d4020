"""Does with the Trino client for Python what notebooks do. ADDRESS, KEY, PROJECT and ROWS are in the environment."""

import os
import threading
import time
from datetime import date, datetime
from decimal import Decimal
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import pandas
import trino
from sqlalchemy import column, create_engine, func, inspect, select, table
from trino.auth import JWTAuthentication, OAuth2Authentication

address = urlsplit(os.environ["ADDRESS"])
schema = os.environ["PROJECT"]
key = os.environ["KEY"]
auth = JWTAuthentication(key)
options = {"host": address.hostname, "port": address.port, "user": "notebook", "http_scheme": "http"}


def connect(**more):
    return trino.dbapi.connect(**options, auth=auth, allow_insecure_auth=True, catalog="ploidy", **more)


def rows(sql, parameters=None):
    cursor = connect(schema=schema).cursor()
    return cursor.execute(sql, parameters).fetchall() if parameters else cursor.execute(sql).fetchall()


# Values of every type.
[values] = rows(
    "SELECT true, 9223372036854775807, 1.5e0, CAST('NaN' AS double), CAST(1.5 AS decimal(4, 2)), 'a \"b\"', DATE '2024-02-29', "
    "TIMESTAMP '2024-01-01 10:00:00.123456', X'4142', ARRAY[1, NULL], MAP(ARRAY['a'], ARRAY[1]), ROW(1, 'x'), sum(2), NULL"
)
assert values[:3] == [True, 9223372036854775807, 1.5] and values[3] != values[3], values
assert values[4:7] == [Decimal("1.50"), 'a "b"', date(2024, 2, 29)], values
assert values[7] == datetime(2024, 1, 1, 10, 0, 0, 123456) and values[8] == b"AB", values
assert values[9:11] == [[1, None], {"a": 1}] and tuple(values[11]) == (1, "x") and values[12:] == [2, None], values

# Parameters, twice: by EXECUTE IMMEDIATE and by PREPARE.
wanted = [["it's ? --", 5]]
assert rows("SELECT ?, count(*) FROM patient WHERE dob > ?", ("it's ? --", date(1900, 1, 1)))[0][0] == wanted[0][0]
legacy = connect(schema=schema, legacy_prepared_statements=True).cursor()
assert legacy.execute("SELECT ?, ?", ("it's ? --", 5)).fetchall() == wanted

# Errors by name and place.
try:
    rows("SELECT nope FROM patient")
    raise SystemExit("no error")
except trino.exceptions.TrinoUserError as error:
    assert error.error_name == "COLUMN_NOT_FOUND" and error.message.startswith("line 1:8: "), error

# Cancelling.
cursor = connect(schema=schema).cursor()
cursor.execute("SELECT n FROM UNNEST(range(100000)) AS t(n)")
cursor.fetchone()
cursor.cancel()

# A transaction, which drivers begin by themselves.
with connect(schema=schema, isolation_level=trino.transaction.IsolationLevel.REPEATABLE_READ) as connection:
    connection.cursor().execute("SELECT count(*) FROM patient").fetchall()

# SQLAlchemy and pandas.
url = f"trino://notebook@{address.hostname}:{address.port}/ploidy/{schema}"
engine = create_engine(url, connect_args={"auth": auth, "http_scheme": "http", "allow_insecure_auth": True})
inspector = inspect(engine)
assert schema in inspector.get_schema_names()
assert "patient" in inspector.get_table_names()
assert inspector.has_table("patient") and not inspector.has_table("nope")
assert "patient_id" in [found["name"] for found in inspector.get_columns("patient")]
assert inspector.get_table_comment("patient") == {"text": None}
count = len(rows("SELECT patient_id FROM patient"))
frame = pandas.read_sql_table("patient", engine)
assert len(frame) == count, frame
assert [part.shape[0] for part in pandas.read_sql("SELECT patient_id FROM patient", engine, chunksize=2)] [0] == 2
people = table("demographic", column("gender"), schema=schema)
question = select(people.c.gender, func.count()).where(people.c.gender.in_(["male", "female"])).group_by(people.c.gender)
with engine.connect() as connection:
    assert sum(number for _, number in connection.execute(question)) == count

# How fast rows arrive in a frame.
wide = int(os.environ["ROWS"])
started = time.monotonic()
frame = pandas.read_sql(
    f"SELECT n, n * 2 AS twice, 'chr' || (n % 22) AS chromosome, n / 7.0 AS part FROM UNNEST(range({wide})) AS t(n)", engine
)
assert frame.shape == (wide, 4)
print(f"{round(wide / (time.monotonic() - started))} rows/s into pandas")

# Signed in by the browser of the user (external authentication).
browser = os.environ["BROWSER_OF_USER"]
opened = lambda page: threading.Thread(target=lambda: urlopen(browser + quote(page, safe="")).read()).start()
signed_in = trino.dbapi.connect(
    **options, auth=OAuth2Authentication(redirect_auth_url_handler=opened), allow_insecure_auth=True, catalog="ploidy"
)
catalogs = signed_in.cursor().execute("SHOW CATALOGS").fetchall()
assert ["ploidy"] in catalogs, catalogs

# Rights that are narrowed in the middle of the pages.
reader = trino.dbapi.connect(
    **options, auth=JWTAuthentication(os.environ["NARROWED_KEY"]), allow_insecure_auth=True, catalog="ploidy", schema=schema
)
narrowed = reader.cursor()
# Several pages of 4 MiB.
narrowed.execute("SELECT patient_id, rpad('', 200, 'x') FROM patient CROSS JOIN UNNEST(range(50000)) AS t(n)")
assert narrowed.fetchone() is not None
urlopen(os.environ["NARROW"]).read()
read = 1
try:
    while narrowed.fetchone() is not None:
        read += 1
    raise SystemExit(f"{read} rows after the rights were narrowed")
except trino.exceptions.TrinoUserError as error:
    assert error.error_name == "PERMISSION_DENIED" and "rights to rows changed" in error.message, error
assert read < 100_000, read
narrowed.execute("SELECT DISTINCT patient_id FROM patient")
assert narrowed.fetchall() == [["p-0"]]
