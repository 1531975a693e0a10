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

FOUND, ABSENT, LATER, FINAL, FULL = "found", "absent", "later", "final", "disk full"
A_WHILE = (1, 3600)  # seconds: bounds of Retry-After where nobody said when
SOON = (1, 10)       # what came in part is asked for again within seconds
AS_TOLD = (1, 3)     # the server said two seconds
RETRIES = (2, 24)    # requests: two places, the plain and the compressed file, and a few attempts for each
MAYBE_RETRIES = (1, 24)
LARGE = 80 << 20     # bytes: worth fetching in parts

# Rows that the program does not get right yet. The test fails when one of them is right: then take it out.
RETRY = "nothing is asked a second time in one download"
PASS_ON = "the service does not pass on Retry-After"
OPEN = {
    **dict.fromkeys([
        "408", "429", "500", "502", "503", "504", "429 with words for Retry-After", "500 once, then a file",
        "503 once, then a file", "429 for a second, then a file", "cut before the first byte", "cut in the middle",
        "cut before the last byte", "reset in the middle", "no last chunk", "cut once, then whole",
        "cut once, then another ETag", "cut once, then no ranges", "cut once, then a false range",
        "reset once, then whole",
        "redirect to a port where nobody listens, allowed"], RETRY),
    **dict.fromkeys([
        "429, two seconds", "429, a date in two seconds", "429, half an hour", "503, two seconds",
        "503, a date in two seconds", "503, half an hour", "503, two years"], PASS_ON),
    "gzip as a file": "only cabinets are unpacked",
    "two lengths": "one of the two is believed",
}


@dataclasses.dataclass
class Row:
    """One server and what follows from its behaviour."""

    why: str
    behaviour: Callable | None   # for /app.pdb/…; None: a redirect to `elsewhere`
    outcome: str
    asked: tuple                 # bounds of the number of requests to the server for the first request of a client
    retry: tuple = A_WHILE       # LATER: bounds of Retry-After, in seconds
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


def exactly(number):
    return (number, number)


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
        Row("a file", whole, FOUND, exactly(1)),
        Row("in chunks", does.chunked(pdb), FOUND, exactly(1)),
        Row("up to the end of the connection", does.raw(plain + pdb), FOUND, exactly(1)),
        Row("as text", does.answer(200, pdb, "Content-Type: text/plain"), FOUND, exactly(1)),
        Row("without a type", does.answer(200, pdb), FOUND, exactly(1)),
        Row("behind early hints", does.raw(hints + plain + pdb), FOUND, exactly(1)),
        Row("half a second late", does.late(0.5, whole), FOUND, exactly(1)),
        Row("another ETag each time", does.other_etag_each_time(pdb), FOUND, exactly(1)),
        Row("a large file", does.file(large), FOUND, (1, 6)),
        Row("a large file, another ETag each time", does.other_etag_each_time(large), FOUND, MAYBE_RETRIES),
        Row("compressed", compressed_only(files.cabinet), FOUND, exactly(2)),
        Row("compressed, under the plain name", does.file(files.cabinet), FOUND, exactly(1)),
        Row("plain, under the compressed name", compressed_only(pdb), FOUND, exactly(2)),
        Row("gzip as Content-Encoding", does.answer(200, packed, "Content-Encoding: gzip"), FOUND, exactly(1)),
        Row("gzip as a file", does.file(packed), FOUND, exactly(1)),
        Row("IPv6", whole, FOUND, exactly(1), host="::1"),
    ]


def redirects(files):
    whole = does.file(files.pdb)
    chain = lambda length: {f"/{i}": does.redirect(f"/{i + 1}") for i in range(1, length)} | {f"/{length}": whole}
    return [
        Row("redirect", does.redirect("/1"), FOUND, exactly(2), more={"/1": whole}),
        Row("redirect for ever", does.redirect("/1", 308), FOUND, exactly(2), more={"/1": whole}),
        Row("ten redirects", does.redirect("/1"), FOUND, exactly(11), more=chain(10)),
        Row("eleven redirects", does.redirect("/1"), LATER, (11, 22), more=chain(11)),
        Row("a loop of redirects", does.redirect_loop(), LATER, (11, 22)),
        Row("redirect to nowhere", does.answer(302), LATER, (1, 2)),
        Row("redirect to a file", does.redirect("file:///etc/passwd"), LATER, (1, 2)),
        Row("redirect to another protocol", does.redirect("ftp://127.0.0.1/app.pdb"), LATER, (1, 2)),
        Row("redirect to another origin", None, LATER, (1, 2), elsewhere=whole),
        Row("redirect to another origin, allowed", None, FOUND, exactly(1), elsewhere=whole,
            options=("--private-redirects",)),
        Row("redirect from https to http", None, LATER, (1, 2), elsewhere=whole, tls=True, trusted=True,
            options=("--private-redirects",)),
        Row("redirect to a private address", does.redirect("http://127.0.0.2:9/"), LATER, (1, 2)),
        Row("the same, spelled as a number", does.redirect("http://2130706434:9/"), LATER, (1, 2)),
        Row("redirect to the cloud's metadata", does.redirect("http://169.254.169.254/"), LATER, (1, 2)),
        Row("redirect to a port where nobody listens, allowed", does.redirect("http://127.0.0.1:9/"), LATER, RETRIES,
            options=("--private-redirects",)),
    ]


def statuses(files):
    """Statuses that stay, and those that pass."""
    whole, later = does.file(files.pdb), does.come_back
    gone = [Row(f"{status}", does.answer(status), ABSENT, exactly(2)) for status in (404, 410)]
    refused = [Row(f"{status}", does.answer(status), LATER, (1, 2)) for status in (401, 403, 407, 418, 204, 300)]
    failing = [Row(f"{status}", does.answer(status), LATER, RETRIES) for status in (408, 429, 500, 502, 503, 504)]
    return gone + refused + failing + [
        Row("404 with a page", does.page(404), ABSENT, exactly(2)),
        Row("429, two seconds", later(429, 2), LATER, RETRIES, retry=AS_TOLD),
        Row("429, a date in two seconds", later(429, 2, as_date=True), LATER, RETRIES, retry=AS_TOLD),
        Row("429, half an hour", later(429, 1800), LATER, exactly(1), retry=(1700, 1800)),
        Row("503, two seconds", later(503, 2), LATER, RETRIES, retry=AS_TOLD),
        Row("503, a date in two seconds", later(503, 2, as_date=True), LATER, RETRIES, retry=AS_TOLD),
        Row("503, half an hour", later(503, 1800), LATER, exactly(1), retry=(1700, 1800)),
        Row("503, two years", later(503, 63072000), LATER, exactly(1), retry=(80_000, 86_400)),
        Row("429 with words for Retry-After", does.answer(429, b"", "Retry-After: soon"), LATER, RETRIES),
        Row("500 once, then a file", does.in_turn(does.answer(500), whole), FOUND, exactly(2)),
        Row("503 once, then a file", does.in_turn(does.answer(503), whole), FOUND, exactly(2)),
        Row("429 for a second, then a file", does.in_turn(later(429, 1), whole), FOUND, exactly(2)),
    ]


def bodies(files):
    """What comes with 200 and is not what was asked for, or not all of it."""
    pdb, page, again = files.pdb, does.page, {"outcome": LATER, "asked": RETRIES, "retry": SOON}
    whole, half = does.file(pdb), len(pdb) // 2
    half_once = does.cut(pdb, half)
    return [
        Row("a login page", page(), LATER, (1, 2)),
        Row("a login page called a file", page(content_type="application/octet-stream"), LATER, (1, 2)),
        Row("a login page with 203", page(203), LATER, (1, 2)),
        Row("an empty body", does.answer(200), LATER, MAYBE_RETRIES, retry=SOON),
        Row("cut before the first byte", does.cut(pdb, 0), **again),
        Row("cut in the middle", does.cut(pdb, half), **again),
        Row("cut before the last byte", does.cut(pdb, len(pdb) - 1), **again),
        Row("reset in the middle", does.cut(pdb, half, reset=True), **again),
        Row("no last chunk", does.chunked(pdb, ended=False), **again),
        Row("longer than Content-Length", does.wrong_length(pdb, half), FINAL, (1, 2)),
        Row("cut once, then whole", does.in_turn(half_once, whole), FOUND, exactly(2)),
        Row("cut once, then another ETag", does.in_turn(half_once, does.file(pdb, '"two"')), FOUND, exactly(2)),
        Row("cut once, then no ranges", does.in_turn(half_once, does.answer(200, pdb)), FOUND, exactly(2)),
        Row("cut once, then a false range", does.in_turn(half_once, does.lying_range(pdb)), LATER, RETRIES),
        Row("reset once, then whole", does.in_turn(does.cut(pdb, half, reset=True), whole), FOUND, exactly(2)),
        Row("206 that nobody asked for", does.lying_range(pdb), LATER, MAYBE_RETRIES),
        Row("another id", does.file(files.other_pdb), FINAL, (1, 2)),
        Row("garbage", does.file(b"\x7fno format at all" * 100), FINAL, (1, 2)),
        Row("half a PDB as a whole file", does.file(pdb[:half]), FINAL, (1, 2)),
        Row("a cabinet with two members", compressed_only(files.cabinet_of_two), FINAL, exactly(2)),
        Row("a cabinet with another PDB", compressed_only(files.cabinet_of_other), FINAL, exactly(2)),
        Row("half a cabinet", compressed_only(files.cabinet[:len(files.cabinet) // 2]), FINAL, exactly(2)),
        Row("a gzip bomb", does.gzip_bomb(256 << 20), FINAL, (1, 2)),
        Row("12 GB", does.huge(12 << 30, pdb), FULL, (1, 2), largest_file=16 << 20),
        Row("chunks without end", does.endless_chunks(), FULL, (1, 2), largest_file=16 << 20),
    ]


def connections(files):
    """What is not HTTP, or not in time."""
    pdb, whole = files.pdb, does.file(files.pdb)
    head, two_lengths = b"HTTP/1.1 200 OK\r\n", b"Content-Length: 9\r\nContent-Length: 8\r\n\r\n"
    slow = {"outcome": LATER, "asked": exactly(1), "retry": SOON, "pending": True}
    return [
        Row("closed at once", does.goodbye, LATER, RETRIES),
        Row("reset at once", does.slam, LATER, RETRIES),
        Row("reset once, then a file", does.in_turn(does.slam, whole), FOUND, exactly(2)),
        Row("another protocol", does.raw(b"SSH-2.0-OpenSSH_9.2\r\n"), LATER, MAYBE_RETRIES),
        Row("half a status line", does.raw(b"HTTP/1."), LATER, MAYBE_RETRIES),
        Row("a negative length", does.raw(head + b"Content-Length: -1\r\n\r\n"), LATER, MAYBE_RETRIES),
        Row("two lengths", does.raw(head + two_lengths + pdb), LATER, MAYBE_RETRIES),
        Row("headers without end", does.endless_head, LATER, MAYBE_RETRIES),
        Row("https", whole, FOUND, exactly(1), tls=True, trusted=True),
        Row("https, a certificate of nobody", whole, LATER, exactly(0), tls=True),
        Row("silence", does.silence, **slow),
        Row("slow headers", does.slow_head(pdb), **slow),
        Row("a slow body", does.slow_body(pdb), **slow),
    ]


def all_rows(files):
    return found(files) + redirects(files) + statuses(files) + bodies(files) + connections(files)
