"""A certificate authority of a test's own, and a certificate for loopback that it signed."""
import os
import pathlib
import shlex
import subprocess

from components.component import Lacking, program

TRUSTED = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")  # what Debian's libcurl trusts

EXTENSIONS = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1\n"


# Run in a mount namespace of its own: only the program sees another file of trusted authorities.
BIND = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'


class Authority:
    """In `folder`: `ca` is the authority's certificate, `certificate` and `key` are the server's. All in PEM."""

    def __init__(self, folder):
        self.ca, self.certificate, self.key = (folder / name for name in ("ca.pem", "server.pem", "server.key"))
        self._folder = folder
        new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        self._openssl("req", "-x509", *new_key, "-subj", "/CN=Tests", "-days", 2, "-keyout", folder / "ca.key", "-out",
                      self.ca)
        self._openssl("req", *new_key, "-subj", "/CN=localhost", "-keyout", self.key, "-out", folder / "request.pem")
        (folder / "extensions").write_text(EXTENSIONS)
        self._openssl("x509", "-req", "-in", folder / "request.pem", "-CA", self.ca, "-CAkey", folder / "ca.key",
                      "-CAcreateserial", "-days", 2, "-extfile", folder / "extensions", "-out", self.certificate)

    def _openssl(self, *arguments):
        subprocess.run([program("openssl"), *map(str, arguments)], check=True, capture_output=True, cwd=self._folder)

    def trusted_by(self, wrapped):
        """The path of a program that runs `wrapped` so that it trusts this authority. Lacking if that takes root."""
        unshare = [program("unshare"), "-m" if os.geteuid() == 0 else "-Urm"]
        if not TRUSTED.exists() or subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
            raise Lacking(f"{TRUSTED} cannot be replaced for one program")
        path = self._folder / "trusting"
        command = [*unshare, "sh", "-c", BIND, "sh", str(self.ca), str(TRUSTED), str(wrapped)]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        path.chmod(0o755)
        return path
