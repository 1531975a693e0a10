"""An HTTP server that behaves as badly as it is told to, path by path; behaviours.py has the ways."""
import asyncio
import contextlib
import dataclasses
import pathlib
import socket
import ssl
import struct
import threading
import time

MOST_HEAD = 64 << 10  # bytes of a request
POLL = 0.005  # seconds
REASONS = {200: "OK", 206: "Partial Content", 302: "Found", 404: "Not Found", 416: "Range Not Satisfiable",
           429: "Too Many Requests", 503: "Service Unavailable"}


@dataclasses.dataclass
class Request:
    method: str
    path: str
    headers: dict  # by lower-case name
    at: float      # time.monotonic()


class Hangup(Exception):
    """Ends a connection."""


class Exchange:
    """One request and the connection to answer it on; `number` counts the requests to the same behaviour, from 1."""

    def __init__(self, request, number, reader, writer):
        self.request, self.number, self._reader, self._writer = request, number, reader, writer

    async def send(self, data):
        self._writer.write(data)
        await self._writer.drain()

    async def head(self, status, *headers, length=None):
        """Status line and headers: lines of text; `length` is what Content-Length claims."""
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}", *headers]
        if length is not None:
            lines.append(f"Content-Length: {length}")
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def answer(self, status, body=b"", *headers):
        """A whole answer; the connection stays open."""
        await self.head(status, *headers, length=len(body))
        if self.request.method != "HEAD":
            await self.send(body)

    def hang_up(self):
        raise Hangup

    def reset(self):
        """Ends the connection with RST instead of FIN."""
        linger = struct.pack("ii", 1, 0)
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        raise Hangup

    async def until_read(self):
        """The client has taken all that was sent."""
        while self._writer.transport.get_write_buffer_size() or self._unread():
            await asyncio.sleep(POLL)

    def _unread(self):
        """Bytes that wait in the client's socket, which is on this machine."""
        ours, theirs = (self._writer.get_extra_info(end)[1] for end in ("sockname", "peername"))
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, _, queues, *_ = line.split()
            if (int(local.rpartition(":")[2], 16), int(remote.rpartition(":")[2], 16)) == (theirs, ours):
                return int(queues.rpartition(":")[2], 16)
        return 0  # the client has left

    async def until_client_leaves(self):
        await self._reader.read()
        raise Hangup


async def not_found(exchange):
    await exchange.answer(404, b"no such file\n", "Content-Type: text/plain")


class FaultServer:
    """A context manager around the server, which runs in a thread of its own on a free port.

    `table` maps a path, or the first part of one ("app.pdb"), in any case, to a behaviour: a coroutine function that
    gets an Exchange. All other paths are 404. `tls`: certificates.Authority; `host`: "::1" for IPv6.
    """

    def __init__(self, table=None, *, host="127.0.0.1", tls=None):
        self.table = {key.lower(): behaviour for key, behaviour in (table or {}).items()}
        self.requests = []  # every Request, in order
        self._counts = {}
        self._host, self._context = host, None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(tls.certificate, tls.key)
        name = f"[{host}]" if ":" in host else host
        self._listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://{name}:{self.port}"

    def __enter__(self):
        self._loop, self._over = asyncio.new_event_loop(), asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def asked(self, part=""):
        """The requests whose path contains `part`, in any case."""
        return [request for request in list(self.requests) if part.lower() in request.path.lower()]

    def _run(self):
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self):
        self._connections = set()
        server = await asyncio.start_server(self._connection, sock=self._listener, ssl=self._context, limit=MOST_HEAD)
        await self._over.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connection(self, reader, writer):
        task = asyncio.current_task()
        self._connections.add(task)
        try:
            while True:
                await self._exchange(reader, writer)
        except (Hangup, ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # one of both has left
        except asyncio.CancelledError:
            pass  # the test is over; asyncio would complain
        finally:
            self._connections.discard(task)
            writer.close()

    async def _exchange(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        request = Request(method, path, headers, time.monotonic())
        self.requests.append(request)
        key = next((key for key in (path.lower(), path.lower().split("/")[1]) if key in self.table), None)
        number = self._counts[key] = self._counts.get(key, 0) + 1
        await self.table.get(key, not_found)(Exchange(request, number, reader, writer))
