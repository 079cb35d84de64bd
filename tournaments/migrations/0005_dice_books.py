import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0004_unbegun'),
    ]

    operations = [
        migrations.AddField(
            model_name='entry',
            name='salt',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.CreateModel(
            name='DiceBook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('secret', models.BinaryField(max_length=32)),
                ('merkle_root', models.CharField(max_length=64)),
                ('size', models.PositiveIntegerField()),
                ('used', models.PositiveIntegerField(default=0)),
                ('opened_at', models.DateTimeField()),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='dice_books', to='tournaments.event')),
            ],
            options={
                'ordering': ['event', 'number'],
                'constraints': [models.UniqueConstraint(fields=('event', 'number'), name='one_book_a_number')],
            },
        ),
    ]
