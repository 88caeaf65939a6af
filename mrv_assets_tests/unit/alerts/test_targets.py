"""What arrives at real servers on loopback, and what is said when nothing does."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from mrv_assets.alerts.message import Kind, Message, message_id
from mrv_assets.domain.errors import ContractError, MrvError, StoreUnavailable
from mrv_assets_tests.unit.alerts.files import SECRET, SLACK, USER, WEBHOOK, alerts, environment, mail
from mrv_assets_tests.unit.alerts.servers import PASSWORD, MailServer, mail_server, self_signed
from mrv_assets_tests.unit.openlineage.endpoint import Endpoint, endpoint

MESSAGE = Message(
    kind=Kind.RESTATEMENT,
    id=message_id(Kind.RESTATEMENT, "1"),
    title="Restatement: anoka 2021, −1.5 t CO2e net",
    lines=("anoka 2021: 3.5 → 2.0 <t>", "second & last"),
    facts={"restatements": [{"delta_net_tco2e": "-1.5"}]},
)


@pytest.fixture
def smtp() -> Iterator[MailServer]:
    """A mail server without TLS."""
    with mail_server() as served:
        yield served


def test_a_webhook_gets_the_facts(server: Endpoint, tmp_path: Path) -> None:
    """As one JSON document with its schema, id, title and lines."""
    [target] = alerts(tmp_path, WEBHOOK, env=environment(server.url)).targets
    target.send(MESSAGE)
    [taken] = server.taken
    assert (taken["schema"], taken["kind"], taken["id"]) == ("mrv-alert-1", "restatement", MESSAGE.id)
    assert taken["facts"]["restatements"][0]["delta_net_tco2e"] == "-1.5"
    assert (taken["title"], tuple(taken["lines"])) == (MESSAGE.title, MESSAGE.lines)


def test_slack_gets_text_in_which_nothing_is_a_link(server: Endpoint, tmp_path: Path) -> None:
    """Its three special characters are escaped as it asks."""
    [target] = alerts(tmp_path, SLACK, env=environment(server.url)).targets
    target.send(MESSAGE)
    assert server.taken == [{"text": f"{MESSAGE.title}\nanoka 2021: 3.5 → 2.0 &lt;t&gt;\nsecond &amp; last"}]


def test_a_mail_has_the_title_as_subject_and_an_id_of_its_own(smtp: MailServer, tmp_path: Path) -> None:
    """The same for the same alert, so that a repetition can be told."""
    [target] = alerts(tmp_path, mail(smtp.port)).targets
    target.send(MESSAGE)
    [taken] = smtp.mails
    assert (taken["To"], taken["From"]) == ("carbon@example.org", "mrv@example.org")
    assert taken["Message-ID"] == f"<{MESSAGE.id}@example.org>"
    body = taken.get_payload(decode=True)
    assert isinstance(body, bytes)
    assert body.decode().splitlines() == [*MESSAGE.lines, "", f"alert {MESSAGE.id}"]


def test_a_mail_goes_under_tls_and_with_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a server that takes neither anything else nor anybody else."""
    certificate = self_signed(tmp_path / "server.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with mail_server(certificate) as served:
        table = mail(served.port, security="starttls", user=USER)
        [target] = alerts(tmp_path, table, env=environment("")).targets
        target.send(MESSAGE)
        assert served.were_encrypted == [True]
        [stranger] = alerts(tmp_path, table, env={"MRV_ALERT_PASSWORD": "wrong"}).targets
        with pytest.raises(ContractError, match="found SMTP code 535 to SMTPAuthenticationError") as caught:
            stranger.send(MESSAGE)
        assert "wrong" not in str(caught.value)


def test_a_server_whose_certificate_nobody_knows_gets_no_mail(tmp_path: Path) -> None:
    """Nor a password."""
    with mail_server(self_signed(tmp_path / "server.pem")) as served:
        table = mail(served.port, security="starttls", user=USER)
        [target] = alerts(tmp_path, table, env=environment("")).targets
        with pytest.raises(StoreUnavailable, match="SSLCertVerificationError"):
            target.send(MESSAGE)
        assert served.mails == []


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        pytest.param(503, StoreUnavailable, "found status 503", id="away"),
        pytest.param(429, StoreUnavailable, "found status 429", id="busy"),
        pytest.param(404, ContractError, "found status 404", id="no such hook"),
        pytest.param(302, ContractError, "found status 302", id="elsewhere"),
    ],
)
@pytest.mark.parametrize("table", [WEBHOOK, SLACK])
def test_an_endpoint_that_does_not_take_it_is_told_by_its_status(
    server: Endpoint, table: str, status: int, kind: type[MrvError], says: str, tmp_path: Path
) -> None:
    """What may pass is transient, what has to be corrected is not."""
    server.answers = [status]
    [target] = alerts(tmp_path, table, env=environment(server.url)).targets
    with pytest.raises(kind, match=says):
        target.send(MESSAGE)
    assert server.taken == []


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        pytest.param("451 later", StoreUnavailable, "SMTP code 451", id="later"),
        pytest.param("554 no", ContractError, "SMTP code 554", id="never"),
    ],
)
def test_a_mail_server_that_does_not_take_it_is_told_by_its_code(
    smtp: MailServer, answer: str, kind: type[MrvError], says: str, tmp_path: Path
) -> None:
    """Its words are not repeated."""
    smtp.answers = [answer]
    [target] = alerts(tmp_path, mail(smtp.port)).targets
    with pytest.raises(kind, match=says):
        target.send(MESSAGE)


def test_nobody_there_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is refused may be taken later."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with endpoint() as gone, mail_server() as lost:
        tables, env = (WEBHOOK, mail(lost.port)), environment(gone.url)
    for target in alerts(tmp_path, *tables, env=env).targets:
        with pytest.raises(StoreUnavailable, match="alert could not be delivered"):
            target.send(MESSAGE)


@pytest.mark.parametrize("url", ["ftp://host/s3cret-path", "s3cret-path", "http://[s3cret-path", "https://"])
def test_a_url_that_is_none_is_refused_without_being_repeated(url: str, tmp_path: Path) -> None:
    """It is a secret, whatever it looks like."""
    [target] = alerts(tmp_path, WEBHOOK, env={"MRV_ALERT_OPS_URL": url}).targets
    with pytest.raises(ContractError, match="an http or https URL in MRV_ALERT_OPS_URL") as caught:
        target.send(MESSAGE)
    assert SECRET not in str(caught.value)


def test_no_log_and_no_error_holds_a_secret(server: Endpoint, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """At any level, of any library; neither when it is taken nor when it is refused."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx2", "httpcore2", "httpcore2.http11", "httpcore2.connection"):
        caplog.set_level(logging.DEBUG, logger=name)
    for target in alerts(tmp_path, WEBHOOK, SLACK, env=environment(server.url)).targets:
        server.answers = [404]
        with pytest.raises(ContractError, match="alert target refuses") as caught:
            target.send(MESSAGE)
        assert SECRET not in str(caught.value)
        assert caught.value.__cause__ is None
        target.send(MESSAGE)
    assert len(server.taken) == 2
    assert SECRET not in caplog.text
    assert PASSWORD not in caplog.text
