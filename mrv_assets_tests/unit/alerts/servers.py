"""A mail server on loopback, as aiosmtpd makes one: it keeps what it is sent and answers as it is told.

What does not belong here: an HTTP endpoint (unit/openlineage/endpoint).
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from mrv_assets_tests.free_ports import free_ports

USER, PASSWORD = "mrv", "s3cret-word"


@dataclass
class MailServer:
    """What came in, in order; `answers` are those to the next messages, after which each is taken."""

    port: int = 0
    mails: list[Message] = field(default_factory=list)
    were_encrypted: list[bool] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    async def handle_DATA(  # noqa: N802 - its name there
        self, _server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Take a message, or answer what was told."""
        if self.answers:
            return self.answers.pop(0)
        self.mails.append(message_from_bytes(envelope.original_content or b""))
        self.were_encrypted.append(session.ssl is not None)
        return "250 OK"


@contextmanager
def mail_server(certificate: Path | None = None) -> Iterator[MailServer]:
    """Serve until the end of the block; with a certificate only under TLS and for the one user."""
    kept = MailServer(port=free_ports(1)[0])
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    controller = Controller(
        kept,
        hostname="127.0.0.1",
        port=kept.port,
        tls_context=context,
        require_starttls=context is not None,
        auth_required=context is not None,
        authenticator=_authenticate,
    )
    controller.start()
    try:
        yield kept
    finally:
        controller.stop()


def _authenticate(_server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, data: object) -> AuthResult:
    is_right = isinstance(data, LoginPassword) and (data.login, data.password) == (USER.encode(), PASSWORD.encode())
    return AuthResult(success=is_right, handled=False)


def self_signed(file: Path) -> Path:
    """Write a key and the certificate of 127.0.0.1 that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(private + certificate.public_bytes(pem))
    return file
