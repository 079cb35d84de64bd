#!/usr/bin/env python
"""Django's command line for Tripost."""

import os
import sys

WITHOUT_A_SITE = {
    "SECRET_KEY": "signs nothing",
    "DATABASE_URL": "postgres://nobody@localhost/nothing",
    "REDIS_URL": "redis://localhost/0",
}
"""What settings ask for, for a command that touches neither database nor Redis."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # Nobody waits for a command, and a migration takes as long as it takes; for the mail server
    # others do wait.
    is_server = sys.argv[1:2] == ["mail_server"]
    os.environ.setdefault("STATEMENT_TIMEOUT", "10" if is_server else "0")
    if sys.argv[1:2] == ["read_mail"] and {"--dry-run", "--help"} & set(sys.argv):
        for name, value in WITHOUT_A_SITE.items():
            os.environ.setdefault(name, value)
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))


if __name__ == "__main__":
    main()
