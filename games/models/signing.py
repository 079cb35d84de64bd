"""The keys that the server signs game files with."""

from django.db import models


class SigningKey(models.Model):
    """An Ed25519 key; the public part stays published after the key is retired."""

    id = models.CharField(primary_key=True, max_length=16)
    public_key = models.CharField(max_length=64)
    private_key = models.BinaryField(max_length=200)
    """Encrypted with a key that follows from SECRET_KEY, so that no backup can sign."""
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "id"]

    def __str__(self) -> str:
        return self.id
