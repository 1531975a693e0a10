"""nginx over a folder with symbols, as people put one in front of a symbol store."""
import collections
import http.client
import json
import ssl

from components.component import Component, program

Asked = collections.namedtuple("Asked", "status method path range agent")  # one line of the access log

CONFIG = """
daemon off;
{processes}
pid {folder}/nginx.pid;
error_log stderr notice;
events {{ worker_connections 512; }}
http {{
  log_format asked escape=json
    '["$status", "$request_method", "$request_uri", "$http_range", "$http_user_agent"]';
  access_log {log};
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  default_type application/octet-stream;
  autoindex off;
  {http}
  server {{
    listen 127.0.0.1:{port}{ssl};
    root {store};
    error_page 429 @busy;
    {server}
    location / {{
      if (-f {folder}/busy) {{ return 429; }}
      {location}
    }}
    location = /settled {{ access_log off; return 204; }}
    location @busy {{
      add_header Retry-After {retry_after} always;
      return 429 "too many requests\\n";
    }}
  }}
}}
"""
LOGIN_PAGE = """default_type text/html; return 200 "<!DOCTYPE html><html><p>Please sign in</p></html>";"""


class Nginx(Component):
    """Serves `store` with ranges and ETags; file names are case-sensitive.

    gzip: compresses what it sends to clients that accept it.   login: (user, password) for Basic authentication.
    rate: requests, such as "5r/s", beyond which it answers 429 with `Retry-After: retry_after`.
    login_page: every path is a page with status 200.           redirects: {"/prefix/": "http://host/elsewhere/"}.
    tls: certificates.Authority; then `url` is https.        media_type: of all files.
    workers: processes besides the master, for benchmarks: no log, files sent as nginx does by itself.
    """

    name = "nginx"

    def __init__(self, store, *, gzip=False, login=None, rate=None, retry_after=2, login_page=False, redirects=None,
                 tls=None, media_type=None, workers=0):
        self.program = program("nginx")
        self.store, self.retry_after, self.tls, self.login = store, retry_after, tls, login
        self.http, self.server, self.location = [], [], []
        self.processes, self.access_log = "master_process off;", None
        if workers:
            self.processes, self.access_log = f"user root; worker_processes {workers};", "off"
            self.http.append("sendfile on; tcp_nopush on; keepalive_requests 1000000;")
        if gzip:
            self.http.append("gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;")
        if rate:
            self.http.append(f"limit_req_zone $server_port zone=all:64k rate={rate}; limit_req_status 429;")
            self.location.append("limit_req zone=all nodelay;")
        if media_type:
            self.location.append(f"default_type {media_type};")
        if login_page:
            self.location.append(LOGIN_PAGE)
        if tls:
            self.server.append(f"ssl_certificate {tls.certificate}; ssl_certificate_key {tls.key};")
        for prefix, target in (redirects or {}).items():
            self.server.append(f"rewrite ^{prefix}(.*)$ {target}$1 redirect;")

    def prepare(self):
        if self.login:
            user, password = self.login
            (self.folder / "users").write_text(f"{user}:{{PLAIN}}{password}\n")
            self.location.append(f"auth_basic symbols; auth_basic_user_file {self.folder}/users;")

    def command(self):
        config = self.folder / "nginx.conf"
        config.write_text(CONFIG.format(
            folder=self.folder, port=self.port, processes=self.processes,
            log=self.access_log or f"{self.folder}/access.log asked", store=self.store, retry_after=self.retry_after,
            ssl=" ssl" if self.tls else "", http=" ".join(self.http), server=" ".join(self.server),
            location=" ".join(self.location)))
        return [self.program, "-c", config, "-p", self.folder, "-e", "stderr"]

    @property
    def url(self):
        return f"https://localhost:{self.port}" if self.tls else f"http://127.0.0.1:{self.port}"

    def set_busy(self, busy):
        """While busy, every request is answered with 429 and Retry-After."""
        if busy:
            (self.folder / "busy").touch()
        else:
            (self.folder / "busy").unlink(missing_ok=True)

    def asked(self):
        """Every request so far, in the order of the answers.

        nginx writes its log after the answer; another answer of its one process comes after that.
        """
        client = (http.client.HTTPSConnection("localhost", self.port, context=ssl._create_unverified_context())
                  if self.tls else http.client.HTTPConnection("127.0.0.1", self.port))
        client.request("GET", "/settled")
        client.getresponse().read()
        client.close()
        lines = (self.folder / "access.log").read_text().splitlines()
        return [Asked(int(status), *rest) for status, *rest in map(json.loads, lines)]
