# Writes types.parquet and int96.parquet, with pyarrow 18.1.0: python write_parquet.py
import pyarrow as pa, pyarrow.parquet as pq, datetime as d, decimal
t=pa.table({
 "text": pa.array(["01234","",None]),
 "dictionary": pa.array(["red","blue","red"]).dictionary_encode(),
 "binary": pa.array([b"x",b"y",None]),
 "int8": pa.array([-1,2,None],pa.int8()),
 "uint8": pa.array([255,0,None],pa.uint8()),
 "int32": pa.array([-5,6,7],pa.int32()),
 "uint32": pa.array([4294967295,0,1],pa.uint32()),
 "int64": pa.array([9007199254740993,-1,None],pa.int64()),
 "uint64": pa.array([18446744073709551615,0,None],pa.uint64()),
 "float": pa.array([0.1,1e6,None],pa.float32()),
 "double": pa.array([0.1,1e21,None],pa.float64()),
 "bool": pa.array([True,False,None]),
 "date": pa.array([d.date(2024,2,29),d.date(1969,12,31),None]),
 "time_ms": pa.array([d.time(1,2,3,4000),None,d.time(23,59,59)],pa.time32("ms")),
 "time_us": pa.array([d.time(1,2,3,4),None,d.time(23,59,59)],pa.time64("us")),
 "time_ns": pa.array([1,None,86399999999999],pa.time64("ns")),
 "ms": pa.array([0,1709210096789,None],pa.timestamp("ms",tz="UTC")),
 "us": pa.array([-1,1709210096789012,None],pa.timestamp("us")),
 "ns": pa.array([1,1709210096789012345,None],pa.timestamp("ns",tz="UTC")),
 "decimal": pa.array([decimal.Decimal("12.30"),decimal.Decimal("-0.05"),None],pa.decimal128(9,2)),
 "decimal38": pa.array([decimal.Decimal("-123456789012345678901234567890.12345678"),decimal.Decimal("0.00000001"),None],pa.decimal128(38,8)),
 "tags": pa.array([["a","b"],[],None],pa.list_(pa.string())),
 "numbers": pa.array([[1,None,3],[None],None],pa.list_(pa.int32())),
 "nested": pa.array([{"city":"Paris","at":{"x":1,"y":2}},{"city":None,"at":None},None]),
 "map": pa.array([[("k1",1),("k2",2)],[],None],pa.map_(pa.string(),pa.int32())),
 "items": pa.array([[{"sku":"s1","n":1},{"sku":"s2","n":None}],[],None]),
 "fixed": pa.array([b"\x00\xff",b"ab",None],pa.binary(2)),
})
pq.write_table(t, "types.parquet", compression="zstd", row_group_size=2)
pq.write_table(t.select(["us","text"]), "int96.parquet", compression="snappy", use_deprecated_int96_timestamps=True, version="1.0", data_page_version="2.0")
t = pa.table({"a": ["x", "y"], "b": [1, 2]})
with pq.ParquetWriter("groups.parquet", t.schema) as w:
    for part in (t.slice(0, 0), t, t.slice(0, 0)):
        w.write_table(part)
