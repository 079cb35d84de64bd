"""Every text that comes in has a length: addresses, parameters, fields of forms and bodies."""

LONGEST_PATH = 500
LONGEST_QUERY = 8_000
LONGEST_NAME = 100
LONGEST_PARAMETER = 200
LONGER_PARAMETERS = {
    "line": 4_000,  # a line of analysis
    "state": 4_000,  # a trial board, signed
    "next": 1_000,
    "cursor": 500,
    "_changelist_filters": 1_000,
}
"""Of a query; all others have LONGEST_PARAMETER."""
LONGEST_FIELD = 20_000
LONGEST_PASSWORD = 1_000
OTHER_FIELDS = {
    "names": 500_000,
    "username": 200,  # allauth adds the true length when it makes the form
    "credential": 10_000,  # a passkey
    "password": LONGEST_PASSWORD,
    "password1": LONGEST_PASSWORD,
    "password2": LONGEST_PASSWORD,
    "oldpassword": LONGEST_PASSWORD,
}
"""Of a form; each form says its own, shorter lengths in a sentence."""
LARGEST_BODY = 1_100_000
"""The largest is a game file."""
LARGEST_MAIL = 5_000_000


def longest_parameter(name: str) -> int:
    return LONGER_PARAMETERS.get(name, LONGEST_PARAMETER)


def longest_field(name: str) -> int:
    return OTHER_FIELDS.get(name, LONGEST_FIELD)
