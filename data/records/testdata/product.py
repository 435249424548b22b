"""Writes tables of all types in all encodings, compressions and versions of pages that three writers have, and each table as CSV.

pip install numpy==2.4.6 pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1      which .ci/parquet.txt pins
python product.py FOLDER            writes the product: TABLE.csv, and WRITER-TABLE-OPTIONS.parquet with some of its columns
python product.py product fixtures  writes the small part that make test reads
GOPHE_TEST_PYTHON=python go test ./data/records -run TestParquetProduct -v     compares the product, of 0.6 GB

No writer makes the texts of the CSV. They are made here from the values.
"""
import datetime, decimal, itertools, pathlib, random, sys, uuid

import duckdb, numpy as np, polars as pl, pyarrow as pa, pyarrow.parquet as pq

D, EPOCH = decimal.Decimal, datetime.datetime(1970, 1, 1)
decimal.getcontext().prec = 100


def number(x):
    """The shortest digits, as JSON has them."""
    if x != x or abs(x) == float("inf"):
        return {True: "NaN"}.get(bool(x != x), "+Inf" if x > 0 else "-Inf")
    if x == 0 or 1e-6 <= abs(x) < 1e21:
        return np.format_float_positional(x, trim="-")
    return np.format_float_scientific(x, trim="-", exp_digits=2)


def clock(units, per):
    seconds, rest = divmod(units, per)
    return seconds, ("." + str(per + rest)[1:].rstrip("0")).rstrip(".")


def moment(per):
    def text(units):
        seconds, rest = clock(units, per)
        return (EPOCH + datetime.timedelta(seconds=seconds)).isoformat() + rest + "Z"
    return text


def of_day(per):
    def text(units):
        seconds, rest = clock(units, per)
        return "%02d:%02d:%02d%s" % (seconds // 3600, seconds // 60 % 60, seconds % 60, rest)
    return text


def day(n):
    return (EPOCH + datetime.timedelta(days=n)).date().isoformat()


def listed(text):
    return lambda items: "|".join("" if x is None else text(x) for x in items)


def whole(bits, signed):
    low = -(1 << bits - 1) if signed else 0
    return lambda r: r.choice([low, low + (1 << bits) - 1, r.randrange(low, low + (1 << bits)), r.randrange(100)])


def fixed(digits, scale):
    return lambda r: D(r.randrange(-10**digits + 1, 10**digits)).scaleb(-scale)


def real(kind):
    def value(r):
        bits = np.dtype(kind).itemsize * 8
        x = np.uint64(r.getrandbits(bits)).astype(f"u{bits // 8}").view(kind) if r.random() < .3 else kind(r.uniform(-1000, 1000))
        return x if x == x else kind(0.5)
    return value


def words(r):
    return "".join(r.choice("abcdefgh ,\"é漢-0123456789") for _ in range(r.randrange(12)))


def raw(n):
    return lambda r: bytes(r.choice(range(14, 256)) for _ in range(n if n else r.randrange(9)))


def times(low, high, per):
    return lambda r: r.randrange(low * per, high * per) // r.choice([1, per]) * 1


S, MS, US, NS = 1, 10**3, 10**6, 10**9
YEARS = (-2208988800, 4102444800)  # 1900 to 2100

# name: (type of Arrow, value, text)
COLUMNS = {
    "bool": (pa.bool_(), lambda r: r.random() < .5, lambda x: "true" if x else "false"),
    **{f"{'' if s else 'u'}int{b}": (getattr(pa, f"{'' if s else 'u'}int{b}")(), whole(b, s), str) for b in (8, 16, 32, 64) for s in (True, False)},
    "half": (pa.float16(), real(np.float16), lambda x: number(np.float32(x))),
    "float": (pa.float32(), real(np.float32), number),
    "double": (pa.float64(), real(np.float64), number),
    **{f"decimal{d}": (pa.decimal128(d, s), fixed(d, s), lambda x: format(x, "f")) for d, s in ((4, 1), (9, 2), (18, 4), (38, 8))},
    "decimal76": (pa.decimal256(76, 10), fixed(76, 10), lambda x: format(x, "f")),
    "string": (pa.string(), words, str),
    "item": (pa.dictionary(pa.int32(), pa.string()), lambda r: r.choice(["red", "green", "blue"]), str),
    "binary": (pa.binary(), raw(0), bytes),
    "fixed": (pa.binary(5), raw(5), bytes.hex),
    "uuid": (pa.uuid(), raw(16), lambda x: str(uuid.UUID(bytes=x))),
    "date": (pa.date32(), lambda r: r.randrange(-20000, 40000), day),
    "time_ms": (pa.time32("ms"), times(0, 86400, MS), of_day(MS)),
    "time_us": (pa.time64("us"), times(0, 86400, US), of_day(US)),
    "time_ns": (pa.time64("ns"), times(0, 86400, NS), of_day(NS)),
    **{f"{n}{z and '_zone'}": (pa.timestamp(n, z), times(*YEARS, p), moment(p))
       for n, p in (("s", S), ("ms", MS), ("us", US), ("ns", NS)) for z in ("", "Europe/Paris")},
    "list": (pa.list_(pa.int32()), lambda r: [r.choice([None, r.randrange(1000)]) for _ in range(r.randrange(4))], listed(str)),
    "bools": (pa.list_(pa.bool_()), lambda r: [r.random() < .5 for _ in range(r.randrange(20))], listed(lambda x: "true" if x else "false")),
    "group": (pa.struct([("a", pa.int64()), ("b", pa.string())]), lambda r: {"a": r.choice([None, r.getrandbits(40)]), "b": words(r)}, None),
    "empty": (pa.null(), lambda r: None, str),
}
ROWS = {"small": 7, "runs": 20000, "random": 20000, "types": 40, "pages": 1500}


def make(table, names):
    """The columns of a table, and of its CSV."""
    arrays, texts = {}, {}
    for name in names:
        kind, value, text = COLUMNS[name]
        r = random.Random(f"{table} {name}")
        few = [value(r) for _ in range(5)]
        runs = table == "runs" or table == "pages" and name == "bool"
        values = [few[i // 50 % 5] if runs else value(r) for i in range(ROWS[table])]
        values = [None if r.random() < .1 and name != "uint8" else v for v in values]
        if name == "uuid":
            arrays[name] = pa.ExtensionArray.from_storage(kind, pa.array(values, pa.binary(16)))
        elif pa.types.is_dictionary(kind):
            arrays[name] = pa.array(values, pa.string()).dictionary_encode()
        else:
            arrays[name] = pa.array(values, kind)
        parts = {name: (values, text)}
        if text is None:
            parts = {f"{name}.{k}": ([None if v is None else v[k] for v in values], str) for k in ("a", "b")}
        for part, (values, text) in parts.items():
            texts[part] = ["" if v is None else text(v) for v in values]
    return pa.table(arrays), texts


def encoding(kind, way):
    """The encoding of a type in one of four ways: dictionary, plain, deltas, and what is left."""
    text = pa.types.is_string(kind) or pa.types.is_binary(kind)
    if pa.types.is_boolean(kind):
        return "RLE" if way > 1 else "PLAIN"
    if pa.types.is_floating(kind) or pa.types.is_fixed_size_binary(kind) or kind == pa.uuid():
        return "BYTE_STREAM_SPLIT" if way > 1 else "PLAIN"
    if text:
        return ("PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY")[way - 1]
    return ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT")[way - 1]


def pyarrow(write):
    names = list(COLUMNS)
    for table, codec, version, way in itertools.product(write.tables, ("none", "snappy", "gzip", "zstd", "lz4", "brotli"), ("1.0", "2.0"), range(6)):
        t = write.table(table, names)
        options = {}
        if way in (1, 2, 3):
            options = {"use_dictionary": False, "column_encoding": {}, "store_decimal_as_integer": way == 2, "data_page_size": (1 << 20, 3000)[way % 2]}
            for c in t.schema:
                path, kind = c.name, c.type
                if pa.types.is_dictionary(kind):
                    kind = pa.string()
                for path, kind in {"list": {"list.list.element": pa.int32()}, "bools": {"bools.list.element": pa.bool_()},
                                   "group": {"group.a": pa.int64(), "group.b": pa.string()}}.get(c.name, {path: kind}).items():
                    if pa.types.is_decimal(kind):
                        if way > 1 and not (way == 2 and kind.precision <= 18):
                            continue
                    options["column_encoding"][path] = encoding(kind, way)
        if way == 4:  # a dictionary that is given up, small pages, checksums
            options = {"dictionary_pagesize_limit": 2000, "data_page_size": 1000, "write_page_checksum": True, "row_group_size": 6000}
        if way == 5:
            options = {"use_deprecated_int96_timestamps": True, "version": "1.0", "max_rows_per_page": 999, "use_byte_stream_split": False}
        write(table, f"{codec}-{version}-{way}", lambda path: pq.write_table(t, path, compression=codec, data_page_version=version, **options))


def polars(write):
    types = {"half": pl.Float16, "item": pl.Categorical, "empty": pl.Null}
    names = [n for n in COLUMNS if n not in ("decimal76", "fixed", "uuid")]
    for table, codec, way in itertools.product(write.tables, ("uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"), range(3)):
        t = pl.from_arrow(write.table(table, names)).cast(types)
        options = [{}, {"data_page_size": 1000, "row_group_size": 6000}, {"row_group_size": 900, "statistics": False}][way]
        write(table, f"{codec}-{way}", lambda path: t.write_parquet(path, compression=codec, **options))


def duck(write):
    names = [n for n in COLUMNS if n not in ("decimal76", "half", "fixed")]
    casts = {"item": "ENUM('red', 'green', 'blue')", "uuid": "UUID"}
    chosen = ", ".join(f"{n}::{casts[n]} AS {n}" if n in casts else f'"{n}"' for n in names)
    codecs = ("uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw", "brotli")
    for table, codec, version, way in itertools.product(write.tables, codecs, ("V1", "V2"), range(3)):
        duckdb.register("t", write.table(table, names))
        options = ["", ", DICTIONARY_SIZE_LIMIT 1", ", ROW_GROUP_SIZE 5000, STRING_DICTIONARY_PAGE_SIZE_LIMIT 500"][way]
        write(table, f"{codec}-{version}-{way}", lambda path: duckdb.sql(
            f"COPY (SELECT {chosen} FROM t) TO '{path}' (FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version}{options})"))
    write("interval", "", lambda path: duckdb.sql(f"COPY (SELECT INTERVAL 1 DAY AS x) TO '{path}'"))


# The part of the product that make test reads: all types, and pages that are long enough for LZ4 and runs.
FIXTURES = """pyarrow-types-lz4-2.0-1 pyarrow-types-zstd-1.0-2 pyarrow-types-gzip-2.0-3 pyarrow-types-brotli-1.0-4 pyarrow-pages-lz4-2.0-2
polars-types-lz4-0 polars-types-zstd-1 duck-types-lz4_raw-V2-0 duck-types-snappy-V1-1 duck-interval-""".split()


class Writing:
    def __init__(self, folder, only):
        self.folder, self.only, self.made = folder, only, {}

    def table(self, name, columns):
        """Some columns of a table, whose CSV is written once."""
        if name not in self.made:
            self.made[name], texts = make(name, ["bool", "int64"] if name == "pages" else COLUMNS)
            quote = lambda t: b'"' + (t if isinstance(t, bytes) else t.encode()).replace(b'"', b'""') + b'"'
            lines = [list(texts), *zip(*texts.values())]
            (self.folder / f"{name}.csv").write_bytes(b"".join(b",".join(map(quote, line)) + b"\n" for line in lines))
        return self.made[name].select([c for c in columns if c in self.made[name].column_names])

    def __call__(self, table, options, write):
        name = f"{self.writer}-{table}-{options}"
        if not self.only or name in self.only:
            write(self.folder / f"{name}.parquet")


def main(folder, what=""):
    write = Writing(pathlib.Path(folder), what and FIXTURES)
    write.folder.mkdir(exist_ok=True)
    for writer in (pyarrow, polars, duck):
        write.writer = writer.__name__
        write.tables = ["types"] + ["pages"] * (writer is pyarrow) if what else ["small", "runs", "random"]
        writer(write)


main(*sys.argv[1:])
