"""Where the navigation leads, and where it says one is."""

import re

import pytest
from django.urls import reverse

LINK = re.compile(r'<a href="([^"]*)"([^>]*)>([^<]+)</a>')
SETTINGS = ("settings", "vacation", "letter_preferences", "channels", "receipts", "account_email")


def links(html: str, menu: str) -> list[tuple[str, str, str]]:
    """Address, attributes and label of each link in a list of that class."""
    return LINK.findall(html.partition(f'<ul class="{menu}">')[2].partition("</ul>")[0])


@pytest.mark.parametrize("name", SETTINGS)
def test_every_page_of_settings_leads_to_all_others_and_marks_itself(name, alice, as_player):
    html = as_player(alice).get(reverse(name)).content.decode()
    found = links(html, "side-nav")
    assert {reverse(other) for other in SETTINGS} <= {address for address, _, _ in found}
    assert [address for address, more, _ in found if "aria-current" in more] == [reverse(name)]
    assert all(address.startswith("/") for address, _, _ in links(html, "nav"))


@pytest.mark.django_db
def test_help_about_events_is_help_and_no_event(client):
    html = client.get(reverse("help_on", args=["events"])).content.decode()
    assert [label for _, more, label in links(html, "nav") if "aria-current" in more] == ["Help"]
