from django.db import migrations, models

FILL = """
UPDATE games_importedgame SET
    size = octet_length(record::text),
    summary = jsonb_build_object(
        'ruleset', record -> 'ruleset',
        'version', record -> 'version',
        'players', record -> 'players',
        'plies', jsonb_array_length(record -> 'moves') - 1,
        'status', record #> '{result,status}',
        'reason', record #> '{result,reason}',
        'started_at', record -> 'started_at'
    )
"""


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0014_stable_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='importedgame',
            name='size',
            field=models.PositiveIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='importedgame',
            name='summary',
            field=models.JSONField(default=dict),
            preserve_default=False,
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
