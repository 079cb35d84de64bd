"""Copies conditional moves out of the seats, some thousand seats at a time."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BATCH = 5000
MOST_BYTES = 64_000

# Only what still waits in a running game is kept, and only if it could be written today;
# the log is kept without the branches that died.
COPY = """
WITH old AS (
    SELECT s.id, g.ply, s.plan_log,
           s.plan IS NOT NULL AND g.status = 'running' AS waits,
           octet_length(s.plan::text) > %s AS too_long, s.plan
    FROM games_seat s JOIN games_game g ON g.id = s.game_id
    WHERE s.id > %s AND s.id <= %s AND (s.plan IS NOT NULL OR s.plan_log IS NOT NULL)
), copied AS (
    INSERT INTO games_conditionalmoves (seat_id, tree, log)
    SELECT id,
           CASE WHEN waits AND NOT too_long THEN plan ELSE '[]' END,
           coalesce((SELECT jsonb_agg(e - 'died') FROM jsonb_array_elements(plan_log) e), '[]')
           || CASE WHEN waits AND too_long
                   THEN jsonb_build_array(jsonb_build_object('ply', ply, 'what', 'too long'))
                   ELSE '[]' END
    FROM old
    ON CONFLICT (seat_id) DO NOTHING
)
UPDATE games_seat s SET has_conditional_moves = true
FROM old WHERE old.id = s.id AND old.waits AND NOT old.too_long
"""
COPY_BACK = """
UPDATE games_seat s SET plan = nullif(c.tree, '[]'), plan_log = nullif(c.log, '[]')
FROM games_conditionalmoves c WHERE c.seat_id = s.id AND s.id > %s AND s.id <= %s
"""


def copy(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for low, high in _batches(schema_editor):
        schema_editor.execute(COPY, [MOST_BYTES, low, high])


def copy_back(apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for low, high in _batches(schema_editor):
        schema_editor.execute(COPY_BACK, [low, high])


def _batches(schema_editor: BaseDatabaseSchemaEditor) -> list[tuple[int, int]]:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) FROM games_seat")
        (last,) = cursor.fetchone()
    return [(low, low + BATCH) for low in range(0, last, BATCH)]


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('games', '0005_conditional_moves'),
    ]

    operations = [migrations.RunPython(copy, copy_back)]
