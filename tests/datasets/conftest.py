"""Where tests find the real data, and a server that publishes whatever a test wants."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from abstain.datasets import real

BESIDE_THE_PROJECT = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def real_data():
    """The folder of the tidy files; without it, a test is skipped."""
    folder = Path(os.environ.get("ABSTAIN_DATA_HOME") or BESIDE_THE_PROJECT)
    if not (folder / "segment.csv").is_file():
        pytest.skip(f"no data sets in {folder}: set ABSTAIN_DATA_HOME to a folder that has them")
    return folder


class Publisher(ThreadingHTTPServer):
    """Answers with ``files``, and counts who asks; ``faults`` are those of the next answers."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files, self.asked, self.faults = {}, [], []
        self.closing = threading.Event()

    def publish(self, name, content):
        self.files[f"/{name}"] = content
        return f"http://127.0.0.1:{self.server_port}/{name}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked.append(self.path)
        fault = server.faults.pop(0) if server.faults else None
        content = server.files.get(self.path)
        if fault == "silent":
            server.closing.wait()
        elif content is None:
            self.send_error(404)
        else:
            self.send_response(200)
            if fault != "cut, length unknown":
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if fault else content)

    def log_message(self, *_):
        pass


@pytest.fixture
def publisher(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(real, "RETRIES", 0)  # there are waits between attempts
    with Publisher() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()
