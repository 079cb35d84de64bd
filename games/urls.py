"""The games' addresses."""

from django.urls import include, path

from games import rules_pages, views
from games.pages import (
    acts,
    challenges,
    downloads,
    leaders,
    lobby,
    mine,
    people,
    status,
    table,
    vacation,
)

at_a_table = [
    path("news/", table.news),
    path("choices/", table.choices),
    path("move/", acts.move),
    path("act/", acts.act),
    path("say/", acts.say),
    path("chat/", acts.chat_setting),
    path("note/", acts.note),
    path("salt/", acts.salt),
    path("rematch/", acts.rematch),
    path("dice/", downloads.dice_proof),
    path("dice.json", downloads.dice_file),
    path("game.json", downloads.game_file),
    path("game.txt", downloads.game_text),
    path("board.svg", downloads.board_svg),
    path("board.png", downloads.board_png),
    path("board.txt", downloads.board_text),
]

urlpatterns = [
    path("games/", mine.my_games, name="my_games"),
    path("games/next/", mine.next_turn, name="next_turn"),
    path("games/<int:pk>/", table.table, name="game"),
    path("games/<int:pk>/", include(at_a_table)),
    path("g/<str:link>/", table.table, name="private_game"),
    path("g/<str:link>/", include(at_a_table)),
    path("lobby/", lobby.lobby_page, name="lobby"),
    path("lobby/<int:pk>/", lobby.answer, name="answer_challenge"),
    path("challenge/", challenges.challenge, name="challenge"),
    path("players/<str:name>/", people.player, name="player"),
    path("leaders/", leaders.all_leaders, name="leaders"),
    path("leaders/<str:pool>/", leaders.leaders_of, name="leaders_of"),
    path("settings/vacation/", vacation.vacation, name="vacation"),
    path("status/", status.status, name="status"),
    path("invite/<str:link>/", views.invitation, name="invitation"),
    path("rules/", rules_pages.rules, name="rules"),
    path("rules/<slug:key>/", rules_pages.rules_of, name="rules_of"),
    path("rules/<slug:key>/try/", rules_pages.try_move, name="try_move"),
    path("rules/<slug:key>/choices/", rules_pages.trial_choices, name="trial_choices"),
]
