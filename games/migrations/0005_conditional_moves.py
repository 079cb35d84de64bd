import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0004_bots'),
    ]

    operations = [
        migrations.CreateModel(
            name='ConditionalMoves',
            fields=[
                ('seat', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='conditional_moves', serialize=False, to='games.seat')),
                ('tree', models.JSONField(default=list)),
                ('log', models.JSONField(default=list)),
            ],
            options={
                'verbose_name_plural': 'conditional moves',
            },
        ),
        migrations.AddField(
            model_name='seat',
            name='has_conditional_moves',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
