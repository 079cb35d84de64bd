"""Names: no two that look the same, none that reads like an office, and one sentence for all."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis.strategies import text

from accounts import names
from accounts.models import NAME_RULE, NAME_TAKEN, Player, closed_name, validate_name
from games import guests, house_bots, lobby
from games.bots.levels import LEVELS
from games.clock import PerMove
from games.lobby import Terms
from games.models import Challenge
from tests.conftest import NOW, PASSWORD, make_player
from tests.games.threads import at_once

SIGN_UP = "/accounts/signup/"
LOOK_ALIKES = [
    ("papa", "рара"),  # all of it Cyrillic
    ("Alice", "AIice"),
    ("paul", "pau1"),
    ("otto", "ott0"),
    ("BOBA", "ВОВА"),
    ("Jörg", "jorg"),
    ("anna.b", "anna_b"),
    ("modern", "modem"),
    ("oxo", "οχο"),  # Greek
    ("ALICE", "ALlCE"),
    ("ALICE", "AL1CE"),
    ("Lukasz", "Łukasz"),
    ("Soren", "Søren"),
    ("Dorde", "Đorđe"),
    ("kaya", "ΚΑΥΑ"),  # Greek capitals
    ("NIKO", "ΝΙΚΟ"),
    ("nox", "ηοχ"),
    ("jonas", "ȷonas"),
    ("alice", "aƚice"),
    ("bob", "bɵb"),
    ("ロボット", "口ボット"),  # a sign for mouth among katakana
    ("ho", "հօ"),  # Armenian
    ("SUSO", "ՏՍՏՕ"),  # Armenian capitals
    ("olo", "סוס"),  # Hebrew
    ("lolo", "اهاه"),  # Arabic
    ("علي", "علی"),  # an Arabic and a Persian letter
]


def sign_up(name: str, email: str = "new@example.org"):
    words = {
        "username": name,
        "email": email,
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    return Client().post(SIGN_UP, words)


@pytest.mark.parametrize(("there", "new"), LOOK_ALIKES)
def test_a_name_that_looks_like_another_is_taken(db, there, new):
    make_player("somebody-else")
    Player.objects.create_user(there)
    answer = sign_up(new)
    assert not Player.objects.filter(name=new).exclude(name=there).exists()
    assert list(answer.context["form"].errors["username"])
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.create_user(new)


def test_what_looks_different_is_free(db):
    for name in ("ella", "elia", "anna", "hanna", "alice", "alicia", "n1", "n2", "Мария", "Марина"):
        Player.objects.create_user(name)
        validate_name(name)


@given(text(max_size=30))
def test_folding_what_is_folded_changes_nothing(name):
    assert names.fold(names.fold(name)) == names.fold(name)


@pytest.mark.parametrize(
    "name",
    [
        "", "x", "x y", "1abc", "_a", "a" * 25, "a/b", "<b>", "pаul",  # one letter is Cyrillic
        "ᎪᏞᎥᏟᎬ", "ꓮꓡꓲꓚꓰ", "ᴀʟɪᴄᴇ",  # Cherokee, Lisu, small capitals
        "a\u200db", "a\u202eb", "a\u0301\u0301b", "ａｂｃ", "abʰ", "ab٣", "a\nb",
        closed_name(7), "Guest 12ab",
    ],
)  # fmt: skip
def test_a_name_is_refused_in_one_sentence(name):
    with pytest.raises(ValidationError) as refused:
        validate_name(name)
    assert refused.value.messages == [str(NAME_RULE)]


def test_the_rule_names_every_script_that_is_allowed():
    for script, name in OF_EACH_SCRIPT.items():
        validate_name(name)
        assert script in str(NAME_RULE)
    assert {names._script(name[0]) for name in OF_EACH_SCRIPT.values()} == names._SCRIPTS
    for name in ("अनिता", "สมชาย"):
        with pytest.raises(ValidationError, match="Use letters of one script: Latin, Greek"):
            validate_name(name)


OF_EACH_SCRIPT = {
    "Latin": "Paul", "Greek": "Ελένη", "Cyrillic": "Мария", "Armenian": "Անահիտ",
    "Georgian": "ნინო", "Hebrew": "נועה", "Arabic": "ليلى", "Chinese": "王芳",
    "Japanese": "さくら", "Korean": "지민",
}  # fmt: skip


@pytest.mark.parametrize("name", ["pаul", "x y"])
def test_the_rule_is_said_at_every_way_in(alice, name):
    assert sign_up(name).context["form"].errors["username"] == [str(NAME_RULE)]
    assert as_stranger(alice, name).context["form"].errors["name"] == [str(NAME_RULE)]


def test_a_stranger_who_was_invited_is_held_to_the_same(alice):
    assert as_stranger(alice, "AIice").context["form"].errors["name"] == [str(NAME_TAKEN)]
    as_stranger(alice, "Dora")
    assert Player.objects.get(email="dora@example.org").folded_name == "dora"


def as_stranger(challenger: Player, name: str, email: str = "dora@example.org"):
    offer = Challenge.objects.filter(email=email).first()
    if offer is None:
        terms = Terms(ruleset="tritoc", clock=PerMove(3))
        offer = lobby.invite_by_email(
            challenger=challenger, email=email, terms=terms, now=timezone.now()
        )
    return Client().post(f"/invite/{offer.link}/", {"name": name, "zone": ""})


@pytest.mark.django_db(transaction=True)
def test_of_two_who_choose_it_at_once_one_is_told_that_it_is_taken():
    answers = at_once(lambda: sign_up("Alice"), lambda: sign_up("AIice", "other@example.org"))
    assert Player.objects.count() == 1
    refused = [answer for answer in answers if _leads_back_to_the_form(answer)]
    assert len(refused) == 1
    page = refused[0].text if refused[0].status_code == 200 else refused[0].client.get(SIGN_UP).text
    assert str(NAME_TAKEN) in page


def _leads_back_to_the_form(answer) -> bool:
    """At once if the other was quicker, or by the constraint if both were checked together."""
    return answer.status_code == 200 or answer.url == SIGN_UP


@pytest.mark.django_db(transaction=True)
def test_of_two_strangers_who_choose_it_at_once_one_is_told_that_it_is_taken():
    alice, bob = make_player("alice"), make_player("bob")
    answers = at_once(
        lambda: as_stranger(alice, "Dora"), lambda: as_stranger(bob, "D0ra", "doro@example.org")
    )
    assert sorted(answer.status_code for answer in answers) == [200, 302]
    [refused] = [answer for answer in answers if answer.status_code == 200]
    assert refused.context["form"].errors["name"] == [str(NAME_TAKEN)]


RESERVED = [
    "admin", "Admin1", "administrator", "staff", "Tripost",
    "guest", "Guest-1a2b", "closed-22", "closed22", "root", "Dew", "R00t", "support_", "bot-x",
    "the-admin", "real.staff2", "official_Tripost", "admin-anna",
    "TripostTeam", "TripostSupport", "SiteAdmin", "adminjohn", "supportteam", "tripostbot",
    "Ad-min", "Staff2b", "T.r.i.p.o.s.t", "TheTriPostTeam", "Adm1n-x", "SIteAdmIn",
    "Adrninistration", "chief_moderator", "Staffan-admin", "sup.port", "xStaff",
    "staffa.dmin", "TheStaffTeam", "official-news", "helpdesk", "siteadmins", "Moderation",
    "Referee",
]  # fmt: skip


@pytest.mark.parametrize("name", RESERVED)
def test_nobody_can_pass_for_an_office(db, name):
    answer = sign_up(name)
    assert answer.context["form"].errors["username"] == ["That name is reserved. Choose another."]


@pytest.mark.parametrize(
    "name",
    [
        "adminton", "my-bot", "guesty", "Staffan", "botanica", "rooted", "Badmin", "Badminton",
        "Supporta", "Falstaff2", "Staffan-K", "Anna.Stafford", "Modest",
    ],
)  # fmt: skip
def test_a_name_that_only_begins_like_one_is_free(name):
    validate_name(name)


def test_the_names_of_the_built_in_bots_are_reserved(settings):
    assert {level.name for level in LEVELS.values()} <= set(settings.RESERVED_NAMES)


def test_a_bot_gives_way_to_a_name_that_looks_like_its_own(db):
    Player.objects.create_user("DEVV")
    assert "Dew" not in {bot.name for bot in house_bots.settle()}


@pytest.mark.parametrize("player_id", [7, 999_999_999, 1_000_000_000, 2**63 - 1])
def test_the_name_of_a_closed_account_fits_whatever_its_number(player_id):
    longest = Player._meta.get_field("name").max_length
    assert len(closed_name(player_id)) <= longest
    assert not names.is_well_formed(closed_name(player_id))


def test_guests_and_closed_accounts_are_outside_the_name_space(alice):
    guest = guests.welcome(address="10.0.0.1", zone="UTC", language="en", now=NOW)
    assert guest.folded_name is None
    assert not names.is_well_formed(guest.name)
    alice.closed_at = NOW
    alice.save()
    assert alice.folded_name is None
    Player.objects.create_user("AIice")


def test_names_that_looked_the_same_before_the_rule_stay(alice):
    migration = import_module("accounts.migrations.0007_folded_names")
    bob = Player.objects.create_user("bob")
    Player.objects.filter(pk=bob.pk).update(name="AIice")
    Player.objects.update(folded_name=None)
    migration.fold_names(apps, None)
    folded = dict(Player.objects.values_list("name", "folded_name"))
    assert folded == {"alice": "alice", "AIice": f"alice~{bob.pk}"}
    bob = Player.objects.get(pk=bob.pk)
    bob.about = "I was here before."
    bob.save()
    assert bob.folded_name == f"alice~{bob.pk}"


def test_names_of_scripts_that_are_folded_since_stay(alice):
    migration = import_module("accounts.migrations.0009_closing_cursor")
    early, late, bob = (Player.objects.create_user(name) for name in ("Նարա", "ho", "bob"))
    Player.objects.filter(pk=early.pk).update(folded_name="նարա")
    Player.objects.filter(pk=bob.pk).update(name="հօ", folded_name="հօ")
    migration.fold_names(apps, None)
    folded = dict(Player.objects.values_list("name", "folded_name"))
    assert folded == {
        "alice": "alice", "ho": "ho", "հօ": f"ho~{bob.pk}", "Նարա": names.fold("Նարա"),
    }  # fmt: skip
    bob = Player.objects.get(pk=bob.pk)
    bob.about = "I was here before."
    bob.save()
    assert bob.folded_name == f"ho~{bob.pk}"
    assert late.folded_name == "ho"
