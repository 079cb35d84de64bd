from django.urls import path

from notifications import views

urlpatterns = [
    path("mailbox/", views.mailbox, name="mailbox"),
    path("mailbox/<int:pk>/", views.letter, name="mailbox_letter"),
]
