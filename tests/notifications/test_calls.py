"""Requests to addresses that players gave stay in the public net and never take long."""

import contextlib
import datetime
import socket
import ssl
import threading
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from accounts import locks
from games.refusals import BadRequest
from notifications import calls, sender
from tests.notifications.peers import listening


@pytest.fixture
def peer(settings):
    settings.DEBUG = True
    with listening() as listener:
        yield listener


def names(monkeypatch, **known):
    """Names stand for these addresses; every question is written down."""
    asked = []

    def getaddrinfo(host, port, *_kind, **_kinds):
        asked.append(host)
        addresses = [host] if host == "127.0.0.1" else known.get(host)
        if not addresses:
            raise socket.gaierror("unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


def no_connection(monkeypatch):
    def create_connection(*where):
        raise AssertionError(f"connected to {where}")

    monkeypatch.setattr(socket, "create_connection", create_connection)


PRIVATE = [
    "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.18.0.1", "240.0.0.1",
    "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::",
    "2001:0:7f00:1::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_no_way_to_write_a_private_address_is_public(address):
    assert not calls.is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_public_addresses_are_public(address):
    assert calls.is_public(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.7", "::1", "169.254.169.254"])
def test_a_name_that_stands_for_a_private_address_is_not_called(monkeypatch, address):
    names(monkeypatch, **{"hook.example": [address]})
    no_connection(monkeypatch)
    with pytest.raises(calls.DeliveryFailed, match="not in the public internet"):
        calls.post("https://hook.example/", body=b"", headers={})


def test_one_private_address_among_public_ones_is_enough(monkeypatch):
    names(monkeypatch, **{"hook.example": ["8.8.8.8", "10.0.0.7"]})
    no_connection(monkeypatch)
    with pytest.raises(calls.DeliveryFailed, match="not in the public internet"):
        calls.post("https://hook.example/", body=b"", headers={})


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://hook.example/", "must begin with https"),
        ("ftp://hook.example/", "must begin with https"),
        ("file:///etc/passwd", "no address of the kind"),
        ("hook.example", "no address of the kind"),
        ("https://", "no address of the kind"),
        ("https://hook.example:99999/", "no address of the kind"),
        ("https://me:secret@hook.example/", "no address of the kind"),
        ("https://[::1", "no address of the kind"),
        ("https://hook.example/" + "x" * 1000, "no address of the kind"),
        ("https://127.0.0.1/", "public internet"),
        ("https://[::ffff:10.0.0.1]/", "public internet"),
        ("http://localhost/", "must begin with https"),
    ],
)
def test_an_address_that_will_not_do_is_refused_with_a_sentence(url, sentence):
    with pytest.raises(BadRequest, match=sentence):
        calls.target_of(url)


def test_this_machine_is_for_debugging_alone(settings, peer):
    assert calls.post(peer.url, body=b"hello", headers={}) == 204
    settings.DEBUG = False
    with pytest.raises(BadRequest):
        calls.post(peer.url, body=b"hello", headers={})
    assert len(peer.received) == 1


def test_a_redirect_is_not_followed(peer):
    peer.statuses = [302]
    assert calls.post(peer.url, body=b"", headers={}) == 302
    assert peer.asked == ["POST"]


def test_a_name_nobody_has_is_said(monkeypatch):
    names(monkeypatch)
    with pytest.raises(calls.DeliveryFailed, match=r"no machine named hook\.example"):
        calls.post("https://hook.example/", body=b"", headers={})


def test_a_closed_door_is_said(settings):
    settings.DEBUG = True
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/"
        with pytest.raises(calls.DeliveryFailed, match="could not be reached"):
            calls.post(url, body=b"", headers={})


@pytest.mark.parametrize("drips", [False, True])
def test_whoever_is_silent_or_drips_is_cut_off(settings, monkeypatch, drips):
    settings.DEBUG = True
    monkeypatch.setattr(calls, "PATIENCE", 0.5)
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _peer = server.accept()
            with connection:
                for _ in range(300):
                    if is_over.wait(0.1):
                        return
                    with contextlib.suppress(OSError):
                        connection.send(b"H" if drips else b"")

        thread = threading.Thread(target=answer)
        thread.start()
        began = time.monotonic()
        try:
            with pytest.raises(calls.DeliveryFailed, match="longer than 5 seconds"):
                calls.post(f"http://127.0.0.1:{server.getsockname()[1]}/", body=b"", headers={})
        finally:
            is_over.set()
            thread.join()
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("seconds", [None, 0.3])
def test_a_name_server_that_hangs_is_cut_off(monkeypatch, seconds):
    is_over = threading.Event()
    monkeypatch.setattr(calls, "PATIENCE", 0.5)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_what, **_kind: is_over.wait(20))
    began = time.monotonic()
    try:
        with pytest.raises(calls.DeliveryFailed, match="longer than 5 seconds"):
            calls.post("https://hook.example/", body=b"", headers={}, seconds=seconds)
        assert time.monotonic() - began < 3
    finally:
        is_over.set()


def test_look_ups_that_hang_hold_up_so_many_threads_and_no_more(monkeypatch):
    is_over, asked = threading.Event(), []

    def getaddrinfo(*what, **_kind):
        asked.append(what)
        is_over.wait(20)
        raise socket.gaierror("unknown")

    monkeypatch.setattr(calls, "PATIENCE", 0.05)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    try:
        for _ in range(calls.MOST_LOOK_UPS):
            with pytest.raises(calls.DeliveryFailed):
                calls.post("https://hook.example/", body=b"", headers={})
        monkeypatch.setattr(calls, "PATIENCE", 5.0)
        for _ in range(3):
            with pytest.raises(calls.NamesAreBusy):
                calls.post("https://hook.example/", body=b"", headers={})
        assert len(asked) == calls.MOST_LOOK_UPS
    finally:
        is_over.set()
    for thread in threading.enumerate():
        if thread.name.startswith("look up"):
            thread.join()
    with pytest.raises(calls.DeliveryFailed, match="no machine named"):
        calls.post("https://hook.example/", body=b"", headers={})


def test_a_silent_address_leaves_time_for_the_next(monkeypatch):
    tried = []

    def create_connection(where, seconds):
        tried.append((where[0], seconds))
        raise TimeoutError

    names(monkeypatch, **{"hook.example": ["8.8.8.8", "8.8.4.4"]})
    monkeypatch.setattr(socket, "create_connection", create_connection)
    with pytest.raises(calls.DeliveryFailed):
        calls.post("https://hook.example/", body=b"", headers={})
    assert [address for address, _seconds in tried] == ["8.8.8.8", "8.8.4.4"]
    assert tried[0][1] <= calls.PATIENCE / 2


def test_nobody_is_called_within_a_transaction(db, monkeypatch):
    asked = names(monkeypatch)
    with pytest.raises(RuntimeError, match="within a transaction"):
        locks.action(calls.post)("https://hook.example/", body=b"", headers={})
    with pytest.raises(RuntimeError, match="within a transaction"):
        locks.action(sender.txt_records)("example.org")
    assert asked == []


# By TLS, where the address is the one that was looked up and the name must be proved


@pytest.fixture
def certificate(tmp_path):
    """A certificate for hook.example that vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hook.example")])
    today = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("hook.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "certificate.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@pytest.fixture
def secure_peer(certificate, monkeypatch):
    """Stands in the public net, for these tests."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    monkeypatch.setattr(calls, "is_public", lambda _address: True)
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(calls, "_tls", lambda: trusting)
    with listening(context) as listener:
        yield listener


def test_the_request_goes_to_the_address_that_was_looked_at(monkeypatch, secure_peer):
    asked = names(monkeypatch, **{"hook.example": ["127.0.0.1"]})
    status = calls.post(
        f"https://hook.example:{secure_peer.port}/a?b=c", body=b"{}", headers={"X": "y"}
    )
    [received] = secure_peer.received
    assert status == 204
    assert received.path == "/a?b=c"
    assert received.headers["Host"] == f"hook.example:{secure_peer.port}"
    # Looked up once by us; what is connected to is an address, which stands for itself.
    assert asked[0] == "hook.example"
    assert set(asked[1:]) <= {"127.0.0.1"}


def test_a_name_that_is_not_proved_gets_nothing(monkeypatch, secure_peer):
    names(monkeypatch, **{"other.example": ["127.0.0.1"]})
    with pytest.raises(calls.DeliveryFailed, match="could not prove"):
        calls.post(f"https://other.example:{secure_peer.port}/", body=b"{}", headers={})
    assert secure_peer.received == []
