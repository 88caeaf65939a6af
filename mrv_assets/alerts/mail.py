"""Where alerts go by e-mail: an SMTP server that is spoken to under TLS, or one on this very machine.

What does not belong here: the file that names servers (config).
"""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage
from enum import StrEnum

from mrv_assets.alerts.message import Kind, Message
from mrv_assets.alerts.secret import Secret
from mrv_assets.alerts.targets import TIMEOUT_S, away, refused
from mrv_assets.domain.errors import MrvError

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_PERMANENT = 500


class Security(StrEnum):
    """How the connection is protected: turned into TLS before anything is said, or not at all, on loopback only."""

    STARTTLS = "starttls"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """One address behind one server. `secret` is the password of `user`, both None where the server asks for none.

    One address and not several, so that a target has taken an alert or has not; a list of people is an alias.
    """

    name: str
    alerts: frozenset[Kind]
    server: str
    port: int
    security: Security
    sender: str
    to: str
    user: str | None
    secret: Secret | None

    def send(self, message: Message) -> None:
        """Hand the message to the server. Its Message-ID is made of the alert's id."""
        password = None if self.secret is None else self.secret.read()
        try:
            with smtplib.SMTP(self.server, self.port, timeout=TIMEOUT_S) as server:
                if self.security is Security.STARTTLS:
                    server.starttls(context=ssl.create_default_context())
                if self.user is not None and password is not None:
                    server.login(self.user, password)
                server.send_message(self._mail(message))
        # Texts of the server may repeat what it was told, so only codes and kinds of errors are passed on.
        except smtplib.SMTPRecipientsRefused as error:
            raise self._answered(next(iter(error.recipients.values()))[0], "the address") from None
        except smtplib.SMTPResponseException as error:
            raise self._answered(error.smtp_code, type(error).__name__) from None
        except smtplib.SMTPNotSupportedError as error:
            raise refused(self.name, f"a server that does {self.security} and login", type(error).__name__) from None
        except (smtplib.SMTPException, OSError) as error:
            raise away(self.name, type(error).__name__) from None

    def _mail(self, message: Message) -> EmailMessage:
        mail = EmailMessage()
        mail["Subject"] = " ".join(message.title.split())
        mail["From"], mail["To"] = self.sender, self.to
        mail["Message-ID"] = f"<{message.id}@{self.sender.rpartition('@')[2]}>"
        mail.set_content("\n".join([*message.lines, "", f"alert {message.id}"]))
        return mail

    def _answered(self, code: int, of: str) -> MrvError:
        found = f"SMTP code {code} to {of}"
        return refused(self.name, "a code below 500", found) if code >= _PERMANENT else away(self.name, found)
