"""Django's PostgreSQL backend, with a limit to every wait."""
