from django.urls import path

from accounts.api import Me, MyData, OneToken, Tokens

urlpatterns = [
    path("me", Me.as_view(), name="api_me"),
    path("me/data", MyData.as_view()),
    path("me/tokens", Tokens.as_view()),
    path("me/tokens/<int:pk>", OneToken.as_view()),
]
