from typing import Any

from django.db import migrations, models

from accounts.names import fold

ARMENIAN_TO_ARABIC = "[\u0530-\u06ff]"


def fold_names(apps: Any, schema_editor: Any) -> None:
    """Of scripts whose look-alikes are folded since; whoever has the fold already keeps it."""
    Player = apps.get_model("accounts", "Player")
    named = Player.objects.filter(is_guest=False, closed_at=None, name__regex=ARMENIAN_TO_ARABIC)
    rows = list(named.order_by("pk").values_list("pk", "name", "folded_name"))
    for pk, name, before in rows:
        folded = fold(name)
        if (before or "").partition("~")[0] != folded:
            is_taken = Player.objects.filter(folded_name=folded).exists()
            after = f"{folded}~{pk}" if is_taken else folded
            Player.objects.filter(pk=pk).update(folded_name=after)


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0008_task_runs_and_closing_steps"),
    ]

    operations = [
        migrations.AddField(
            model_name="closing",
            name="cursor",
            field=models.CharField(db_default="", default="", max_length=40),
        ),
        migrations.RunPython(fold_names, migrations.RunPython.noop),
    ]
