def test_alive_needs_nothing(client):
    assert client.get("/healthz").content == b"ok\n"


def test_ready_is_about_the_database_alone(db, client):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"database": True})


def test_a_probe_by_address_gets_a_reply(db, client):
    """Whoever watches a process asks it by its address, not by the name of the site."""
    for path in ("/healthz", "/readyz"):
        assert client.get(path, headers={"Host": "10.1.2.3:8000"}).status_code == 200


def test_a_request_carries_its_id_back(client):
    def answered_id(given: str) -> str:
        return client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]

    assert answered_id("abc-12345678") == "abc-12345678"
    assert answered_id("evil\tid") != "evil\tid"


def test_a_key_in_an_address_does_not_reach_the_log(db, client, caplog):
    caplog.set_level("INFO")
    client.get("/accounts/confirm-email/MQ:1xSnt7:nGfY9s8A2agmHjY11JOFNx6siC8f3VPg/")
    assert "GET /accounts/confirm-email/…/" in caplog.text
    assert "nGfY9s8A2" not in caplog.text
