from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "notifications"

    def ready(self) -> None:
        from allauth.account.signals import email_confirmed
        from anymail.signals import inbound, tracking

        from notifications import mail_in, provider_events

        tracking.connect(provider_events.hear_tracking)
        inbound.connect(mail_in.take_from_provider)
        email_confirmed.connect(provider_events.hear_confirmation)
