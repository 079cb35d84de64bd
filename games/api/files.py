"""Games as files: fetched one by one, all together or as a table, and brought in for study."""

from collections.abc import Mapping
from typing import IO, Any

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.export_limits import require_export
from games import files, importing, record, search
from games.api import answers
from games.api.games import LINK, MINE, OpenToWatch, games_found, visible_game
from games.api.pages import PAGE, page_of, parameters_of
from games.models import ImportedGame
from games.refusals import NotFound
from games.search import GameSearch


def sends(media_type: str) -> list[type[JSONRenderer]]:
    """For a view that answers with a file: what it renders itself is only ever a problem."""
    name = media_type.title().replace("/", "")
    return [type(name, (JSONRenderer,), {"media_type": media_type, "charset": None}), JSONRenderer]


def attachment(content: bytes, *, name: str, media_type: str) -> HttpResponse:
    response = HttpResponse(content, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def as_json(content: bytes, name: str) -> HttpResponse:
    return attachment(content, name=f"{name}.json", media_type="application/json")


def as_text(content: bytes, name: str) -> HttpResponse:
    return attachment(content, name=f"{name}.txt", media_type="text/plain; charset=utf-8")


# One game


class GameFile(OpenToWatch):
    """A game as a file that `python -m games.record verify` checks."""

    @extend_schema(operation_id="game_file", parameters=[LINK], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> HttpResponse:
        visible_game(request, pk)
        file = files.file_of(pk)
        return as_json(file.as_json(), file.name)


class GameText(OpenToWatch):
    """A game as people read it: 78 columns of plain text."""

    renderer_classes = sends("text/plain")

    @extend_schema(
        operation_id="game_text",
        parameters=[LINK],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        visible_game(request, pk)
        file = files.file_of(pk)
        return as_text(file.as_text(), file.name)


# Many games


class GamesTable(OpenToWatch):
    """The games that a search finds, the newest first, as CSV; at most 10 000 of them."""

    renderer_classes = sends("text/csv")

    @extend_schema(
        operation_id="games_table",
        parameters=[*parameters_of(GameSearch), MINE],
        responses={
            (200, "text/csv"): OpenApiResponse(
                OpenApiTypes.STR, description="With the header X-Note where games were left out."
            )
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        require_export(request)
        found = games_found(request)
        response = StreamingHttpResponse(
            search.table(found), content_type="text/csv; charset=utf-8"
        )
        response["Content-Disposition"] = 'attachment; filename="tripost-games.csv"'
        if search.is_too_long(found):
            response["X-Note"] = f"only the newest {search.MOST_ROWS} games; search for fewer"
        return response


class MyBundle(APIView):
    """All my games, private ones included, as files and as texts."""

    renderer_classes = sends("application/zip")

    @extend_schema(
        operation_id="my_bundle", responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request) -> HttpResponseBase:
        require_export(request)
        player = player_of(request)
        response = StreamingHttpResponse(files.bundle(player), content_type="application/zip")
        response["Content-Disposition"] = f'attachment; filename="tripost-{player.name}.zip"'
        return response


# From elsewhere


class FileAsItIs(BaseParser):
    """Every byte counts, so the body is not read as anything yet."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        return stream.read(importing.LARGEST_FILE + 1)


class ImportedSummary(serializers.Serializer):
    id = serializers.IntegerField()
    imported_at = serializers.DateTimeField()
    ruleset = serializers.CharField()
    version = serializers.IntegerField()
    players = serializers.ListField(
        child=serializers.CharField(allow_blank=True), min_length=2, max_length=2
    )
    plies = serializers.IntegerField()
    status = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)
    started_at = serializers.CharField()


class ImportedInFull(ImportedSummary):
    record = serializers.DictField(help_text="All that the file says.")


def imported_summary(imported: ImportedGame) -> dict[str, Any]:
    return {"id": imported.pk, "imported_at": imported.imported_at, **imported.summary}


def imported_in_full(imported: ImportedGame) -> dict[str, Any]:
    return {**imported_summary(imported), "record": imported.record}


def own_imports(request: Request) -> QuerySet[ImportedGame]:
    return ImportedGame.objects.filter(owner=player_of(request))


def own_import(request: Request, pk: int) -> ImportedGame:
    found = own_imports(request).filter(pk=pk).first()
    if found is None:
        raise NotFound("There is no such import.")
    return found


class MyImports(APIView):
    """Games from elsewhere that I keep for study."""

    parser_classes = [FileAsItIs]

    @extend_schema(
        operation_id="my_imports", parameters=PAGE, responses=answers.page(ImportedSummary)
    )
    def get(self, request: Request) -> Response:
        return page_of(own_imports(request).defer("record"), request, imported_summary)

    @extend_schema(
        operation_id="import_game",
        description="The body is a game file, byte for byte; it is kept if it verifies, and once.",
        request=OpenApiTypes.OBJECT,
        responses={200: ImportedInFull, 201: ImportedInFull},
    )
    def post(self, request: Request) -> Response:
        # Of a request without a body nothing is parsed.
        body: Any = request.data or b""
        imported, is_new = importing.take_in(
            owner=player_of(request), data=body, now=timezone.now()
        )
        return Response(imported_in_full(imported), status=201 if is_new else 200)


class MyImport(APIView):
    """A game from elsewhere, to look at or to remove."""

    @extend_schema(operation_id="my_import", responses=ImportedInFull)
    def get(self, request: Request, pk: int) -> Response:
        return Response(imported_in_full(own_import(request, pk)))

    @extend_schema(operation_id="delete_import", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        own_import(request, pk).delete()
        return Response(status=204)


class MyImportedFile(APIView):
    """The file as it was brought in."""

    @extend_schema(operation_id="my_imported_file", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> HttpResponse:
        imported = own_import(request, pk)
        return as_json(record.spelled(imported.record), f"tripost-import-{pk}")


class MyImportedText(APIView):
    """A game from elsewhere as people read it."""

    renderer_classes = sends("text/plain")

    @extend_schema(
        operation_id="my_imported_text", responses={(200, "text/plain"): OpenApiTypes.STR}
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        return as_text(importing.text_of(own_import(request, pk)), f"tripost-import-{pk}")
