import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0001_events")]

    operations = [
        migrations.CreateModel(
            name="Errand",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("game_id", models.BigIntegerField(blank=True, null=True)),
                ("noted_at", models.DateTimeField()),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="errands",
                        to="tournaments.event",
                    ),
                ),
            ],
        ),
    ]
