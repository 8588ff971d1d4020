"""Writes Parquet files with columns of every type, and prints their values: a writer without code of this repository."""

import datetime
import decimal
import json
import random
import struct
import sys
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

decimal.getcontext().prec = 80
chance = random.Random(7)
per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
words = ["", " ", "NA", "null", "a,b", '"', "\\", "it's", "é", "e\u0301", "\U0001f600", "\n", "NaN", "007", "\t x ", "x" * 300, "-99"]

whole = [kind() for kind in (pa.int8, pa.int16, pa.int32, pa.int64, pa.uint8, pa.uint16, pa.uint32, pa.uint64)]
texts = [pa.string(), pa.large_string()]
times = [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]
stamps = [pa.timestamp(unit, zone) for unit in per_second for zone in (None, "UTC", "Europe/Berlin", "-08:00")]
decimals = [pa.decimal128(*size) for size in ((4, 2), (9, 0), (15, 15), (18, 3), (38, 10), (10, 10))]
plain = [*whole, pa.float16(), pa.float32(), pa.float64(), pa.bool_(), *texts, pa.date32(), pa.date64(), *times, *stamps, *decimals]
flat = [*plain, pa.duration("ns"), pa.null(), pa.uuid(), pa.json_(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
nested = [kind for one in plain for kind in (pa.list_(one), pa.struct([("a", one), ("b", pa.string())]), pa.map_(pa.string(), one))]
nested += [pa.list_(pa.list_(pa.int64())), pa.list_(pa.struct([("x", pa.decimal128(10, 2)), ("y", pa.list_(pa.date32()))]))]
nested += [pa.map_(pa.int32(), pa.string()), pa.list_(pa.int32(), 2), pa.large_list(pa.string())]


def is_list(kind):
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)


def perhaps(kind, at_midnight):
    return None if kind == pa.null() or chance.random() < 0.15 else some(kind, at_midnight)


def some(kind, at_midnight):
    """Makes a value in the form that the writer accepts."""
    if kind == pa.uuid():
        return uuid.UUID(int=chance.getrandbits(128), version=4).bytes
    if kind == pa.json_():
        return json.dumps({"a": chance.choice(words)})
    if pa.types.is_dictionary(kind):
        return chance.choice(words[:5])
    if pa.types.is_integer(kind):
        low, high = (-(1 << kind.bit_width - 1), (1 << kind.bit_width - 1) - 1) if pa.types.is_signed_integer(kind) else (0, (1 << kind.bit_width) - 1)
        return chance.choice([low, high, 0, 1, high - 1, chance.randint(low, high), min(high, 2**53 + 1)])
    if pa.types.is_floating(kind):
        code = {16: "e", 32: "f", 64: "d"}[kind.bit_width]
        number = chance.choice([0.0, -0.0, 0.1, 1 / 3, 6.1e4, -2.5, chance.gauss(0, 100), 6e-8, float("nan"), float("inf")])
        return struct.unpack(code, struct.pack(code, number))[0]
    if pa.types.is_boolean(kind):
        return chance.random() < 0.5
    if pa.types.is_decimal(kind):
        digits = chance.choice([0, 1, -1, 10**kind.precision - 1, chance.randrange(10**kind.precision)])
        return decimal.Decimal(digits).scaleb(-kind.scale)
    if pa.types.is_date(kind):
        return datetime.date.fromordinal(chance.choice([1, 3652059, 577735, 693655, 738945, chance.randint(600000, 800000)]))
    if pa.types.is_time(kind):
        return chance.randrange(86400 * per_second[kind.unit])
    if pa.types.is_timestamp(kind):
        rest = 0 if at_midnight else chance.choice([0, 1, chance.randrange(86400 * per_second[kind.unit])])
        return chance.randint(-20000, 40000) * 86400 * per_second[kind.unit] + rest
    if pa.types.is_duration(kind):
        return chance.randint(-(2**40), 2**40)
    if pa.types.is_map(kind):
        # Parsers of JSON in JavaScript confuse a key that is a backslash with others.
        keys = chance.sample([word for word in words if word != "\\"] if pa.types.is_string(kind.key_type) else range(-3, 3), chance.randrange(4))
        return [(key, perhaps(kind.item_type, at_midnight)) for key in keys]
    if pa.types.is_struct(kind):
        return {field.name: perhaps(field.type, at_midnight) for field in kind}
    if is_list(kind):
        return [perhaps(kind.value_type, at_midnight) for _ in range(2 if pa.types.is_fixed_size_list(kind) else chance.randrange(4))]
    return chance.choice(words)


def said(kind, value, has_zones):
    """States a value: numbers with all digits, times to the microsecond in UTC."""
    if value is None:
        return None
    if kind == pa.uuid():
        return str(uuid.UUID(bytes=value))
    if pa.types.is_floating(kind):
        return {"number": repr(value)}
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_duration(kind):
        return {"number": format(value, "f") if pa.types.is_decimal(kind) else str(value)}
    if pa.types.is_date(kind):
        return value.isoformat()
    if pa.types.is_time(kind) or pa.types.is_timestamp(kind):
        is_zoned = pa.types.is_timestamp(kind) and kind.tz is not None and has_zones
        if kind.unit == "ns" and (is_zoned or pa.types.is_time(kind)):
            value = int(decimal.Decimal(value) / 1000) * 1000
        seconds, rest = divmod(value, per_second[kind.unit])
        fraction = str(rest * (10**9 // per_second[kind.unit])).zfill(9).rstrip("0")
        at = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        day = "" if pa.types.is_time(kind) else f"{at:%Y-%m-%d} "
        return f"{day}{at:%H:%M:%S}{'.' * bool(fraction)}{fraction}{'+00' * is_zoned}"
    if pa.types.is_map(kind):
        return {str(key): said(kind.item_type, item, has_zones) for key, item in value}
    if pa.types.is_struct(kind):
        return {field.name: said(field.type, value[field.name], has_zones) for field in kind}
    if is_list(kind):
        return [said(kind.value_type, item, has_zones) for item in value]
    return value


def array_of(kind, values):
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))
    return pa.array(values, kind)


def write(name, kinds, options, rows=40):
    columns = []
    for _ in kinds:
        at_midnight = chance.random() < 0.2
        columns.append([perhaps(kinds[len(columns)], at_midnight) for _ in range(rows)])
    arrays = [array_of(kind, values) for kind, values in zip(kinds, columns)]
    titles = [f"c{place}" for place in range(len(kinds))]
    path = f"{sys.argv[1]}/{name}.parquet"
    pq.write_table(pa.table([pa.array(range(rows)), *arrays], names=["row", *titles]), path, **options)
    has_zones = not options.get("use_deprecated_int96_timestamps", False)
    values = [[said(kind, value, has_zones) for value in column] for kind, column in zip(kinds, columns)]
    print(json.dumps({"path": path, "kinds": [str(kind) for kind in kinds], "columns": values}))


without_nanoseconds = [kind for kind in flat if kind not in stamps or kind.unit != "ns"]
write("flat", flat, {})
write("nested", nested, {})
write("old", without_nanoseconds, {"version": "1.0", "compression": "none", "use_dictionary": False})
write("new", flat, {"data_page_version": "2.0", "compression": "zstd", "row_group_size": 7})
write("pages", nested, {"compression": "gzip", "row_group_size": 3, "data_page_size": 64})
write("spark", without_nanoseconds, {"compression": "snappy", "use_deprecated_int96_timestamps": True, "store_schema": False})
write("split", flat, {"use_dictionary": False, "use_byte_stream_split": ["c9", "c10"], "compression": "lz4"})
for scale in (5, 0):
    pq.write_table(pa.table({"row": [1], "w": pa.array([None], pa.list_(pa.decimal256(39 + scale, scale)))}), f"{sys.argv[1]}/wide{scale}.parquet")
pq.write_table(pa.table([[1], [2]], names=["Age", "age"]), f"{sys.argv[1]}/case.parquet")
