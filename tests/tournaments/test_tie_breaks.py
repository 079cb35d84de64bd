"""Each definition on an event that is small enough to reckon by hand."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import pytest

from tests.tournaments.crosstable import FOOTBALL, event
from tournaments.formats.history import Entrant, History, Meeting, Values
from tournaments.formats.standing import standings
from tournaments.formats.tie_breaks import UnknownTieBreak, codes, name, parse
from tournaments.formats.tie_breaks_ratings import (
    DIFFERENCES,
    difference,
    expected_percent,
    perfect_performance,
    performance,
)
from tournaments.formats.tie_breaks_scores import Edition
from tournaments.formats.tie_breaks_slots import Format, table

SIX = event(
    {
        1: "2w1 3b= H   4w1",
        2: "1b0 5b- 4b= 3w0",
        3: "4w= 1w= 5b1 2b1",
        4: "3b= 6w1 2w= 1b0",
        5: "6w1 2w+ 3w0 U  ",
        6: "5b0 4b0 Z   Z  ",
    },
    rounds=4,
    ratings={1: 2000, 2: 1900, 3: 1801, 4: 1700, 5: 1600, 6: 1500},
)
"""1 rests on request in round 3, 2 forfeits to 5, 5 has the bye, 6 leaves after round 2.
Points: 3, ½, 3, 2, 3, 0. Opponents count 6's last rounds as draws: 1."""


def values(
    history: History, code: str, *, edition: Edition = "2026", format: Format = "swiss"
) -> dict[int, Fraction | None]:
    rows = standings(history, [code], edition=edition, format=format)
    return {row.number: row.values[0] for row in rows}


def with_others(lines: Mapping[int, str]) -> History:
    """The same event with two who lose to each other in every round, so that each is played."""
    rounds = max(len(line.split()) for line in lines.values())
    return event({**lines, 8: "9w0 " * rounds, 9: "8b0 " * rounds}, rounds=rounds)


def exact(*numbers: str) -> dict[int, Fraction]:
    return {place: Fraction(number) for place, number in enumerate(numbers, start=1)}


# Scores as opponents count them (16.3)


def adjusted(line: str, other: str) -> Fraction:
    """Of entrant 1, whose rounds these are; 2 is whom he met."""
    event_table = table(with_others({1: line, 2: other}), "swiss")
    return event_table.fraction(event_table.adjusted[1])


def test_rounds_after_leaving_count_as_draws_for_the_opponents() -> None:
    assert adjusted("2w1 Z Z", "1b0 U U") == 2


def test_a_missing_round_is_one_of_absence() -> None:
    assert adjusted("2w1 .", "1b0 U") == Fraction("1.5")
    assert adjusted("2w1 . 2w1", "1b0 U 1b0") == 2


def test_a_zero_point_bye_in_the_last_round_counts_as_a_draw() -> None:
    assert adjusted("2w1 2b1 Z", "1b0 1w0 U") == Fraction("2.5")


def test_a_bye_before_a_played_round_counts_as_it_was_awarded() -> None:
    assert adjusted("2w1 Z 2b1", "1b0 U 1w0") == 2


def test_a_bye_before_a_forfeit_loss_counts_as_a_draw_and_the_forfeit_as_nothing() -> None:
    assert adjusted("2w1 Z 2b-", "1b0 U 1w+") == Fraction("1.5")


def test_a_bye_before_a_full_point_bye_counts_as_it_was_awarded() -> None:
    assert adjusted("2w1 Z F", "1b0 U U") == 2


def test_a_bye_before_a_game_that_is_still_played_counts_as_it_was_awarded() -> None:
    assert adjusted("2w1 Z 2b?", "1b0 U 1w?") == 1


# Buchholz


def test_buchholz_of_2023_counts_the_own_score_for_an_unplayed_round() -> None:
    assert values(SIX, "BH", edition="2023") == exact(
        "8.5",  # ½ + 3 + 3 (himself) + 2
        "8.5",  # 3 + ½ (himself) + 2 + 3
        "8.5",  # 2 + 3 + 3 + ½
        "7.5",  # 3 + 1 + ½ + 3
        "10",  # 1 + 3 (himself) + 3 + 3 (himself)
        "5",  # 3 + 2 + 0 + 0 (himself)
    )


def test_buchholz_of_2026_caps_it_by_the_scheduled_opponent_or_by_all_draws() -> None:
    assert values(SIX, "BH", edition="2026") == exact(
        "7.5",  # the bye counts 2, all draws
        "8.5",  # his own ½ is less than 3
        "8.5",
        "7.5",
        "6.5",  # 1 + ½ (who forfeited) + 3 + 2 (all draws)
        "5",
    )


def test_a_cut_takes_a_voluntary_round_before_the_lowest_opponent() -> None:
    assert values(SIX, "BH-C1", edition="2023") == exact(
        "5.5",  # not 2's ½, but the bye's 3
        "8",  # the forfeit's ½
        "8",
        "7",
        "9",  # neither the forfeit win nor the bye was of his own will: 1
        "5",
    )
    assert values(SIX, "BH-C1", edition="2026") == exact("5.5", "8", "8", "7", "6", "5")


def test_a_voluntary_round_that_contributes_less_is_no_exception() -> None:
    # 3 scores ½ and counts 2's 3 and, for two absences, his own ½: those go first anyway.
    history = event({1: "2b0 2b0 3w=", 2: "1w1 1w1 4w1", 3: "Z Z 1b=", 4: "U U 2b0"})
    assert values(history, "BH-C1", edition="2023")[3] == Fraction("1.0")
    assert values(history, "BH-C2", edition="2023")[3] == Fraction("0.5")


def test_cut_2_and_the_medians_take_the_ends_off() -> None:
    assert values(SIX, "BH-C2", edition="2023")[3] == 6  # 3 + 3
    assert values(SIX, "BH-M1", edition="2023")[3] == 5  # 2 + 3
    assert values(SIX, "BH-M2", edition="2023")[3] == 0
    # 1 loses the bye's 3, then 2's ½; what is left is 3 and 2.
    assert values(SIX, "BH-C2", edition="2023")[1] == 5
    assert values(SIX, "BH-M2", edition="2023")[1] == 0


def test_a_median_cuts_low_before_high() -> None:
    assert values(SIX, "BH-M1", edition="2023")[1] == Fraction("2.5")  # ½ + 2: both 3s are gone


def test_a_cut_of_more_than_there_is_leaves_nothing() -> None:
    history = event({1: "2w1", 2: "1b0"})
    assert values(history, "BH-C2") == exact("0", "0")
    assert values(history, "BH-M1") == exact("0", "0")


def test_fore_buchholz_takes_the_final_round_for_drawn() -> None:
    # Then 1 to 6 have 2½, 1, 2½, 2½, 3 and, for others, 1.
    assert values(SIX, "FB", edition="2023") == exact("8.5", "8.5", "9", "7", "9.5", "5.5")
    assert values(SIX, "FB", edition="2026") == exact("8", "8.5", "9", "7", "6.5", "5.5")


def test_fore_buchholz_is_known_before_the_final_round_is_played() -> None:
    running = event(
        {
            1: "2w1 3b= H   4w?",
            2: "1b0 5b- 4b= 3w?",
            3: "4w= 1w= 5b1 2b?",
            4: "3b= 6w1 2w= 1b?",
            5: "6w1 2w+ 3w0 U  ",
            6: "5b0 4b0 Z   Z  ",
        },
        rounds=4,
    )
    assert values(running, "FB") == values(SIX, "FB")


def test_fore_buchholz_takes_a_forfeit_of_the_final_round_for_a_drawn_game() -> None:
    history = event({1: "2w1 3b1", 2: "1b0 4w-", 3: "4b0 1w0", 4: "3w1 2b+"}, rounds=2)
    # 1½, ½, ½, 1½ then: 2 meets 1 and 4.
    assert values(history, "FB") == exact("1", "3", "3", "1")


def test_fore_buchholz_is_buchholz_until_the_final_round_is_paired() -> None:
    history = event({1: "2w1", 2: "1b0"}, rounds=5)
    assert values(history, "FB") == values(history, "BH") == exact("0", "1")


def test_average_buchholz_counts_opponents_actually_played() -> None:
    found = values(SIX, "AOB", edition="2023")
    assert found[1] == Fraction("8.5") / 3 * 2 + Fraction("7.5") / 3  # 2, 3 and 4
    assert found[5] == Fraction("6.75")  # 6 and 3, neither the forfeit nor the bye


def test_who_played_nobody_has_no_average() -> None:
    assert values(event({1: "2w+", 2: "1b-"}), "AOB") == {1: None, 2: None}


# Sonneborn-Berger


def test_sonneborn_berger_weighs_opponents_by_the_points_against_them() -> None:
    assert values(SIX, "SB", edition="2023") == exact(
        "5.5",  # ½·1 + 3·½ + 3·½ (himself) + 2·1
        "1",  # 2·½
        "6",  # 2·½ + 3·½ + 3·1 + ½·1
        "2.75",  # 3·½ + 1·1 + ½·½
        "7",  # 1·1 + 3·1 + 3·0 + 3·1
        "0",
    )
    assert values(SIX, "SB", edition="2026") == exact("5", "1", "6", "2.75", "3.5", "0")


def test_its_cut_takes_the_product_of_the_lowest_opponent() -> None:
    found = values(SIX, "SB-C1", edition="2023")
    assert found[3] == Fraction("5.5")  # 2 with ½ points goes: ½
    assert found[4] == Fraction("2.5")  # 2 again: ¼
    assert found[5] == 6  # 6 goes, who counts 1


def test_its_cut_takes_the_higher_of_that_and_the_lowest_voluntary_product() -> None:
    found = values(SIX, "SB-C1", edition="2023")
    assert found[1] == 4  # the bye's 1½, not 2's ½
    assert found[2] == 1  # the forfeit's 0


def test_a_voluntary_product_below_that_is_not_cut() -> None:
    # 1 beat 2 and 4 with ½ each and forfeited to 3, which counts 2 times nothing.
    history = event({1: "2w1 3b- 4w1", 2: "1b0 4w= 3w0", 3: "4w1 1w+ 2b1", 4: "3b0 2b= 1b0"})
    assert values(history, "SB")[1] == 1
    assert values(history, "SB-C1")[1] == Fraction("0.5")


def test_among_opponents_of_equal_score_its_cut_takes_the_lowest_product() -> None:
    history = event({1: "2w1 3w0", 2: "1b0 4b1", 3: "4w0 1b1", 4: "3b1 2w0"})
    assert values(history, "SB") == exact("1", "1", "1", "1")
    assert values(history, "SB-C1") == exact("1", "1", "1", "1")


# Own record


def test_wins_are_rounds_worth_a_win_played_or_not() -> None:
    assert values(SIX, "WIN") == exact("2", "0", "2", "1", "3", "0")


def test_a_bye_worth_less_than_a_win_is_none() -> None:
    half = Values(bye=Fraction(1, 2))
    assert values(event({1: "U 2w1", 2: "Z 1b0"}, values=half), "WIN") == exact("1", "0")


def test_games_won_are_those_played() -> None:
    assert values(SIX, "WON") == exact("2", "0", "2", "1", "1", "0")


def test_colours_count_in_played_games_alone() -> None:
    assert values(SIX, "BPG") == exact("1", "2", "2", "2", "0", "2")
    assert values(SIX, "BWG") == exact("0", "0", "2", "0", "0", "0")


def test_the_progressive_score_adds_up_the_scores_after_each_round() -> None:
    assert values(SIX, "PS") == exact(
        "7.5",  # 1 + 1½ + 2 + 3
        "1",  # 0 + 0 + ½ + ½
        "6.5",  # ½ + 1 + 2 + 3
        "6",  # ½ + 1½ + 2 + 2
        "8",  # 1 + 2 + 2 + 3
        "0",
    )


def test_its_cut_leaves_the_first_rounds_out() -> None:
    assert values(SIX, "PS-C1") == exact("6.5", "1", "6", "5.5", "7", "0")
    assert values(SIX, "PS-C2") == exact("5", "1", "5", "4", "5", "0")


def test_rounds_elected_to_play_are_all_but_requested_byes_and_forfeit_losses() -> None:
    assert values(SIX, "REP") == exact("3", "3", "4", "4", "4", "2")


def test_both_lose_a_double_forfeit() -> None:
    history = event({1: "2w- 2b1", 2: "1b- 1w0"})
    assert values(history, "REP") == exact("1", "1")
    assert values(history, "STD") == exact("1", "0")


def test_standard_points_undo_what_wins_are_worth() -> None:
    history = event({1: "2w1 3b= H", 2: "1b0 U 3w-", 3: "U 1w= 2b+"}, rounds=3, values=FOOTBALL)
    assert {row.number: row.points for row in standings(history, [])} == {1: 5, 2: 3, 3: 7}
    assert values(history, "STD") == exact("2", "1", "2.5")


def test_game_points_are_what_the_games_counted() -> None:
    scored = [
        Meeting(round=1, first=1, second=2, scores=(Fraction(1), Fraction(0)), points=(17, 4)),
        Meeting(round=2, first=2, second=1, scores=(Fraction(1), Fraction(0)), points=(9, 8)),
    ]
    history = History(entrants=[Entrant(number=1), Entrant(number=2)], meetings=scored)
    assert values(history, "GP") == exact("25", "13")


def test_start_number_and_rating_are_themselves() -> None:
    assert values(SIX, "TPN") == exact("1", "2", "3", "4", "5", "6")
    assert values(SIX, "RTNG")[3] == 1801


def test_the_lower_start_number_and_the_higher_rating_come_first() -> None:
    level = event({1: "2w=", 2: "1b="}, ratings={1: 1500, 2: 1600})
    assert [row.number for row in standings(level, ["TPN"])] == [1, 2]
    assert [row.number for row in standings(level, ["RTNG"])] == [2, 1]


# Koya

FIVE_GAMES = {
    1: "5w= 2w1 3b1 4w0 6b1",
    2: "6w1 1b0 5w1 3w= 4b1",
    3: "4w1 6b1 1w0 2b= 5w1",
    4: "3b0 5b0 6w= 1b1 2w0",
    5: "1b= 4w1 2b0 6w- 3b0",
    6: "2b0 3w0 4b= 5b+ 1w0",
}
ALL_MET = event(FIVE_GAMES, rounds=5)
"""3½, 3½, 3½, 1½, 1½, 1½; 5 forfeited to 6."""


def test_koya_counts_points_against_those_with_half_of_the_most() -> None:
    # 1, 2 and 3 have at least 2½.
    assert values(ALL_MET, "KS", format="round-robin") == exact("2", "0.5", "0.5", "1", "0.5", "0")


def test_its_limit_moves_by_half_points() -> None:
    assert values(ALL_MET, "KS-L+3", format="round-robin") == exact("0", "0", "0", "0", "0", "0")
    assert values(ALL_MET, "KS-L+2", format="round-robin") == values(
        ALL_MET, "KS", format="round-robin"
    )
    everybody = {row.number: row.points for row in standings(ALL_MET, [], format="round-robin")}
    assert values(ALL_MET, "KS-L-2", format="round-robin") == everybody


# Round robins (15.2)


def test_in_a_round_robin_a_forfeit_is_a_game_for_scores() -> None:
    assert values(ALL_MET, "SB", format="round-robin") == exact(
        "9.25", "6.25", "6.25", "4.25", "3.25", "2.25"
    )
    assert values(ALL_MET, "SB-C1", format="round-robin") == exact(
        "9.25", "4.75", "4.75", "4.25", "3.25", "1.5"
    )


def test_in_a_round_robin_a_forfeit_loss_is_no_game_on_the_own_record() -> None:
    assert values(ALL_MET, "WON", format="round-robin")[6] == 1
    assert values(ALL_MET, "BWG", format="round-robin")[6] == 1
    assert values(ALL_MET, "BPG", format="round-robin")[6] == 3
    mirrored = event({1: "2b- 2w1", 2: "1w+ 1b0"})
    assert values(mirrored, "BPG", format="round-robin")[1] == 0
    assert values(ALL_MET, "REP", format="round-robin") == exact("5", "5", "5", "5", "4", "5")


def test_in_a_round_robin_forfeits_are_unplayed_for_ratings() -> None:
    rated = event(FIVE_GAMES, ratings={1: 2200, 2: 2150, 3: 2100, 4: 2050, 5: 1950, 6: 2000})
    assert values(rated, "ARO", format="round-robin")[6] == 2125  # 2150, 2100, 2050, 2200
    assert values(rated, "TPR", format="round-robin")[6] == 2125 - 322  # ½ of 4: 13 %


def test_sitting_out_in_a_round_robin_is_no_round() -> None:
    odd = event({1: "2w1 .   3b1", 2: "1b0 3w1 .  ", 3: ".   2b0 1w0"})
    assert values(odd, "BH", format="round-robin") == exact("1", "2", "3")
    assert values(odd, "REP", format="round-robin") == exact("2", "2", "2")


# Direct encounter


def order(
    history: History, *, format: Format = "swiss", first: Iterable[str] = ()
) -> list[tuple[int, int]]:
    return [(row.rank, row.number) for row in standings(history, [*first, "DE"], format=format)]


def test_if_all_have_met_the_table_among_themselves_decides() -> None:
    # 1, 2 and 3 met: 2 points, ½ and ½. 4, 5 and 6: ½, 1 and 1½ with the forfeit.
    assert order(ALL_MET, format="round-robin") == [(1, 1), (2, 2), (2, 3), (4, 6), (5, 5), (6, 4)]


def test_in_a_swiss_event_a_forfeit_is_no_encounter() -> None:
    # Of 4, 5 and 6, 5 and 6 did not play: 5 has 1, 6 ½ and 4 ½, and 6 could have 1½.
    assert order(ALL_MET)[3:] == [(4, 4), (4, 5), (4, 6)]


def level(lines: Mapping[int, str]) -> list[tuple[int, int]]:
    """The order by direct encounter of entrants who have the same points."""
    history = with_others(lines)
    assert len({row.points for row in standings(history, []) if row.number < 8}) == 1
    return [pair for pair in order(history) if pair[1] < 8]


def test_those_level_in_that_table_are_compared_again_among_themselves() -> None:
    # Among themselves 2, 1½, 1½ and 1; of 2 and 3, 3 won their game.
    assert level(
        {
            1: "2w0 3w1 4w1 H Z",
            2: "1b1 4w= 3w0 F Z",
            3: "4w= 1b0 2b1 F Z",
            4: "3b= 2b= 1b0 F H",
        }
    ) == [(1, 1), (2, 3), (3, 2), (4, 4)]


def test_one_is_first_only_if_no_missing_game_could_change_it() -> None:
    # 1 beat 2 and 3, who never met: 2, and at most 1 each. Of these two nothing is known.
    assert level({1: "2w1 3w1 Z", 2: "1b0 F F", 3: "F 1b0 F"}) == [(1, 1), (2, 2), (2, 3)]
    # 1 beat 2 alone, and 3 might have beaten both.
    assert level({1: "2w1 F Z", 2: "1b0 F F", 3: "F F Z"}) == [(1, 1), (1, 2), (1, 3)]


def test_the_next_places_are_found_in_the_same_way() -> None:
    # 1 beat all, 2 beat 3 and 4, who did not meet: 3, 2, and at most 1 each.
    assert level(
        {
            1: "2w1 3w1 4w1 Z Z Z",
            2: "1b0 4w1 3w1 F Z Z",
            3: "F   1b0 2b0 F F Z",
            4: "F   2b0 1b0 F F Z",
        }
    ) == [(1, 1), (2, 2), (3, 3), (3, 4)]


def test_the_second_place_is_found_with_the_games_against_the_first() -> None:
    # 2½ for 1, 2 for 2 with his draw against 1; 3 and 4 did not meet: at most 1 and 1½. Without
    # 1, 2 would have 1½, which 4 might have too.
    assert level(
        {
            1: "2w= 3w1 4w1 Z Z",
            2: "1b= 4w= 3w1 H Z",
            3: "F   1b0 2b0 F H",
            4: "F   2b= 1b0 F Z",
        }
    ) == [(1, 1), (2, 2), (3, 3), (3, 4)]


def test_those_who_remain_are_compared_again_without_those_who_are_placed() -> None:
    # 1 beat 2 and 3 and has not met 4: first with 2. Nobody is alone second, as 2 and 3 have 1½
    # each. The three who are left have all met: 1½, 1½ and 0.
    assert level(
        {
            1: "2w1 3w1 H   Z   Z Z",
            2: "1b0 4w1 3w= H   H Z",
            3: "4w1 1b0 2b= H   H Z",
            4: "3b0 2b0 F   F   H Z",
        }
    ) == [(1, 1), (2, 2), (2, 3), (4, 4)]


def test_several_games_against_one_opponent_count_by_their_average() -> None:
    # 1 beat 2 twice, which is worth 1; 3 beat 1, and 2 beat 3: all have 1.
    assert level({1: "2w1 2b1 3w0 Z", 2: "1b0 1w0 F 3w1", 3: "F Z 1b1 2b0"}) == [
        (1, 1),
        (1, 2),
        (1, 3),
    ]
    # Half a point for a win each; 1 beat 3, who beat 2: 1½, ½ and 1.
    assert level({1: "2w1 2b0 3w1 Z", 2: "1b0 1w1 F 3w0", 3: "Z F 1b0 2b1"}) == [
        (1, 1),
        (2, 3),
        (3, 2),
    ]


def test_a_running_game_is_a_missing_one() -> None:
    # 1 beat 2, who drew with 3; but 3 may still beat 1.
    history = event({1: "2w1 3w? Z", 2: "1b0 H 3w=", 3: "H 1b? 2b="})
    assert order(history, format="round-robin") == [(1, 1), (1, 2), (1, 3)]


def test_its_value_is_the_place_among_the_tied_or_none() -> None:
    assert values(ALL_MET, "DE", format="round-robin") == exact("1", "2", "2", "3", "2", "1")
    assert values(SIX, "DE") == exact("0", "0", "0", "0", "0", "0")


def test_it_looks_only_at_those_still_tied_when_its_turn_comes() -> None:
    # 2 beat 1, 1 beat 3; 2 and 3 have not met, so nothing is sure of the three. By games won
    # 1 and 2 are before 3, and between these two it is.
    history = with_others({1: "2w0 3w1 F", 2: "1b1 H H", 3: "F 1b0 F"})
    assert [pair for pair in order(history) if pair[1] < 8] == [(1, 1), (1, 2), (1, 3)]
    assert order(history, first=["WON"])[:3] == [(1, 2), (2, 1), (3, 3)]


# Ratings


@pytest.mark.parametrize(
    ("percent", "rating"),
    [
        (100, 800),
        (99, 677),
        (83, 273),
        (67, 125),
        (51, 7),
        (50, 0),
        (49, -7),
        (33, -125),
        (0, -800),
    ],
)
def test_the_table_of_differences_is_the_printed_one(percent: int, rating: int) -> None:
    assert difference(percent) == rating


def test_it_has_a_row_for_each_per_cent_and_grows() -> None:
    assert len(DIFFERENCES) == 51
    assert list(DIFFERENCES) == sorted(set(DIFFERENCES))


@pytest.mark.parametrize(
    ("above", "percent"),
    [(0, 50), (3, 50), (4, 51), (401, 92), (411, 92), (412, 93), (735, 99), (736, 100), (-736, 0)],
)
def test_expected_scores_are_not_cut_at_400_points(above: int, percent: int) -> None:
    assert expected_percent(above) == percent


def test_the_average_rating_of_opponents_is_rounded_half_up() -> None:
    found = values(SIX, "ARO")
    assert found[1] == 1800  # 1900, 1801, 1700: 1800⅓
    assert found[5] == 1651  # 1500 and 1801: 1650½; neither the forfeit nor the bye
    assert found[6] == 1650


def test_its_cut_leaves_the_lowest_out() -> None:
    assert values(SIX, "ARO-C1")[1] == 1851  # 1900 and 1801: 1850½
    assert values(SIX, "ARO-C2")[6] is None


def test_opponents_without_a_rating_are_passed_over() -> None:
    history = event({1: "2w1 3w0", 2: "1b0 Z", 3: "Z 1b1"}, ratings={1: 1500, 2: 0, 3: 1700})
    assert values(history, "ARO")[1] == 1700
    assert values(history, "TPR")[1] == 900


def test_a_performance_is_the_average_and_what_the_score_stands_for() -> None:
    assert performance([1900, 1801, 1700], 5) == 1800 + 273  # 2½ of 3: 83 %
    assert performance([1500] * 8, 1) == 1500 - 444  # ½ of 8: 6¼ %, rounded to 6
    assert performance([1500] * 4, 1) == 1500 - 322  # ½ of 4: 12½ %, rounded up to 13
    assert performance([1500, 1600], 4) == 2350
    assert performance([1500, 1600], 0) == 750
    assert performance([], 0) is None


def test_performances_count_standard_points_of_played_games() -> None:
    history = event(
        {1: "2w1 3b=", 2: "1b0 U", 3: "U 1w="}, values=FOOTBALL, ratings={1: 1500, 2: 1500, 3: 1500}
    )
    assert values(history, "TPR") == exact(str(1500 + 193), "700", "1500")


def test_a_perfect_performance_is_the_lowest_rating_that_would_expect_the_score() -> None:
    assert perfect_performance([1500], 1) == 1497  # 50 % from 3 below on
    assert perfect_performance([1500], 2) == 1500 + 736
    assert perfect_performance([1500, 1700], 0) == 700
    # 92 % + 58 % at 1754 is enough for 1½; 92 % + 57 % at 1753 is not.
    assert perfect_performance([1350, 1700], 3) == 1754
    assert expected_percent(1753 - 1350) + expected_percent(1753 - 1700) == 149
    assert perfect_performance([], 0) is None


def test_averages_over_the_opponents_are_rounded_half_up() -> None:
    history = event({1: "2w1 3b1", 2: "1b0 Z", 3: "Z 1w0"}, ratings={1: 1500, 2: 1600, 3: 1601})
    assert values(history, "TPR") == exact("2401", "700", "700")
    assert values(history, "APRO") == exact("700", "2401", "2401")
    assert values(history, "PTP") == exact("2337", "700", "700")
    assert values(history, "APPO") == exact("700", "2337", "2337")


def test_ratings_come_from_played_games_in_the_example() -> None:
    assert values(SIX, "TPR") == exact(
        str(1800 + 273),  # 2½ of 3
        str(1834 - 273),  # ½ of 3 against 2000, 1700 and 1801: 1833⅔; 16⅔ is 17 %
        str(1800 + 193),  # 3 of 4 against 1700, 2000, 1600 and 1900
        str(1800 + 0),  # 2 of 4 against 1801, 1500, 1900 and 2000: 1800¼
        str(1651 + 0),  # 1 of 2
        str(1650 - 800),
    )


# Matches of two games

MATCHES = event(
    {
        1: "2w1,2b= 3w1,3b1",
        2: "1b0,1w= U",
        3: "H       1b0,1w0",
    }
)


def test_in_matches_a_bye_is_worth_a_bye_for_each_game() -> None:
    points = {row.number: row.points for row in standings(MATCHES, [])}
    assert points == {1: Fraction("3.5"), 2: Fraction("2.5"), 3: 1}


def test_an_opponent_counts_once_for_each_game() -> None:
    assert values(MATCHES, "BH", edition="2023") == exact(
        "7",  # 2½ twice and 1 twice
        "12",  # 3½ twice, and himself with 2½ twice
        "9",  # himself with 1 twice, 3½ twice
    )
    assert values(MATCHES, "BH", edition="2026")[2] == 11  # all draws of four games: 2
    assert values(MATCHES, "BH-C1", edition="2023")[1] == 6


# Codes and names


@pytest.mark.parametrize("spelling", ["BH-C1", "BH/C1", "BHC1", " bh-c1 "])
def test_a_code_may_be_spelt_in_several_ways(spelling: str) -> None:
    assert parse(spelling).code == "BH-C1"


@pytest.mark.parametrize("code", codes())
def test_every_code_is_read_back_and_has_a_name_in_words(code: str) -> None:
    assert parse(code).code == code
    assert name(parse(code), str)


def test_names_tell_modifiers() -> None:
    def named(code: str) -> str:
        return name(parse(code), str)

    assert named("BH-C1") == "Buchholz, cut 1"
    assert named("SB-M2") == "Sonneborn-Berger, median 2"
    assert named("KS-L-1") == "Koya, limit -1 half points"
    assert len({named(code) for code in codes()}) == len(codes())


@pytest.mark.parametrize("code", ["XYZ", "WON-C1", "DE-C1", "BH-C3", "ARO-M1", "KS-L", ""])
def test_an_unknown_code_is_refused_with_those_there_are(code: str) -> None:
    with pytest.raises(UnknownTieBreak, match=r"There are: AOB, APPO, .* BH-C1, .* WON\."):
        parse(code)


def test_lots_depend_on_the_seed_alone() -> None:
    level = dict.fromkeys(range(1, 31), "U")
    drawn = [row.number for row in standings(event(level), ["LOT"], seed="one")]
    again = dict(reversed(level.items()))
    assert [row.number for row in standings(event(again), ["LOT"], seed="one")] == drawn
    assert [row.number for row in standings(event(level), ["LOT"], seed="two")] != drawn
    assert sorted(drawn) == list(level)


def test_every_tie_break_has_a_value_for_everybody() -> None:
    found: Mapping[int, object]
    for code in codes():
        found = values(SIX, code)
        assert set(found) == set(range(1, 7)), code
