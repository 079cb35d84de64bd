from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0006_move_conditional_moves'),
    ]

    operations = [
        migrations.RemoveField(model_name='seat', name='plan'),
        migrations.RemoveField(model_name='seat', name='plan_log'),
    ]
