"""The settings of a host whose static files are in a folder of the test's."""

import os

from config.settings import *  # noqa: F403

STATIC_ROOT = os.environ.get("STATIC_ROOT", "")
