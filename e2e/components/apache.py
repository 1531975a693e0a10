"""Apache over a folder with symbols, for users with a Kerberos ticket only (mod_auth_gssapi)."""
import os
import pathlib
import tempfile

from components.component import Component, Lacking, program

MODULES = pathlib.Path("/usr/lib/apache2/modules")
LOADED = ["mpm_event", "authn_core", "authz_core", "authz_user", "mime", "auth_gssapi"]
UNPRIVILEGED = "User nobody\nGroup nogroup\n"  # what it does the work as if root starts it

CONFIG = """
ServerName localhost
ServerRoot {folder}
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/log
LogLevel info
StartServers 1
DocumentRoot {store}
TypesConfig /dev/null
<Directory {store}>
  AuthType GSSAPI
  AuthName symbols
  GssapiCredStore keytab:{keytab}
  GssapiSSLonly Off
  GssapiAllowedMech krb5
  Require valid-user
  {type}
</Directory>
"""


def let_everyone_read(path):
    """Opens `path` and the temporary folders above it: Apache started by root serves as nobody."""
    below = [path, *path.rglob("*")]
    above = [parent for parent in path.parents if pathlib.Path(tempfile.gettempdir()) in parent.parents]
    for each in [*below, *above]:
        each.chmod(each.stat().st_mode | (0o555 if each.is_dir() else 0o444))


class KerberosApache(Component):
    """Serves `store` to users with a ticket of `realm` (kerberos.Realm); everyone else gets 401 and `Negotiate`.

    media_type: of all files; otherwise none is stated.
    """

    name = "apache2"

    def __init__(self, store, realm, *, media_type=None):
        self.program, self.store, self.realm = program("apache2"), pathlib.Path(store), realm
        self.type = f"ForceType {media_type}" if media_type else ""
        if not (MODULES / "mod_auth_gssapi.so").exists():
            raise Lacking("libapache2-mod-auth-gssapi is not installed")

    def prepare(self):
        self.environment = self.realm.server_environment
        if os.geteuid() == 0:
            for path in (self.store, self.folder, self.realm.folder):
                let_everyone_read(path)

    def command(self):
        lines = [f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in LOADED]
        config = self.folder / "apache.conf"
        config.write_text("\n".join(lines) + CONFIG.format(
            folder=self.folder, port=self.port, store=self.store, keytab=self.realm.keytab,
            type=self.type)
            + (UNPRIVILEGED if os.geteuid() == 0 else ""))
        return [self.program, "-f", config, "-DFOREGROUND"]

    @property
    def url(self):
        return f"http://localhost:{self.port}"  # by this name: tickets are for HTTP/localhost
