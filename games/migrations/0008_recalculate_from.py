from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0007_remove_seat_plan")]

    operations = [
        migrations.AddField(
            model_name="ratingpool",
            name="recalculate_from",
            field=models.PositiveIntegerField(null=True),
        ),
    ]
