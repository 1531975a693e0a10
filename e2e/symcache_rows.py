"""The rows of symcache_table_test.py: what the SymCache protocol of Microsoft's format answers, row by row.

Numbers, groups and order are those of the protocol's decision table: hits (A), misses (B), If-Version-Exceeds (C),
several transcoders (D), forms of the URL (E), methods and transfer (F), logging in (G), operation (H). Rows of G are in
auth_test.py, with a real KDC; those that need more than requests and answers are functions of symcache_table_test.py.
"""
import dataclasses

MEDIA = "application/vnd.ms-symcache; version="
POLL = ("Allow-Retry-After: true",)
NONE = None  # a header that must not be there
ANY = object()  # a header that must be there

# Transcoders: the version each writes.
OLD, NEW, FOUR, FIVE, BOTH, NO_TOOL = ("3.1.0",), ("3.2.0",), ("4.0.0",), ("5.0.0",), ("3.2.0", "4.0.0"), ()


def exceeds(version):
    return (f"If-Version-Exceeds: {version}",)


@dataclasses.dataclass
class Row:
    """A request, what there is, and the answer."""

    number: str                 # in the decision table; letters tell several requests of one row apart
    path: str                   # {name}, {guid} and {age} are put in
    status: int
    version: str | None = None  # of the answer's media type; None: it has none
    tools: tuple = OLD
    cached: tuple = ()          # versions in the SymCache directory
    headers: tuple = ()
    method: str = "GET"
    wants: dict = dataclasses.field(default_factory=dict)  # headers of the answer
    upstream: bool = False      # whether a symbol server has the PDB
    name: str = "ok.pdb"        # the transcoder does what this name says
    age: int = 1                # of the PDB
    spelling: str = "{:032x}"   # of the GUID
    then: str | None = None     # versions there are at the end, once all work is done: "3.2.0"
    part: slice | None = None   # of the file, that is sent; None: all


V310, V320, V410 = "/v3.1.0/{name}/{guid}/{age}", "/v3.2.0/{name}/{guid}/{age}", "/v4.1.0/{name}/{guid}/{age}"
PENDING = {"retry-after": ANY, "cache-control": "no-store"}
FINAL = {"retry-after": NONE}
ABSENT = {"retry-after": NONE, "cache-control": ANY}
UNUSABLE = {"retry-after": NONE, "cache-control": "no-store"}

ROWS = [
    # A: hits
    Row("1", V310, 200, "3.1.0", cached=("3.1.0",), wants={"etag": ANY, "accept-ranges": "bytes",
                                                           "vary": "If-Version-Exceeds"}),
    Row("2", V320, 200, "3.1.0", cached=("3.1.0",)),
    Row("3", V310, 200, "3.2.0", cached=("3.2.0",)),
    Row("4", V310, 200, "3.1.0", cached=("3.1.0", "3.2.0")),
    Row("5", V410, 200, "3.2.0", cached=("3.2.0",), tools=NEW),
    Row("6", V410, 200, "4.0.0", cached=("3.2.0", "4.0.0")),
    Row("7", V410, 404, cached=("5.0.0",), tools=FIVE, wants=FINAL),
    Row("8", V310, 200, "3.1.0", cached=("3.1.0",), tools=FOUR),
    Row("9", "/v3.0.0/{name}/{guid}/{age}", 200, "3.0.0", cached=("3.0.0",)),
    Row("9b", "/v3.0.0/{name}/{guid}/{age}", 200, "3.1.0", upstream=True),
    Row("10", "/v2.9.9/{name}/{guid}/{age}", 404, cached=("2.9.9",), upstream=True, wants=FINAL),
    Row("10b", "/v1.0.0/{name}/{guid}/{age}", 404, cached=("1.0.0",), wants=FINAL),
    Row("10c", "/v0.0.0/{name}/{guid}/{age}", 404, cached=("0.0.0",), wants=FINAL),
    Row("11", V320, 200, "3.1.0", cached=("3.1.0",), tools=NEW, upstream=True, then="3.1.0 3.2.0"),
    # B: misses
    Row("13", V310, 200, "3.1.0", upstream=True),
    Row("14", V310, 404, headers=POLL, upstream=True, wants=PENDING, then="3.1.0"),
    Row("14b", V310, 404, headers=("accept-retry-after:  TRUE ",), upstream=True, wants=PENDING, then="3.1.0"),
    Row("15", "/v3.1.1/{name}/{guid}/{age}", 404, upstream=True, wants=PENDING, then="3.1.0"),
    Row("15b", V320, 404, upstream=True, wants=PENDING, then="3.1.0"),
    Row("15c", "/v4.0.0/{name}/{guid}/{age}", 404, upstream=True, wants=PENDING, then="3.1.0"),
    Row("18", V310, 404, wants=ABSENT),
    Row("20", V310, 404, name="exit_1.pdb", upstream=True, wants=UNUSABLE),
    Row("20b", V310, 404, name="exit_0_with_nothing.pdb", upstream=True, wants=UNUSABLE),
    Row("20c", V310, 404, name="signal.pdb", upstream=True, wants=UNUSABLE),
    Row("21", V310, 404, name="empty.pdb", upstream=True, wants=UNUSABLE),
    Row("29", V310, 404, tools=NO_TOOL, upstream=True, wants=FINAL),
    Row("29b", V310, 200, "3.1.0", tools=NO_TOOL, cached=("3.1.0",)),
    # C: If-Version-Exceeds
    Row("33", V320, 200, "3.2.0", cached=("3.2.0",), headers=exceeds("3.1.0")),
    Row("34", V320, 304, cached=("3.1.0",), headers=exceeds("3.1.0")),
    Row("35", V320, 404, cached=("3.1.0",), tools=NEW, headers=exceeds("3.1.0"), upstream=True, wants=PENDING,
        then="3.1.0 3.2.0"),
    Row("37", V320, 304, headers=exceeds("3.1.0"), upstream=True, then=""),
    Row("39", V410, 200, "4.0.0", cached=("3.1.0", "4.0.0"), headers=exceeds("3.2.0")),
    Row("40", V410, 304, cached=("4.0.0", "5.0.0"), tools=FIVE, headers=exceeds("4.0.0")),
    Row("41", V310, 400, cached=("3.1.0",), headers=exceeds("3.1.0"), wants={"content-type": ANY}),
    Row("41b", V310, 400, cached=("3.1.0",), headers=exceeds("3.2.0")),
    *[Row(f"42{letter}", V320, 400, cached=("3.2.0",), headers=exceeds(version)) for letter, version in
      zip("abcdefgh", ("abc", "3.1", "3.1.0.0", " ", "99999999999.0.0", "3.1.0-rc1", "v3.1.0", "0.9.0"))],
    Row("43", V320, 400, cached=("3.2.0",), headers=exceeds("3.0.0") + exceeds("3.1.0")),
    Row("43b", V320, 400, cached=("3.2.0",), headers=exceeds("3.0.0, 3.1.0")),
    Row("44", V320, 304, cached=("3.1.0",), headers=exceeds("3.1.0"), method="HEAD"),
    # D: several transcoders
    Row("45", "/v3.0.5/{name}/{guid}/{age}", 200, "3.2.0", tools=BOTH, upstream=True, then="3.2.0"),
    Row("46", V410, 404, tools=BOTH, upstream=True, wants=PENDING, then="4.0.0"),
    Row("47", "/v5.0.0/{name}/{guid}/{age}", 404, tools=BOTH, upstream=True, wants=PENDING, then="4.0.0"),
    Row("48", V310, 200, "3.2.1", tools=NEW, name="other_version.pdb", upstream=True, then="3.2.1"),
    # E: forms of the URL
    Row("49", "/v3.1.0/{name}/{guid}", 200, "3.1.0", cached=("3.1.0",)),
    Row("49b", "/v3.1.0/{name}/{guid}/1/", 200, "3.1.0", cached=("3.1.0",)),
    Row("49c", "/v3.1.0/{name}/{guid}/", 200, "3.1.0", cached=("3.1.0",)),
    Row("50", V310, 200, "3.1.0", cached=("3.1.0",), age=0),
    Row("51", V310, 200, "3.1.0", cached=("3.1.0",), age=0xFFFFFFFF),
    *[Row(f"52{letter}", f"/v3.1.0/{{name}}/{{guid}}/{age}", 404, cached=("3.1.0",), wants=FINAL) for letter, age in
      zip("abcde", ("4294967296", "-1", "1.5", "0x1", "abc"))],
    Row("53", "/v3.1.0/{name}/{guid}/+5", 404, cached=("3.1.0",), age=5),
    Row("53b", "/v3.1.0/{name}/{guid}/005", 200, "3.1.0", cached=("3.1.0",), age=5),
    Row("53c", "/v3.1.0/{name}/{guid}/%205", 404, cached=("3.1.0",), age=5),
    Row("54", V310, 200, "3.1.0", cached=("3.1.0",), spelling="{:032X}"),
    Row("54b", V310, 200, "3.1.0", cached=("3.1.0",), spelling="D"),
    Row("54c", V310, 200, "3.1.0", cached=("3.1.0",), spelling="{D}"),
    Row("54d", V310, 200, "3.1.0", cached=("3.1.0",), spelling="%7BD%7D"),
    Row("54e", V310, 200, "3.1.0", cached=("3.1.0",), spelling="(D)"),
    Row("54f", V310, 200, "3.1.0", cached=("3.1.0",), spelling="X"),
    Row("55", V310, 404, spelling="{:031x}"),
    Row("55b", V310, 404, spelling="{:032x}0"),
    Row("55c", V310, 404, spelling="{:031x}g"),
    Row("55d", "/v3.1.0/{name}//1", 404),
    Row("56", "/v3.1.300/{name}/{guid}/{age}", 200, "3.1.300", cached=("3.1.0", "3.1.300")),
    Row("56b", "/v70000.0.0/{name}/{guid}/{age}", 200, "4.0.0", cached=("3.1.0", "4.0.0")),
    Row("56c", "/v3.01.0/{name}/{guid}/{age}", 200, "3.1.0", cached=("3.0.0", "3.1.0", "3.2.0")),
    Row("56d", "/v4294967296.0.0/{name}/{guid}/{age}", 404, cached=("3.1.0",)),
    Row("57", "/V3.1.0/{name}/{guid}/{age}", 200, "3.1.0", cached=("3.1.0",)),
    *[Row(f"57{letter}", f"/{version}/{{name}}/{{guid}}/{{age}}", 404, cached=("3.1.0",)) for letter, version in
      zip("bcd", ("v3.1", "v3.1.0.0", "3.1.0"))],
    *[Row(f"58{letter}", f"/v3.1.0/{sent}/{{guid}}/{{age}}", 200, "3.1.0", cached=("3.1.0",), name=name)
      for letter, sent, name in zip("abcdefg", ("a%20b.pdb", "a%2Bb.pdb", "%C3%A9.pdb", "a+b.pdb", "a~b.pdb",
                                                "a(b).pdb", "a'b.pdb"),
                                    ("a b.pdb", "a+b.pdb", "é.pdb", "a+b.pdb", "a~b.pdb", "a(b).pdb", "a'b.pdb"))],
    *[Row(f"59{letter}", f"/v3.1.0/{name}/{{guid}}/{{age}}", 400, wants={"content-type": ANY}) for letter, name in
      zip("abc", ("%FF.pdb", "a%zz.pdb", "a%4"))],
    *[Row(f"60{letter}", f"/v3.1.0/{name}/{{guid}}/{{age}}", 400, upstream=True, then="") for letter, name in
      zip("abcdefghijkl", ("a%2Fb.pdb", "a%5Cb.pdb", "C%3Ab.pdb", "a%01b.pdb", "a%00b.pdb", "a*b.pdb", "a%3Fb.pdb",
                           "a%22b.pdb", "a%3Cb.pdb", "a%3Eb.pdb", "a%7Cb.pdb", "..%5C..%5Cok.pdb"))],
    *[Row(f"61{letter}", f"/v3.1.0/{name}/{{guid}}/{{age}}", 400) for letter, name in
      zip("abcde", ("%2E%2E%2E", "ok.pdb.", "ok.pdb%20", ".symcached", ".temp"))],
    Row("61f", "/v3.1.0//{guid}/{age}", 400),
    Row("62", "/v3.1.0/%252E%252E.pdb/{guid}/{age}", 200, "3.1.0", cached=("3.1.0",), name="%2E%2E.pdb"),
    Row("2 of 1.1", "/team/symcache/v3.1.0/{name}/{guid}/{age}", 200, "3.1.0", cached=("3.1.0",)),
    Row("2 of 1.1b", "/Team/SymCache/v3.1.0/{name}/{guid}/{age}", 200, "3.1.0", cached=("3.1.0",)),
    Row("2 of 1.1c", "/team/v3.1.0/{name}/{guid}/{age}", 404, cached=("3.1.0",)),
    Row("63", "/v3.1.0/../x", 404),
    Row("63b", "/x/../v3.1.0/./{name}/{guid}/{age}", 200, "3.1.0", cached=("3.1.0",)),
    Row("64", V310, 200, "3.1.0", cached=("3.1.0",), name="n" * 200 + ".pdb"),
    Row("64b", V310, 404, name="n" * 251 + ".pdb", wants=FINAL),
    Row("65", "/v3.1.0/" + "n" * 9000, 414),
    Row("65b", V310, 431, headers=("X: " + "x" * 70000,)),
    Row("66", "/v3.1.0/OK.PDB/{guid}/{age}", 200, "3.1.0", cached=("3.1.0",)),
    Row("67", "/v3.1.0/{name}/{guid}/{age}?x=/../..", 200, "3.1.0", cached=("3.1.0",)),
    Row("68", "/", 200),
    Row("68b", "/robots.txt", 404),
    Row("68c", "/index2.txt", 404),
    # F: methods and transfer
    Row("69", V310, 200, "3.1.0", cached=("3.1.0",), method="HEAD", wants={"content-length": ANY, "etag": ANY}),
    Row("70", V310, 404, method="HEAD", upstream=True, wants=PENDING, then="3.1.0"),
    *[Row(f"71{method}", V310, 405, cached=("3.1.0",), method=method, upstream=True,
          wants={"allow": "GET, HEAD"}) for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE")],
    Row("72", V310, 204, cached=("3.1.0",), method="OPTIONS", wants={"allow": "GET, HEAD"}),
    Row("73", V310, 206, "3.1.0", cached=("3.1.0",), headers=("Range: bytes=0-9",),
        wants={"content-range": ANY, "etag": ANY}, part=slice(0, 10)),
    Row("74", V310, 206, "3.1.0", cached=("3.1.0",), headers=("Range: bytes=-1",), part=slice(-1, None)),
    Row("74b", V310, 416, cached=("3.1.0",), headers=("Range: bytes=999999999-",), wants={"content-range": ANY}),
    Row("74c", V310, 200, "3.1.0", cached=("3.1.0",), headers=("Range: lines=1-2",)),
    Row("74d", V310, 200, "3.1.0", cached=("3.1.0",), headers=("Range: bytes=0-1,3-4",)),
    Row("75", V310, 200, "3.1.0", cached=("3.1.0",), headers=("Range: bytes=0-9", 'If-Range: "old"')),
    Row("77", V310, 200, "3.1.0", cached=("3.1.0",), headers=("Accept-Encoding: gzip",),
        wants={"content-encoding": NONE}),
]
