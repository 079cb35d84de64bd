"""Plans that are played while their owner is away."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import plans, play
from games.conditional import InvalidPlan
from games.models import ConditionalMoves, Game, Move, Seat, Via
from games.refusals import GameIsOver, NotAtThisTable
from tests.conftest import NOW
from tests.games.acts import as_stored, move, position_of, submit


def stored(game: Game, player) -> ConditionalMoves:
    return plans.of_seat(Seat.objects.get(game=game, player=player).pk)


def plan_of(game: Game, player) -> list | None:
    return stored(game, player).tree or None


def log_of(game: Game, player) -> list:
    return stored(game, player).log


def write(game: Game, player, *tree: dict) -> list:
    return plans.write(game_id=game.pk, player_id=player.pk, tree=list(tree))


def branch(move=None, then=None, *following: dict, dice=None) -> dict:
    return {"move": move, "then": then, "dice": dice, "next": list(following)}


def texts(game: Game) -> list[tuple[str, str]]:
    return list(Move.objects.filter(game=game, ply__gt=0).values_list("text", "via"))


def test_a_reply_is_played_with_the_move_it_waited_for(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3"))
    answer = submit(game, alice, "a1-a3")
    assert answer.ply == 1
    assert texts(game) == [("a1-a3", Via.WEB), ("k1-k3", Via.CONDITIONAL)]
    assert as_stored(game).seat_to_move == 0


def test_the_clock_is_charged_nothing_for_it(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3"))
    submit(game, alice, "a1-a3")
    assert not Move.objects.get(game=game, ply=2).used


def test_a_line_goes_on_to_any_depth(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3", branch("c1-c3", "i1-i3")))
    submit(game, alice, "a1-a3")
    submit(game, alice, "c1-c3")
    assert [text for text, _via in texts(game)] == ["a1-a3", "k1-k3", "c1-c3", "i1-i3"]
    assert plan_of(game, bob) is None


def test_what_did_not_come_ends_the_plan_and_is_kept_to_be_seen(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3"))
    submit(game, alice, "b1-b3")
    assert len(texts(game)) == 1
    assert plan_of(game, bob) is None
    assert log_of(game, bob)[-1]["what"] == "unforeseen"
    assert log_of(game, bob)[-1]["died"][0]["then"] == "k1-k3"


def test_branches_that_died_are_pruned_visibly(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3"), branch("b1-b3", "k2-k4"))
    submit(game, alice, "b1-b3")
    assert texts(game)[-1][0] == "k2-k4"
    assert [died["move"] for died in log_of(game, bob)[-1]["died"]] == ["a1-a3"]


def test_any_other_move_can_be_answered_too(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3"), branch(None, "k2-k4"))
    submit(game, alice, "c2-c4")
    assert texts(game)[-1] == ("k2-k4", Via.CONDITIONAL)


def test_ask_me_stops_and_leaves_the_turn_to_the_owner(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", None), branch(None, "k2-k4"))
    submit(game, alice, "a1-a3")
    assert as_stored(game).seat_to_move == 1
    assert log_of(game, bob)[-1]["what"] == "asked"


def test_a_conditional_resignation_ends_the_game(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch(None, "k2-k4", branch("c1-c3", "resign")))
    submit(game, alice, "a1-a3")
    submit(game, alice, "c1-c3")
    stored = as_stored(game)
    assert (stored.status, stored.reason, stored.score) == ("finished", "resignation", 2)


def test_a_reply_that_is_illegal_when_its_time_comes_stops_there(
    alice, bob, start, everything_is_heard
):
    game = start("tritt-reloaded")
    write(game, bob, branch(None, "k1-k3"))
    submit(game, alice, "k2-k4")
    assert len(texts(game)) == 1
    stopped = log_of(game, bob)[-1]
    assert (stopped["what"], stopped["move"]) == ("illegal", "k1-k3")
    assert "k2" in stopped["why"]
    assert plan_of(game, bob) is None


def test_an_illegal_move_is_refused_when_the_plan_is_written(alice, bob, start):
    game = start("tritt-reloaded")
    with pytest.raises(InvalidPlan, match="In your plan"):
        write(game, bob, branch("a1-a3", "a2-a4"))
    assert plan_of(game, bob) is None


def test_what_is_stored_is_the_canonical_text(alice, bob, start):
    game = start("tritt-reloaded")
    stored = write(game, bob, branch("A3–A1", "K3-K1"))
    assert (stored[0]["move"], stored[0]["then"]) == ("a1-a3", "k1-k3")
    assert stored == plan_of(game, bob)


def test_two_plans_play_each_other(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3", branch("c1-c3", "i1-i3")))
    write(game, alice, branch("k1-k3", "c1-c3", branch("i1-i3", "e1-e3")))
    submit(game, alice, "a1-a3")
    assert [text for text, _via in texts(game)] == ["a1-a3", "k1-k3", "c1-c3", "i1-i3", "e1-e3"]


def test_dice_choose_the_branch(alice, bob, start, loaded_dice):
    loaded_dice((3, 4), (3, 4), (1, 2))
    game = start("tritoc")
    write(game, bob, branch(None, "5.7", dice=[7]), branch(None, "keep", dice=[12]))
    submit(game, alice, "1.7")
    assert texts(game)[-1] == ("5.7", Via.CONDITIONAL)


def test_other_dice_than_those_named_ask_the_owner(alice, bob, start, loaded_dice):
    loaded_dice((3, 4), (1, 4))
    game = start("tritoc")
    write(game, bob, branch(None, "5.7", dice=[7]), branch(None, None))
    submit(game, alice, "1.7")
    assert len(texts(game)) == 1
    assert as_stored(game).seat_to_move == 1


def test_a_tree_with_dice_plays_ten_plies_while_its_owner_is_away(alice, bob, start, loaded_dice):
    loaded_dice(*[(1, 2), (3, 4)] * 5, (1, 2))
    game = start("tritoc")
    plan: list[dict] = []
    for field in (5, 4, 3, 2, 1):
        on_twelve = branch(None, "keep", dice=[12])
        plan = [on_twelve, branch(None, f"{field}.7", *plan, dice=[7]), branch(None, None)]
    write(game, bob, *plan)
    for field in range(1, 6):
        submit(game, alice, f"{field}.3")
    played = texts(game)
    assert len(played) == 10
    assert [text for text, via in played if via == Via.CONDITIONAL] == [
        "1.7", "2.7", "3.7", "4.7", "5.7",
    ]  # fmt: skip
    assert plan_of(game, bob) is None


def test_a_plan_goes_through_the_opponents_whole_turn(alice, bob, start, loaded_dice):
    """In TrioTrio a turn has several moves; whatever he does means until it is over."""
    loaded_dice((6, 1), (1,), (2,))
    game = start("triotrio")
    write(game, bob, branch(None, "roll", branch(None, None, dice=[2])))
    submit(game, alice, "roll")
    assert plan_of(game, bob) is not None
    move(game)
    assert texts(game)[-1] == ("roll", Via.CONDITIONAL)
    assert as_stored(game).seat_to_move == 1
    assert log_of(game, bob)[-1]["what"] == "asked"


def test_a_plan_for_the_dice_of_ones_own_move(alice, start, loaded_dice):
    loaded_dice((6, 1), (1,))
    game = start("triotrio")
    after_roll = next(str(m) for m in position_of(game).play(
        position_of(game).parse("roll")).rolled((1,)).legal_moves())  # fmt: skip
    write(game, alice, branch(None, after_roll, dice=[1]))
    submit(game, alice, "roll")
    assert texts(game)[-1] == (after_roll, Via.CONDITIONAL)


def test_taking_back_forgets_the_plans(alice, bob, start):
    game = start("tritt-reloaded")
    move(game, "a1-a3")
    move(game, "k1-k3")
    write(game, alice, branch("i1-i3", "c1-c3"))
    play.ask_takeback(game_id=game.pk, player_id=bob.pk, now=NOW)
    play.accept_takeback(game_id=game.pk, player_id=alice.pk, now=NOW, via=Via.WEB)
    assert plan_of(game, alice) is None
    assert log_of(game, alice)[-1]["what"] == "taken back"


def test_a_stranger_and_a_finished_game_have_no_plan(alice, bob, charlie, start):
    game = start("tritt-reloaded")
    with pytest.raises(NotAtThisTable):
        write(game, charlie, branch("a1-a3", "k1-k3"))
    play.abort(game_id=game.pk, player_id=alice.pk, now=NOW)
    with pytest.raises(GameIsOver):
        write(game, bob, branch("a1-a3", "k1-k3"))


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ("no", "A plan is a list of branches."),
        ([1], "Branch /1 is not an object"),
        ([{"if": "a1-a3"}], "Branch /1 is not an object"),
        ([{"move": 7}], "A move of branch /1"),
        ([{"move": "x" * 200}], "A move of branch /1"),
        ([{"dice": "7"}], "The dice of branch /1"),
        ([{"dice": []}], "The dice of branch /1"),
        ([{"then": "resign", "next": [{}]}], "Branch /1 resigns"),
        ([{}] * 3000, "500 branches at most"),
    ],
)
def test_a_malformed_plan_gets_a_clear_sentence(bob, start, tree, sentence):
    game = start("tritt-reloaded")
    with pytest.raises(InvalidPlan, match=sentence):
        plans.write(game_id=game.pk, player_id=bob.pk, tree=tree)


def test_a_plan_as_deep_as_a_well_is_refused(bob, start):
    game = start("tritt-reloaded")
    tree: list[dict] = []
    for _ in range(150):
        tree = [branch(None, "k1-k3", *tree)]
    with pytest.raises(InvalidPlan, match="100 branches deep"):
        plans.write(game_id=game.pk, player_id=bob.pk, tree=tree)


def test_by_api_only_the_owner_sees_and_writes_his_plan(alice, bob, charlie, start, api_of):
    game = start("tritt-reloaded")
    address = f"/api/v1/games/{game.pk}/plan"
    written = api_of(bob).put(address, {"tree": [branch("a1-a3", "k1-k3")]}, format="json")
    assert written.status_code == 200
    assert written.json()["tree"] == [branch("a1-a3", "k1-k3")]
    assert api_of(bob).get(address).json() == written.json()
    assert api_of(alice).get(address).json() == {"tree": [], "log": []}
    assert api_of(charlie).get(address).status_code == 403
    for view in (f"/api/v1/games/{game.pk}", f"/api/v1/games/{game.pk}/moves"):
        assert "k1-k3" not in api_of(alice).get(view).content.decode()


def test_by_api_a_bad_plan_gets_a_problem_with_the_sentence(bob, start, api_of):
    game = start("tritt-reloaded")
    answer = api_of(bob).put(f"/api/v1/games/{game.pk}/plan", {"tree": 7}, format="json")
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid_plan"
    assert answer.json()["detail"] == "A plan is a list of branches."


# What one player stores costs nobody else anything


def bulky_tree(branches: int = 400) -> list[dict]:
    """A tree of 2.4 MB with few enough branches."""
    return [branch(None, None, dice=[7] * 2000) for _ in range(branches)]


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        ([{"dice": [7] * 37}], "Branch /1 can name 36 totals."),
        ([{"dice": [10**400]}], "The dice of branch /1"),
        ([{"dice": list(range(1, 37))}] * 500, "they can take up 64 kB"),
        ([{}] * 501, "500 branches at most"),
    ],
)
def test_conditional_moves_are_bounded_in_branches_and_in_bytes(bob, start, tree, sentence):
    game = start("tritt-reloaded")
    with pytest.raises(InvalidPlan, match=sentence):
        plans.write(game_id=game.pk, player_id=bob.pk, tree=tree)


def test_2_4_megabytes_are_refused_by_api_with_a_sentence(bob, start, api_of):
    game = start("tritt-reloaded")
    tree = bulky_tree()
    assert len(json.dumps(tree)) > 2_400_000
    answer = api_of(bob).put(f"/api/v1/games/{game.pk}/plan", {"tree": tree}, format="json")
    assert answer.status_code in (413, 422)
    assert answer.json()["code"] in ("too_large", "invalid_plan")
    assert plan_of(game, bob) is None


def test_no_page_list_or_act_of_others_reads_a_tree(alice, bob, start, as_player, api_of):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3"))
    with CaptureQueriesContext(connection) as made:
        for address in ("/", "/games/", "/games/mine/", game.get_absolute_url()):
            as_player(alice).get(address)
        for address in ("games", "me/games", f"games/{game.pk}", f"games/{game.pk}/moves"):
            api_of(alice).get(f"/api/v1/{address}")
    assert not [query for query in made.captured_queries if "conditionalmoves" in query["sql"]]


def test_no_list_reads_a_note(alice, bob, start, as_player, api_of):
    game = start("tritt-reloaded")
    Seat.objects.filter(game=game).update(note="x" * 20_000)
    with CaptureQueriesContext(connection) as made:
        for address in ("/", "/games/", "/games/mine/", "/players/bob/"):
            as_player(alice).get(address)
        for address in ("games", "me/games", f"games/{game.pk}"):
            api_of(alice).get(f"/api/v1/{address}")
        submit(game, alice, "a1-a3")
    assert not [query for query in made.captured_queries if '"note"' in query["sql"]]
    assert Seat.objects.get(game=game, player=alice).note == "x" * 20_000


def test_a_move_in_a_game_without_conditional_moves_does_not_look_for_them(alice, start):
    game = start("tritt-reloaded")
    with CaptureQueriesContext(connection) as made:
        submit(game, alice, "a1-a3")
    assert not [query for query in made.captured_queries if "conditionalmoves" in query["sql"]]


def test_the_log_keeps_no_trees_and_few_branches(alice, bob, start):
    game = start("tritt-reloaded")
    others = [str(legal) for legal in position_of(game).legal_moves() if str(legal) != "a1-a3"]
    write(game, bob, *[branch(text, None, branch(None, None)) for text in others[:18]])
    submit(game, alice, "a1-a3")
    died = log_of(game, bob)[-1]["died"]
    assert len(died) == plans.MOST_DEAD_SHOWN
    assert all(each["next"] == [] for each in died)


def test_what_waits_is_pruned_when_the_game_is_over(alice, bob, start):
    game = start("tritt-reloaded")
    write(game, bob, branch("a1-a3", "k1-k3"))
    play.abort(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert plan_of(game, bob) is None
    assert not Seat.objects.filter(game=game, has_conditional_moves=True).exists()
