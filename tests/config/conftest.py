"""A site of the tests' own, whose servers may be frozen."""

from collections.abc import Iterator

import pytest

from tests.own_site import OwnSite


@pytest.fixture(scope="session")
def own_site(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[OwnSite]:
    site = OwnSite(tmp_path_factory.mktemp("own-site"))
    try:
        with django_db_blocker.unblock():
            site.set_up()
        yield site
    finally:
        site.tear_down()


@pytest.fixture
def web(own_site: OwnSite) -> OwnSite:
    """The site with its web processes, by the line of the Procfile."""
    if "web" not in own_site.processes:
        own_site.start("web")
    return own_site
