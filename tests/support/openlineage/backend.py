"""A backend of OpenLineage on this machine: it takes events from a client that has its key."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Backend:
    """`events`: those that came; `refused`: how many came without the key."""

    url: str = ""
    key: str = field(default_factory=lambda: secrets.token_hex(8))
    events: list[dict] = field(default_factory=list)
    refused: int = 0

    @property
    def settings(self) -> dict[str, str]:
        """By which the client finds it."""
        return {"OPENLINEAGE_URL": self.url, "OPENLINEAGE_API_KEY": self.key}


@contextmanager
def listening() -> Iterator[Backend]:
    made = Backend()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            allowed = self.headers["Authorization"] == f"Bearer {made.key}" and self.path == "/api/v1/lineage"
            if allowed:
                made.events.append(json.loads(body))
            else:
                made.refused += 1
            self.send_response(201 if allowed else 401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        made.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield made
        finally:
            server.shutdown()
