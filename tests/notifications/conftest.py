"""Letters without the work of painting boards, where nobody looks at them."""

import pytest

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture
def unpainted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Painting takes most of the time of a letter; one test looks at what is painted."""
    monkeypatch.setattr("games.pictures.png", lambda drawing, **how: PNG)
