"""Chat, notes and the proof of the dice."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from games import proof, talk
from games.api import answers, present
from games.api.games import LINK, OpenToWatch, visible_game
from games.api.pages import PAGE, page_of
from games.api.serializers import ChatRequest, ChatVisibility, Note


class Chat(APIView):
    """What the two players say to each other."""

    @extend_schema(
        operation_id="chat", parameters=PAGE, responses=answers.page(answers.ChatMessage)
    )
    def get(self, request: Request, pk: int) -> Response:
        visible_game(request, pk)
        lines = talk.lines_for(game_id=pk, player_id=player_of(request).pk)
        return page_of(lines, request, present.chat_line)

    @extend_schema(
        operation_id="show_chat",
        description="Hides what the opponent writes in this game, or shows it again.",
        request=ChatVisibility,
        responses=ChatVisibility,
    )
    def patch(self, request: Request, pk: int) -> Response:
        data = ChatVisibility(data=request.data, partial=True)
        data.is_valid(raise_exception=True)
        player_id = player_of(request).pk
        if "hidden" in data.validated_data:
            hidden = data.validated_data["hidden"]
            talk.hide_chat(game_id=pk, player_id=player_id, hidden=hidden)
        return Response({"hidden": talk.seat_of(pk, player_id).hides_chat})

    @extend_schema(
        operation_id="say",
        description="A line to the opponent; ten a minute at most.",
        request=ChatRequest,
        responses={201: answers.ChatMessage},
    )
    def post(self, request: Request, pk: int) -> Response:
        data = ChatRequest(data=request.data)
        data.is_valid(raise_exception=True)
        text = data.validated_data["text"]
        line = talk.say(game_id=pk, player_id=player_of(request).pk, text=text, now=timezone.now())
        return Response(present.chat_line(line), status=201)


class ReportLine(APIView):
    """Asks the staff to look at what the opponent wrote."""

    @extend_schema(operation_id="report_chat", request=None, responses={204: None})
    def post(self, request: Request, pk: int, line: int) -> Response:
        talk.report(game_id=pk, line_id=line, player_id=player_of(request).pk, now=timezone.now())
        return Response(status=204)


class MyNote(APIView):
    """For my eyes alone."""

    @extend_schema(operation_id="note", responses=Note)
    def get(self, request: Request, pk: int) -> Response:
        return Response({"note": talk.seat_of(pk, player_of(request).pk).note})

    @extend_schema(operation_id="write_note", request=Note, responses=Note)
    def put(self, request: Request, pk: int) -> Response:
        data = Note(data=request.data)
        data.is_valid(raise_exception=True)
        note = data.validated_data["note"]
        talk.write_note(game_id=pk, player_id=player_of(request).pk, note=note)
        return Response({"note": note})


class DiceProof(OpenToWatch):
    """Everything that `python -m games.dice verify` needs."""

    @extend_schema(operation_id="dice", parameters=[LINK], responses=answers.ProofOfDice)
    def get(self, request: Request, pk: int) -> Response:
        game, _seat = visible_game(request, pk)
        return Response(proof.of_game(game))
