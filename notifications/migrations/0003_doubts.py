from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("notifications", "0002_letters"),
    ]

    operations = [
        migrations.AddField(
            model_name="letter",
            name="doubts",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.RemoveIndex(model_name="letter", name="letters_of_player"),
        migrations.AddIndex(
            model_name="letter",
            index=models.Index(fields=["player", "-id"], name="letters_of_player"),
        ),
        # That there is one digest a day is held by the letter's key.
        migrations.RemoveField(model_name="habits", name="digest_sent_on"),
    ]
