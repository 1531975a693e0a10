"""An S3 server, versitygw, with one private bucket; built once, where there are Go and a network."""
import fcntl
import os
import pathlib
import shutil
import subprocess
import urllib.parse

from components.component import Component, Lacking, program
from program import ROOT

MODULE = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
BUILT = ROOT / "build/components/versitygw"
GO_PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/go/bin"])


def versitygw():
    """Its path; builds it if it is not there, which takes minutes. Lacking if that is not possible."""
    if installed := shutil.which("versitygw"):
        return installed
    BUILT.parent.mkdir(parents=True, exist_ok=True)
    with open(BUILT.parent / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not BUILT.exists():
            build()
    return BUILT


def build():
    go = shutil.which("go", path=GO_PLACES)
    if go is None:
        raise Lacking("go, which builds versitygw, is not installed")
    done = subprocess.run([go, "install", MODULE], env={**os.environ, "GOBIN": str(BUILT.parent)}, capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise Lacking(f"versitygw cannot be built: {(done.stderr.strip() or 'no reason given').splitlines()[-1]}")


class S3(Component):
    """Has a copy of each file below `symbols` in `bucket`; only `access_key` with `secret_key` may read it.

    tls: certificates.Authority; then `url` is https.
    """

    name = "versitygw"
    region, bucket = "us-east-1", "symbols"
    access_key, secret_key = "reader", "not-a-secret"

    def __init__(self, symbols, *, tls=None):
        self.program, self.curl, self.symbols, self.tls = versitygw(), program("curl"), pathlib.Path(symbols), tls

    def prepare(self):
        for name in ("objects", "attributes"):
            (self.folder / name).mkdir()
        self.environment = {"ROOT_ACCESS_KEY": self.access_key, "ROOT_SECRET_KEY": self.secret_key}

    def command(self):
        tls = ["--cert", self.tls.certificate, "--key", self.tls.key] if self.tls else []
        return [self.program, "--port", f"127.0.0.1:{self.port}", "--region", self.region, *tls, "posix", "--sidecar",
                self.folder / "attributes", self.folder / "objects"]

    def start(self, undo):
        super().start(undo)
        self.request("", "-X", "PUT")
        for path in sorted(self.symbols.rglob("*")):
            if path.is_file():
                self.put(path.relative_to(self.symbols).as_posix(), path.read_bytes())

    def signed(self, key):
        """Arguments of curl for a signed request; the secret is in a file, as a command line is there to be seen."""
        netrc = self.folder / "netrc"
        netrc.write_text(f"machine 127.0.0.1 login {self.access_key} password {self.secret_key}\n")
        return ["--netrc-file", netrc, "--aws-sigv4", f"aws:amz:{self.region}:s3", "-H",
                "x-amz-content-sha256: UNSIGNED-PAYLOAD", self.url_of(key)]

    def request(self, key, *arguments, body=None):
        trust = ["--cacert", self.tls.ca] if self.tls else []
        command = [self.curl, "-sS", "--fail-with-body", *trust, *arguments, *self.signed(key)]
        done = subprocess.run(command, input=body, capture_output=True)
        assert done.returncode == 0, f"{key}: {done.stderr.decode()}{done.stdout.decode()}\n{self.log()}"
        return done.stdout

    def put(self, key, data):
        self.request(key, "--data-binary", "@-", "-X", "PUT", "-H", "Content-Type: application/octet-stream", body=data)

    def get(self, key):
        return self.request(key)

    def url_of(self, key):
        return f"{self.url}/{self.bucket}" + (f"/{urllib.parse.quote(key)}" if key else "")

    @property
    def url(self):
        """The endpoint, for addresses of the form endpoint/bucket/key."""
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
