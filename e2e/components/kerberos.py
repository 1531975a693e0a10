"""A Kerberos realm of a test's own: a key distribution centre (MIT's) for TEST.LOCAL on loopback."""
import subprocess

from components.component import Component, program

REALM = "TEST.LOCAL"
SERVICE = f"HTTP/localhost@{REALM}"  # the web server that tickets are for
USER = f"alice@{REALM}"

KRB5_CONF = """
[libdefaults]
  default_realm = {realm}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
  udp_preference_limit = 1
[realms]
  {realm} = {{
    kdc = 127.0.0.1:{port}
  }}
[domain_realm]
  localhost = {realm}
"""
KDC_CONF = """
[kdcdefaults]
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = 127.0.0.1:{port}
[realms]
  {realm} = {{
    database_name = {folder}/principal
    key_stash_file = {folder}/stash
    acl_file = {folder}/acl
    max_life = 1h
  }}
[logging]
  kdc = STDERR
"""


class Realm(Component):
    """`server_environment` is for programs with the service's key, `client_environment` for those with a ticket.

    environment_without_ticket() is for clients that know the realm and are nobody in it.
    """

    name = "krb5kdc"

    def __init__(self):
        self.program = program("krb5kdc")

    def prepare(self):
        self.config, self.keytab = self.folder / "krb5.conf", self.folder / "http.keytab"
        self.environment = {"KRB5_CONFIG": str(self.config), "KRB5_KDC_PROFILE": str(self.folder / "kdc.conf")}
        self._write_configuration(port=0)
        self._run("kdb5_util", "create", "-s", "-W", "-r", REALM, "-P", "master")
        for principal, keytab in ((SERVICE, self.keytab), (USER, self.folder / "alice.keytab")):
            self._run("kadmin.local", "-r", REALM, "addprinc", "-randkey", principal)
            self._run("kadmin.local", "-r", REALM, "ktadd", "-k", keytab, principal)

    def _write_configuration(self, port):
        values = {"realm": REALM, "port": port, "folder": self.folder}
        self.config.write_text(KRB5_CONF.format(**values))
        (self.folder / "kdc.conf").write_text(KDC_CONF.format(**values))

    def _run(self, name, *arguments, **more):
        done = subprocess.run([program(name), *map(str, arguments)], capture_output=True, text=True,
                              env={**self.environment, **more})
        assert done.returncode == 0, f"{name}: {done.stderr}"

    def command(self):
        self._write_configuration(self.port)
        return [self.program, "-n", "-r", REALM]

    def log_in(self):
        """Gets a ticket for USER; `client_environment` has it from then on."""
        cache = f"FILE:{self.folder / 'tickets'}"
        self._run("kinit", "-k", "-t", self.folder / "alice.keytab", USER, KRB5CCNAME=cache)

    @property
    def client_environment(self):
        return {"KRB5_CONFIG": str(self.config), "KRB5CCNAME": f"FILE:{self.folder / 'tickets'}"}

    def environment_without_ticket(self):
        return {"KRB5_CONFIG": str(self.config), "KRB5CCNAME": f"FILE:{self.folder / 'none'}"}

    @property
    def server_environment(self):
        return {"KRB5_CONFIG": str(self.config), "KRB5_KTNAME": f"FILE:{self.keytab}"}
