"""Clients as no server wishes for: they reset, stall, flood, lie and leave. Used by survive_test.py and tools/soak.py.

Every function takes a Server (server.py), is done with it when it returns, and leaves no connection open.
"""
import errno
import random
import shutil
import socket
import struct
import subprocess

ANY = b"Host: test\r\n\r\n"


def request(path, method="GET"):
    return f"{method} {path} HTTP/1.1\r\n".encode() + ANY


def reset(client):
    """Ends a connection with RST instead of FIN."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def end_of_requests(client):
    """Ends what a client sends; the connection may have been reset already."""
    try:
        client.shutdown(socket.SHUT_WR)
    except OSError as error:
        if error.errno != errno.ENOTCONN:
            raise


def reset_downloads(server, path, count, chance):
    """Downloads that are reset after some bytes of their body."""
    for _ in range(count):
        client = server.connect(receive_buffer=4096)
        client.sendall(request(path))
        if chance.random() < 0.8:
            client.recv(chance.randrange(1, 100_000))
        reset(client)


def cut_bursts(server, path, count, chance):
    """Bursts of 20 pipelined requests, reset or half closed after some of the answers."""
    for _ in range(count):
        client = server.connect()
        client.sendall(request(path) * 20)
        for _ in range(chance.randrange(4)):
            client.recv(4096)
        if chance.random() < 0.5:
            reset(client)
        else:
            end_of_requests(client)
            client.recv(4096)
            client.close()


def malformed(chance):
    """One request that no client should send."""
    good = bytearray(request("/healthcheck"))
    kind = chance.randrange(8)
    if kind == 0:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(1, 400)))
    if kind == 1:
        return b"GET /healthcheck HTTP/" + bytes([chance.randrange(256)]) * chance.randrange(1, 9) + b"\r\n" + ANY
    if kind == 2:
        return b"POST / HTTP/1.1\r\nContent-Length: -" + str(chance.randrange(1 << 40)).encode() + b"\r\n" + ANY
    if kind == 3:
        return b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + ANY + b"zz\r\nab\r\n"
    if kind == 4:
        return b"GET " + chance.randbytes(chance.randrange(1, 3000)) + b" HTTP/1.1\r\n" + ANY
    if kind == 5:
        return b"GET /healthcheck HTTP/1.1\r\n" + b"A" * chance.randrange(1, 300) + b"\r\n" + ANY
    for _ in range(chance.randrange(1, 6)):
        good[chance.randrange(len(good))] = chance.randrange(256)
    return bytes(good)


def send_malformed(server, count, chance):
    for _ in range(count):
        client = server.connect()
        try:
            client.sendall(malformed(chance))
            end_of_requests(client)
            while client.recv(4096):
                pass
        except ConnectionError:
            pass
        client.close()


def status_of_head(server, head):
    """What a head is answered with; 0 if the connection just ends."""
    client = server.connect()
    try:
        client.sendall(head)
        start = client.recv(64)
    except ConnectionError:
        start = b""
    client.close()
    return int(start.split()[1]) if start.startswith(b"HTTP/") else 0


def half_sent_heads(server, count):
    """Connections that stay in the middle of a head; the caller closes them."""
    clients = [server.connect() for _ in range(count)]
    for client in clients:
        client.sendall(b"GET /healthcheck HT")
    return clients


def deaf_readers(server, path, count):
    """Connections that ask for a body and never read; the caller closes them."""
    clients = [server.connect(receive_buffer=4096) for _ in range(count)]
    for client in clients:
        client.sendall(request(path))
    return clients


def close_all(clients, chance):
    for client in clients:
        if chance.random() < 0.5:
            reset(client)
        else:
            client.close()


def wrk(server, path, seconds=1, connections=32):
    """A load generator, which leaves in the middle of its answers."""
    assert shutil.which("wrk"), "wrk is not installed"
    subprocess.run(["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", server.url + path], check=True,
                   stdout=subprocess.DEVNULL)


def chance_of(seed):
    return random.Random(seed)
