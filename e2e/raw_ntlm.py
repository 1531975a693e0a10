#!/usr/bin/env python3
"""raw_ntlm.py HOST PORT PATH: logs in by NTLM whose messages are not wrapped in SPNEGO, as some clients of Windows do.

Prints the status of each answer, with "challenge" behind it if that carries NTLM's second message; then asks once more
without a header on the same connection. gss-ntlmssp makes the messages, for the user in the file NTLM_USER_FILE.
"""
import base64
import ctypes
import http.client
import sys

CONTINUE_NEEDED = 1
SIGNATURE = b"NTLMSSP\0"


class Buffer(ctypes.Structure):
    _fields_ = [("length", ctypes.c_size_t), ("value", ctypes.c_void_p)]

    @classmethod
    def of(cls, data):
        return cls(len(data), ctypes.cast(ctypes.create_string_buffer(data, len(data)), ctypes.c_void_p))


class Oid(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint32), ("elements", ctypes.c_void_p)]

    @classmethod
    def of(cls, data):
        return cls(len(data), ctypes.cast(ctypes.create_string_buffer(data, len(data)), ctypes.c_void_p))


NTLM = Oid.of(bytes.fromhex("2b06010401823702020a"))
HOST_BASED_SERVICE = Oid.of(bytes.fromhex("2a864886f71201020104"))
GSSAPI = ctypes.CDLL("libgssapi_krb5.so.2")


class LogIn:
    """The client's end."""

    def __init__(self, host):
        self.minor, self.context, self.name = ctypes.c_uint32(), ctypes.c_void_p(), ctypes.c_void_p()
        service = Buffer.of(f"HTTP@{host}".encode())
        major = GSSAPI.gss_import_name(ctypes.byref(self.minor), ctypes.byref(service),
                                       ctypes.byref(HOST_BASED_SERVICE), ctypes.byref(self.name))
        assert major == 0, hex(major)

    def step(self, received):
        """The next message."""
        sent, null = Buffer(), ctypes.c_void_p()
        major = GSSAPI.gss_init_sec_context(ctypes.byref(self.minor), null, ctypes.byref(self.context), self.name,
                                            ctypes.byref(NTLM), 0, 0, null, ctypes.byref(Buffer.of(received)), null,
                                            ctypes.byref(sent), null, null)
        assert major in (0, CONTINUE_NEEDED), hex(major)
        message = ctypes.string_at(sent.value, sent.length)
        assert message.startswith(SIGNATURE), message
        return message


def main():
    host, port, path = sys.argv[1:]
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
    log_in, received = LogIn(host), b""
    for _ in range(2):
        token = base64.b64encode(log_in.step(received)).decode()
        connection.request("GET", path, headers={"Host": f"{host}:{port}", "Authorization": f"Negotiate {token}"})
        answer = connection.getresponse()
        received = base64.b64decode(answer.headers.get("WWW-Authenticate", "").partition("Negotiate ")[2])
        answer.read()
        print(answer.status, "challenge" if received.startswith(SIGNATURE + b"\2") else "")
        if answer.status != 401 or not received:
            break
    connection.request("GET", path, headers={"Host": f"{host}:{port}"})
    print(connection.getresponse().status)


if __name__ == "__main__":
    main()
