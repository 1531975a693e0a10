"""What a server can do wrong, as coroutine functions for the table of faults.FaultServer.

Each function here returns one. `data` is the body that an honest server would send.
"""
import asyncio
import email.utils
import re
import time
import zlib

PDB = "Content-Type: application/octet-stream"
PAGE = b"<!DOCTYPE html><html><body><form action='/login'>Sign in</form></body></html>"
ZEROS = bytes(1 << 16)
TICK = 0.1  # seconds between the bytes of something slow


# --- whole answers ----------------------------------------------------------------------------------------------------


def answer(status, body=b"", *headers):
    async def behave(exchange):
        await exchange.answer(status, body, *headers)
    return behave


def in_turn(*behaviours):
    """The first request meets the first one, and so on; the last one is for all that follow."""
    async def behave(exchange):
        await behaviours[min(exchange.number, len(behaviours)) - 1](exchange)
    return behave


def file(data, etag='"one"'):
    """As it should be, with ranges."""
    async def behave(exchange):
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", exchange.request.headers.get("range", ""))
        if not wanted or exchange.request.headers.get("if-range", etag) != etag:
            return await exchange.answer(200, data, PDB, f"ETag: {etag}", "Accept-Ranges: bytes")
        first, last = int(wanted[1]), min(int(wanted[2] or len(data)), len(data) - 1)
        if first > last:
            return await exchange.answer(416, b"", f"Content-Range: bytes */{len(data)}")
        part = f"Content-Range: bytes {first}-{last}/{len(data)}"
        await exchange.answer(206, data[first:last + 1], PDB, f"ETag: {etag}", part)
    return behave


def page(status=200, content_type="text/html"):
    """A login page where a file was wanted."""
    return answer(status, PAGE, f"Content-Type: {content_type}")


def come_back(status, seconds, as_date=False):
    """429 or 503 with Retry-After."""
    async def behave(exchange):
        when = email.utils.formatdate(time.time() + seconds, usegmt=True) if as_date else seconds
        await exchange.answer(status, b"later\n", f"Retry-After: {when}")
    return behave


def redirect(target, status=302):
    """`target`: a URL; one that ends with a slash gets the path of the request."""
    async def behave(exchange):
        path = exchange.request.path.lstrip("/") if target.endswith("/") else ""
        await exchange.answer(status, b"", f"Location: {target}{path}")
    return behave


def redirect_loop():
    async def behave(exchange):
        await exchange.answer(302, b"", f"Location: {exchange.request.path}")
    return behave


def gzip_bomb(unpacked):
    """`unpacked` zero bytes in a thousandth of the space, as Content-Encoding."""
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(ZEROS) for _ in range(unpacked // len(ZEROS))) + packer.flush()
    return answer(200, packed, PDB, "Content-Encoding: gzip")


# --- false answers ----------------------------------------------------------------------------------------------------


def lying_range(data, shift=1):
    """Every answer is a 206 that has other bytes than it says."""
    async def behave(exchange):
        span = f"Content-Range: bytes {shift}-{len(data) - 1}/{len(data)}"
        await exchange.answer(206, data[:-shift], PDB, span)
    return behave


def other_etag_each_time(data):
    """Two parts of it never belong together."""
    async def behave(exchange):
        await file(data, f'"number {exchange.number}"')(exchange)
    return behave


def raw(data):
    """These bytes, then the end of the connection."""
    async def behave(exchange):
        await exchange.send(data)
        exchange.hang_up()
    return behave


# --- broken bodies ----------------------------------------------------------------------------------------------------


def cut(data, sent, reset=False, etag='"one"'):
    """`sent` bytes of the body, then FIN or RST."""
    async def behave(exchange):
        await exchange.head(200, PDB, f"ETag: {etag}", "Accept-Ranges: bytes", length=len(data))
        await exchange.send(data[:sent])
        if reset:
            await exchange.until_read()  # RST discards the rest
            exchange.reset()
        exchange.hang_up()
    return behave


def wrong_length(data, claimed):
    """Content-Length is not the size of what is sent."""
    async def behave(exchange):
        await exchange.head(200, PDB, length=claimed)
        await exchange.send(data)
        exchange.hang_up()
    return behave


def chunked(data, ended=True):
    """In chunks; without the last one if not `ended`, and the connection closes."""
    async def behave(exchange):
        await exchange.head(200, PDB, "Transfer-Encoding: chunked")
        await exchange.send(b"%x\r\n%b\r\n" % (len(data), data))
        if not ended:
            exchange.hang_up()
        await exchange.send(b"0\r\n\r\n")
    return behave


def endless_chunks(most=1 << 36):
    """Zeros in chunks until the client leaves, or until `most` bytes of a test that nobody ends."""
    async def behave(exchange):
        await exchange.head(200, PDB, "Transfer-Encoding: chunked")
        for _ in range(most // len(ZEROS)):
            await exchange.send(b"%x\r\n%b\r\n" % (len(ZEROS), ZEROS))
    return behave


def huge(size, begins=b""):
    """`size` bytes: `begins`, then zeros, until the client leaves."""
    async def behave(exchange):
        await exchange.head(200, PDB, length=size)
        await exchange.send(begins)
        for left in range(size - len(begins), 0, -len(ZEROS)):
            await exchange.send(ZEROS[:left])
    return behave


# --- slowness and silence ---------------------------------------------------------------------------------------------


def slow_head(data):
    """A byte of the headers at a time."""
    async def behave(exchange):
        for byte in f"HTTP/1.1 200 OK\r\n{PDB}\r\nContent-Length: {len(data)}\r\n\r\n".encode():
            await exchange.send(bytes([byte]))
            await asyncio.sleep(TICK)
        await exchange.send(data)
    return behave


def slow_body(data, piece=16):
    """`piece` bytes of the body at a time."""
    async def behave(exchange):
        await exchange.head(200, PDB, length=len(data))
        for at in range(0, len(data), piece):
            await exchange.send(data[at:at + piece])
            await asyncio.sleep(TICK)
    return behave


def late(seconds, then):
    """Nothing for some time, then another behaviour."""
    async def behave(exchange):
        await asyncio.sleep(seconds)
        await then(exchange)
    return behave


async def silence(exchange):
    """Accepts, reads and says nothing."""
    await exchange.until_client_leaves()


async def goodbye(exchange):
    """Closes as soon as it has read the request."""
    exchange.hang_up()


async def slam(exchange):
    """The same with RST."""
    exchange.reset()


async def endless_head(exchange):
    """Headers without end."""
    await exchange.send(b"HTTP/1.1 200 OK\r\n")
    for number in range(1 << 24):
        await exchange.send(b"X-Number-%d: %b\r\n" % (number, b"x" * 1000))
