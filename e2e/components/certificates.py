"""A certificate authority of a test's own, and a certificate for loopback that it signed."""
import subprocess

from components.component import program

EXTENSIONS = "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1\n"


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
