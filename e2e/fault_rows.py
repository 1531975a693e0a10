"""The rows of fault_table_test.py: what a symbol server does, and what our clients are told then.

Behaviours come from components/behaviours.py. What each outcome means is in docs/protocols/symstore.md; how it is put
to a client, in docs/protocols/symcache-http.md.
"""
import dataclasses
import gzip
import subprocess
from collections.abc import Callable

from components import behaviours as does
from components.component import program

# Outcomes. All but the first two and the last are in the log, in these words.
FOUND, ABSENT, FULL = "found", "absent", "disk full"
UNUSABLE, FORBIDDEN, UNAVAILABLE = "unusable", "forbidden", "unavailable"
TIMED_OUT, RATE_LIMITED, INCOMPLETE = "timed out", "rate limited", "incomplete"
WAIT = {FORBIDDEN: 300, UNAVAILABLE: 60, TIMED_OUT: 60, RATE_LIMITED: 10, INCOMPLETE: 1}  # seconds, the first time
SLACK = 5            # seconds of a wait that may be over when a polling client asks

# Bounds of the number of requests.
ONE, TWO = (1, 1), (2, 2)
KINDS = (2, 2)       # the PDB and the Breakpad file beside it
PLACES = (3, 3)      # the compressed file too
PERSISTENT = (6, 6)  # three attempts for each kind
PDB_ALONE = (4, 4)   # three attempts for the PDB; the start of the other says that it is no Breakpad file
FIVE = (5, 6)        # then the host is left alone; libcurl may repeat the first on another connection
NO_HTTP = (2, 3)     # the same

LARGE = 80 << 20     # bytes: worth fetching in parts


@dataclasses.dataclass
class Row:
    """One server and what follows from its behaviour."""

    why: str
    behaviour: Callable | None   # for /app.pdb/…; None: a redirect to `elsewhere`
    outcome: str
    asked: tuple                 # bounds of the number of requests to the server for the first request of a client
    retry: int = 0               # Retry-After in seconds; 0: as WAIT has it
    more: dict = dataclasses.field(default_factory=dict)  # further paths of the server
    elsewhere: Callable | None = None  # the same file on a server of another origin
    options: tuple = ()          # of symcached serve
    host: str = "127.0.0.1"
    tls: bool = False
    trusted: bool = False        # its certificate
    largest_file: int = 0        # bytes that the file system takes; 0: as many as there is space
    pending: bool = False        # takes longer than a test: a polling client is told to come back


class Files:
    """Bodies: a PDB with the id that is asked for, and wrappings of it."""

    def __init__(self, folder, pdb, other_pdb):
        self.pdb, self.other_pdb = pdb, other_pdb
        (folder / "app.pdb").write_bytes(pdb)
        (folder / "second.pdb").write_bytes(other_pdb)
        self.cabinet = self._cabinet(folder, "app.pdb")
        self.cabinet_of_two = self._cabinet(folder, "app.pdb", "second.pdb")
        self.cabinet_of_other = self._cabinet(folder, "second.pdb")

    @staticmethod
    def _cabinet(folder, *names):
        subprocess.run([program("gcab"), "-c", "-z", "out.cab", *names], cwd=folder, check=True, capture_output=True)
        return (folder / "out.cab").read_bytes()


def compressed_only(body):
    """The file is there under the compressed name alone."""
    async def behave(exchange):
        there = exchange.request.path.endswith("_")
        await (does.file(body) if there else does.answer(404))(exchange)
    return behave


def found(files):
    pdb, whole = files.pdb, does.file(files.pdb)
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
    plain = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n"
    packed, large = gzip.compress(pdb), pdb + bytes(LARGE)
    return [
        Row("a file", whole, FOUND, ONE),
        Row("in chunks", does.chunked(pdb), FOUND, ONE),
        Row("up to the end of the connection", does.raw(plain + pdb), FOUND, ONE),
        Row("as text", does.answer(200, pdb, "Content-Type: text/plain"), FOUND, ONE),
        Row("without a type", does.answer(200, pdb), FOUND, ONE),
        Row("behind early hints", does.raw(hints + plain + pdb), FOUND, ONE),
        Row("half a second late", does.late(0.5, whole), FOUND, ONE),
        Row("another ETag each time", does.other_etag_each_time(pdb), FOUND, ONE),
        Row("a large file", does.file(large), FOUND, (1, 6)),
        Row("a large file, another ETag each time", does.other_etag_each_time(large), FOUND, (1, 6)),
        Row("compressed", compressed_only(files.cabinet), FOUND, TWO),
        Row("compressed, under the plain name", does.file(files.cabinet), FOUND, ONE),
        Row("plain, under the compressed name", compressed_only(pdb), FOUND, TWO),
        Row("gzip as Content-Encoding", does.answer(200, packed, "Content-Encoding: gzip"), FOUND, ONE),
        Row("gzip as a file", does.file(packed), FOUND, ONE),
        Row("IPv6", whole, FOUND, ONE, host="::1"),
    ]


def redirects(files):
    whole = does.file(files.pdb)
    chain = lambda length: {f"/{i}": does.redirect(f"/{i + 1}") for i in range(1, length)} | {f"/{length}": whole}
    return [
        Row("redirect", does.redirect("/1"), FOUND, TWO, more={"/1": whole}),
        Row("redirect for ever", does.redirect("/1", 308), FOUND, TWO, more={"/1": whole}),
        Row("ten redirects", does.redirect("/1"), FOUND, (11, 11), more=chain(10)),
        Row("eleven redirects", does.redirect("/1"), UNAVAILABLE, (33, 33), more=chain(11)),
        Row("a loop of redirects", does.redirect_loop(), UNAVAILABLE, (33, 33)),
        Row("redirect to nowhere", does.answer(302), UNAVAILABLE, KINDS),
        Row("redirect to a file", does.redirect("file:///etc/passwd"), UNAVAILABLE, PLACES),
        Row("redirect to another protocol", does.redirect("ftp://127.0.0.1/app.pdb"), UNAVAILABLE, PLACES),
        Row("redirect to another origin", None, UNAVAILABLE, PLACES, elsewhere=whole),
        Row("redirect to another origin, allowed", None, FOUND, ONE, elsewhere=whole,
            options=("--private-redirects",)),
        Row("redirect from https to http", None, UNAVAILABLE, PLACES, elsewhere=whole, tls=True, trusted=True,
            options=("--private-redirects",)),
        Row("redirect to a private address", does.redirect("http://127.0.0.2:9/"), UNAVAILABLE, PLACES),
        Row("the same, spelled as a number", does.redirect("http://2130706434:9/"), UNAVAILABLE, PLACES),
        Row("redirect to the cloud's metadata", does.redirect("http://169.254.169.254/"), UNAVAILABLE, PLACES),
        Row("redirect to a port where nobody listens, allowed", does.redirect("http://127.0.0.1:9/"), UNAVAILABLE, FIVE,
            retry=10, options=("--private-redirects",)),
    ]


def statuses(files):
    """Statuses that stay, and those that pass."""
    whole, later = does.file(files.pdb), does.come_back
    soon, half_an_hour, two_years = {"outcome": RATE_LIMITED, "retry": 2}, 1800, 63072000
    gone = [Row(f"{status}", does.answer(status), ABSENT, PLACES) for status in (404, 410)]
    refused = [Row(f"{status}", does.answer(status), FORBIDDEN, PLACES) for status in (401, 403, 407)]
    odd = [Row(f"{status}", does.answer(status), UNAVAILABLE, KINDS) for status in (204, 300, 418)]
    failing = [Row(f"{status}", does.answer(status), UNAVAILABLE, FIVE, retry=10) for status in (500, 502, 503)]
    return gone + refused + odd + failing + [
        Row("404 with a page", does.page(404), ABSENT, PLACES),
        Row("408", does.answer(408), TIMED_OUT, PERSISTENT),
        Row("429", does.answer(429), RATE_LIMITED, TWO),
        Row("504", does.answer(504), TIMED_OUT, FIVE),
        Row("500 with Retry-After", later(500, 1800), UNAVAILABLE, FIVE, retry=10),
        Row("429, two seconds", later(429, 2), asked=PERSISTENT, **soon),
        Row("429, a date in two seconds", later(429, 2, as_date=True), asked=PERSISTENT, **soon),
        Row("429, half an hour", later(429, half_an_hour), RATE_LIMITED, ONE, retry=half_an_hour),
        Row("503, two seconds", later(503, 2), asked=FIVE, **soon),
        Row("503, a date in two seconds", later(503, 2, as_date=True), asked=FIVE, **soon),
        Row("503, half an hour", later(503, half_an_hour), RATE_LIMITED, ONE, retry=half_an_hour),
        Row("503, two years", later(503, two_years), RATE_LIMITED, ONE, retry=86_400),
        Row("429 with words for Retry-After", does.answer(429, b"", "Retry-After: soon"), RATE_LIMITED, TWO),
        Row("500 once, then a file", does.in_turn(does.answer(500), whole), FOUND, TWO),
        Row("503 once, then a file", does.in_turn(does.answer(503), whole), FOUND, TWO),
        Row("429 for a second, then a file", does.in_turn(later(429, 1), whole), FOUND, TWO),
    ]


def politeness(files):
    """What a client is told that asks again when it was told to: rows as (why, behaviour, the longest wait)."""
    whole, later = does.file(files.pdb), does.come_back
    return [
        ("429, two seconds, then a file", does.in_turn(later(429, 2), whole), 3),
        ("503, two seconds, then a file", does.in_turn(later(503, 2), whole), 3),
        ("429, seven seconds, then a file", does.in_turn(later(429, 7), whole), 8),
        ("cut, then whole", does.in_turn(*[does.cut(files.pdb, 0)] * 8, whole), 3),
    ]


def bodies(files):
    """What comes with 200 and is not what was asked for, or not all of it."""
    pdb, page, again = files.pdb, does.page, {"outcome": INCOMPLETE, "asked": PERSISTENT}
    whole, half = does.file(pdb), len(pdb) // 2
    half_once = does.cut(pdb, half)
    return [
        Row("a login page", page(), UNAVAILABLE, KINDS),
        Row("a login page called a file", page(content_type="application/octet-stream"), UNAVAILABLE, KINDS),
        Row("a login page with 203", page(203), UNAVAILABLE, KINDS),
        Row("an empty body", does.answer(200), INCOMPLETE, KINDS),
        Row("cut before the first byte", does.cut(pdb, 0), **again),
        Row("cut in the middle", does.cut(pdb, half), **again),
        Row("cut before the last byte", does.cut(pdb, len(pdb) - 1), INCOMPLETE, PDB_ALONE),
        Row("reset in the middle", does.cut(pdb, half, reset=True), **again),
        Row("no last chunk", does.chunked(pdb, ended=False), INCOMPLETE, PDB_ALONE),
        Row("longer than Content-Length", does.wrong_length(pdb, half), UNUSABLE, KINDS),
        Row("cut once, then whole", does.in_turn(half_once, whole), FOUND, TWO),
        Row("cut once, then another ETag", does.in_turn(half_once, does.file(pdb, '"two"')), FOUND, TWO),
        Row("cut once, then no ranges", does.in_turn(half_once, does.answer(200, pdb)), FOUND, TWO),
        Row("cut once, then a false range", does.in_turn(half_once, does.lying_range(pdb)), INCOMPLETE, PERSISTENT),
        Row("reset once, then whole", does.in_turn(does.cut(pdb, half, reset=True), whole), FOUND, TWO),
        Row("206 that nobody asked for", does.lying_range(pdb), INCOMPLETE, PERSISTENT),
        Row("another id", does.file(files.other_pdb), UNUSABLE, KINDS),
        Row("garbage", does.file(b"\x7fno format at all" * 100), UNUSABLE, KINDS),
        Row("half a PDB as a whole file", does.file(pdb[:half]), UNUSABLE, KINDS),
        Row("a cabinet with two members", compressed_only(files.cabinet_of_two), UNUSABLE, PLACES),
        Row("a cabinet with another PDB", compressed_only(files.cabinet_of_other), UNUSABLE, PLACES),
        Row("half a cabinet", compressed_only(files.cabinet[:len(files.cabinet) // 2]), UNUSABLE, PLACES),
        Row("a gzip bomb", does.gzip_bomb(256 << 20), UNUSABLE, KINDS),
        Row("12 GB", does.huge(12 << 30, pdb), FULL, TWO, largest_file=16 << 20),  # its id is looked at first
        Row("chunks without end", does.endless_chunks(), UNUSABLE, KINDS, largest_file=16 << 20),
    ]


def connections(files):
    """What is not HTTP, or not in time."""
    pdb, whole = files.pdb, does.file(files.pdb)
    head, two_lengths = b"HTTP/1.1 200 OK\r\n", b"Content-Length: 9\r\nContent-Length: 8\r\n\r\n"
    slow = {"outcome": INCOMPLETE, "asked": ONE, "pending": True}
    return [
        Row("closed at once", does.goodbye, UNAVAILABLE, FIVE, retry=10),
        Row("reset at once", does.slam, UNAVAILABLE, FIVE, retry=10),
        Row("reset once, then a file", does.in_turn(does.slam, whole), FOUND, TWO),
        Row("another protocol", does.raw(b"SSH-2.0-OpenSSH_9.2\r\n"), UNAVAILABLE, NO_HTTP),
        Row("half a status line", does.raw(b"HTTP/1."), UNAVAILABLE, FIVE, retry=10),
        Row("a negative length", does.raw(head + b"Content-Length: -1\r\n\r\n"), UNAVAILABLE, NO_HTTP),
        Row("two lengths", does.raw(head + two_lengths + pdb), INCOMPLETE, PERSISTENT),
        Row("headers without end", does.endless_head, UNAVAILABLE, NO_HTTP),
        Row("https", whole, FOUND, ONE, tls=True, trusted=True),
        Row("https, a certificate of nobody", whole, UNAVAILABLE, (0, 0), tls=True),
        Row("silence", does.silence, **slow),
        Row("slow headers", does.slow_head(pdb), **slow),
        Row("a slow body", does.slow_body(pdb), **slow),
    ]


def all_rows(files):
    return found(files) + redirects(files) + statuses(files) + bodies(files) + connections(files)
