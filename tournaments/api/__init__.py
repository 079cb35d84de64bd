"""The API of events."""
