"""All settings; the only file that reads the environment (README lists every variable)."""

from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from config.environment import Environment

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()

# --- What a host must say -------------------------------------------------------------

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env("SECRET_KEY")
SITE_URL = env("SITE_URL", default="http://localhost:8000").rstrip("/")
DATABASES = {"default": env.db("DATABASE_URL")}
REDIS_URL = env("REDIS_URL")

SITE_HOST = urlsplit(SITE_URL).hostname or "localhost"
SITE_IS_SECURE = SITE_URL.startswith("https://")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[SITE_HOST])
CSRF_TRUSTED_ORIGINS = [SITE_URL]
if DEBUG:
    ALLOWED_HOSTS += ["localhost", "127.0.0.1", "[::1]"]

# --- Apps and floors ------------------------------------------------------------------

INSTALLED_APPS = [
    "config",
    "notifications",
    "tournaments",
    "games",
    "accounts",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "config.middleware.RequestId",
    "config.headers.SafeHeaders",
    "config.unavailable.Unavailable",
    "config.probes.Probes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.PersonalZoneAndLanguage",
    "config.fair_share.FairShare",
    "config.bounded_requests.BoundedRequests",
    "accounts.middleware.GuestsComingIn",
    "config.access.Guard",
    "config.api_answers.ApiAnswers",
    "config.headers.OwnNotFound",
]

METRICS = env.bool("METRICS", default=False)
METRICS_ADDRESSES = env.list("METRICS_ADDRESSES", default=[])
METRICS_TOKEN = env("METRICS_TOKEN", default="")
"""Who may read them: addresses or networks, or whoever shows this token; nobody without either."""
if METRICS:
    INSTALLED_APPS.append("django_prometheus")
    MIDDLEWARE = [
        "django_prometheus.middleware.PrometheusBeforeMiddleware",
        *MIDDLEWARE,
        "django_prometheus.middleware.PrometheusAfterMiddleware",
    ]

ROOT_URLCONF = "config.urls"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.template.context_processors.tz",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.site",
                "notifications.context.letters",
            ],
        },
    },
]

# --- Storage --------------------------------------------------------------------------

STATEMENT_TIMEOUT = env.int("STATEMENT_TIMEOUT", default=60)
"""Seconds a statement may take, 0 for any. Servers set a shorter one, commands none."""
SESSION_LIMITS = {
    "statement_timeout": STATEMENT_TIMEOUT,
    # A lock is waited for within a statement, which may then need time of its own.
    "lock_timeout": STATEMENT_TIMEOUT / 2,
    "idle_in_transaction_session_timeout": STATEMENT_TIMEOUT * 3,
}
DATABASES["default"] |= {
    "ENGINE": "config.postgres",
    "CONN_MAX_AGE": None,
    "CONN_HEALTH_CHECKS": True,
    "OPTIONS": {"connect_timeout": 3, **DATABASES["default"].get("OPTIONS", {})},
}
if STATEMENT_TIMEOUT:
    DATABASES["default"]["OPTIONS"].setdefault(
        "options",
        " ".join(f"-c {name}={round(s * 1000)}" for name, s in SESSION_LIMITS.items()),
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {
        "BACKEND": "config.cache.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    },
}
SESSION_COOKIE_AGE = 60 * 60 * 24 * 90

# --- People ---------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.Player"
# The name is unique without regard to case, by a constraint that the check does not know.
# Whether a domain is put on the lists of browsers is for its owner to say (HSTS_PRELOAD).
# The others follow from SITE_URL, which config/deploy_checks.py speaks of.
SILENCED_SYSTEM_CHECKS = [
    "auth.W004",
    "security.W004",
    "security.W008",
    "security.W012",
    "security.W016",
    "security.W021",
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
CSRF_FAILURE_VIEW = "config.views.csrf_failed"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = "name"
ACCOUNT_USER_DISPLAY = "accounts.adapter.display_name"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.forms.ZoneAtSignUp"
ACCOUNT_USERNAME_VALIDATORS = "accounts.models.NAME_VALIDATORS"
RESERVED_NAMES = ["Dew", "Brook", "River", "Ocean"]
"""Names that no player can choose beside those of offices: the built-in bots'."""
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if SITE_IS_SECURE else "http"
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 60 * 10
TRIES_IN_A_SESSION = "5/m/user,30/h/user"
"""Whoever holds a session may still not know the password."""
ACCOUNT_RATE_LIMITS = {
    "reauthenticate": TRIES_IN_A_SESSION,
    "change_password": TRIES_IN_A_SESSION,
}
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "accounts.reset_tokens.ResetTokens"  # noqa: S105 - a class
ACCOUNT_FORMS = {
    "signup": "accounts.sign_up.SignUp",
    "change_password": "accounts.passwords.NewPassword",
    "reset_password_from_key": "accounts.passwords.ForgottenPassword",
}
MFA_ADAPTER = "accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"
"""Fingerprint, face or PIN: a passkey that was found or stolen opens nothing."""
MFA_FORMS = {
    "add_webauthn": "accounts.passkeys.AddPasskey",
    "edit_webauthn": "accounts.passkeys.RenamePasskey",
    "login_webauthn": "accounts.passkeys.LogInWithPasskey",
    "authenticate_webauthn": "accounts.passkeys.PasskeyAsSecondFactor",
    "reauthenticate_webauthn": "accounts.passkeys.ConfirmWithPasskey",
}
MFA_TOTP_ISSUER = "Tripost"
DATA_EXPORTS = [
    "accounts.export.account",
    "accounts.export.staff_acts",
    "games.takeout.games",
    "games.takeout.imported_games",
    "games.takeout.vacations",
    "games.takeout.challenges",
    "games.takeout.ratings",
    "games.takeout.rulings",
    "games.takeout.reviews",
    "games.takeout.presence",
    "tournaments.takeout.events",
    "notifications.takeout.letters",
    "notifications.takeout.mails",
    "notifications.takeout.letter_preferences",
    "notifications.takeout.channels",
    "notifications.takeout.reply_addresses",
    "notifications.takeout.addresses",
]
CONNECTIONS = ["notifications.connections.of"]
"""What other apps list beside a player's tokens, because it too reaches in without a log-in."""
ACCESS_REVOCATIONS = ["accounts.tokens.revoke_all", "notifications.connections.revoke"]
"""Called with a player who revokes all access: what each app has to end."""
CLOSING_STEPS = [
    "tournaments.closing.leave_events",
    "tournaments.closing.hand_over_events",
    "accounts.closing.forget_blocks",
    "games.closing.withdraw_offers",
    "games.closing.give_up_games",
    "notifications.closing.forget",
    "games.closing.erase_words",
    "games.closing.erase_invitations",
    "games.closing.replace_names",
    "games.closing.replace_names_in_offers",
    "tournaments.closing.replace_names",
    "tournaments.closing.replace_names_in_logs",
    "notifications.closing.clear_letters",
    "notifications.closing.clear_mails",
    "notifications.closing.clear_mailbox",
    "accounts.closing.end_sessions",
    "accounts.closing.erase_from_admin_log",
]
"""What a worker does when an account is closed, in this order; each may be repeated."""
CLOSING_SUMMARIES = ["games.closing.summary", "tournaments.closing.summary"]
"""What the page that asks for the closing says it will do, with numbers."""

# --- Languages and times --------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# --- Static files and what a browser may do -------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = DEBUG
SECURE_REFERRER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = SITE_IS_SECURE
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if SITE_IS_SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SITE_IS_SECURE
SECURE_HSTS_PRELOAD = env.bool("HSTS_PRELOAD", default=False)
"""Asks browser makers to put the domain on their lists, from which it is hard to get off."""
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SITE_IS_SECURE
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- Mail -----------------------------------------------------------------------------

MAIL_DOMAIN = env("MAIL_DOMAIN", default=SITE_HOST)
MAIL_LISTEN_HOST = env("MAIL_HOST", default="127.0.0.1")
MAIL_LISTEN_PORT = env.int("MAIL_PORT", default=8025)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = f"Tripost <play@{MAIL_DOMAIN}>"
EMAIL_URL = env("EMAIL_URL", default="")
MAILBOX = not EMAIL_URL
"""Without a way out, letters stay in the built-in mailbox; its page is for debugging alone."""
MAILBOX_BACKEND = "notifications.mailbox.MailboxBackend"
EMAIL_BACKENDS = {"django.core.mail.backends.smtp.EmailBackend": "notifications.smtp.EmailBackend"}
if MAILBOX:
    EMAIL_BACKEND = MAILBOX_BACKEND
else:
    vars().update(env.email("EMAIL_URL"))
    EMAIL_BACKEND = vars()["EMAIL_BACKEND"].replace(
        "django.core.mail.backends.smtp", "notifications.smtp"
    )
EMAIL_TIMEOUT = 25
ANYMAIL = env.dict("ANYMAIL", default={})
MAIL_AUTHSERV_ID = env("MAIL_AUTHSERV_ID", default="")
"""The name under which our own mail server writes Authentication-Results; none: we check DKIM."""
LETTER_PAUSE = env.int("LETTER_PAUSE", default=60)
"""Seconds that a turn letter waits, so that turns close together become one."""
PUSH_KEY = env("PUSH_KEY", default="")
"""The private VAPID key for browser messages; without one there are none."""

# --- Background work ------------------------------------------------------------------

SUBSCRIPTIONS = "config.subscriptions.SUBSCRIPTIONS"
SUBSCRIBERS = "config.subscriptions.SUBSCRIBERS"
DEMO = env.bool("DEMO", default=True)
"""Whether `make run` fills an empty database with players and games to look at."""
DEMO_PARTS = ["tournaments.demo.load"]
"""What other floors add to the demo, once its players and games are there."""
HEARD_AT_ONCE = "config.subscriptions.HEARD_AT_ONCE"
MAY_RULE = ["tournaments.directing.may_rule"]
"""Who besides the staff may rule on a game: asked with the player and the game."""
UNREAD_ANSWERS = ["notifications.inbound.unread_answers"]
"""Where answers to a turn may wait: asked for those whose games are due, and when they came."""
PLAY_EACH_OTHER = "games.rulings.play_each_other"
"""Whether two players have a running game: then neither deactivates the other's account."""
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://").replace(
    "?db=", "?virtual_host="
)

# --- API ------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.tokens.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.json_bodies.StorableJson"],
    "DEFAULT_THROTTLE_CLASSES": ["config.throttles.Politeness"],
    "NUM_PROXIES": TRUSTED_PROXIES,
    "DEFAULT_SCHEMA_CLASS": "config.description.Description",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "EXCEPTION_HANDLER": "config.problems.as_problem",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
API_LIMITS = {
    "anonymous": env.int("API_LIMIT_ANONYMOUS", default=60),
    "read": env.int("API_LIMIT_READS", default=600),
    "write": env.int("API_LIMIT_WRITES", default=120),
    "refused": env.int("API_LIMIT_REFUSED", default=60),
}
PAGE_LIMITS = {
    "visitor": env.int("PAGE_LIMIT_VISITORS", default=240),
    "player": env.int("PAGE_LIMIT_PLAYERS", default=480),
    "picture": env.int("PAGE_LIMIT_PICTURES", default=60),
}
"""Requests a minute; 0 for no limit. What the API refuses, such as bad tokens, counts apart."""
WEB_HOST, WEB_PORT = env("HOST", default="127.0.0.1"), env.int("PORT", default=8000)
BEATS = env.bool("BEATS", default=True)
"""Whether the web and mail processes note that moves get in; the tests' own processes do not."""
OUTAGE_AFTER = env.float("OUTAGE_AFTER", default=60)
"""Seconds without a sign that moves get in, after which clocks are credited."""
STREAM_PORT = env.int("STREAM_PORT", default=8050)
STREAM_URL = env("STREAM_URL", default=f"http://{SITE_HOST}:{STREAM_PORT}").rstrip("/")
"""Where the stream is reached from outside: behind a proxy, at SITE_URL itself."""
STREAM_HEARTBEAT = env.int("STREAM_HEARTBEAT", default=15)
CONTENT_SECURITY_POLICY["DIRECTIVES"]["connect-src"].append(STREAM_URL)
SPECTACULAR_SETTINGS = {
    "TITLE": "Tripost",
    "OAS_VERSION": "3.1.0",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [],
    "TAGS": [
        {"name": "games", "description": "Looked at, and played."},
        {"name": "challenges", "description": "How two players find each other."},
        {"name": "me", "description": "Whoever asks."},
        {"name": "players", "description": "As everyone may see them."},
        {"name": "rulings", "description": "What staff and directors decide."},
        {"name": "stream", "description": "What happens, while it happens."},
        {"name": "the house", "description": "What there is to play, and whether it runs."},
    ],
    "DESCRIPTION": "Slow board games: everything a person can do on the site, for programs.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "defaultModelsExpandDepth": 0},
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- Logs -----------------------------------------------------------------------------

LOG_FORMAT = env("LOG_FORMAT", default="text" if DEBUG else "json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "config.logs.JsonLines"},
        "text": {"()": "config.logs.ReadableLines"},
    },
    "filters": {
        "no absences": {"()": "config.logs.NoAbsences"},
        "once per absence": {"()": "config.absences.OncePerAbsence"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["once per absence"],
        }
    },
    "root": {"handlers": ["console"], "level": env("LOG_LEVEL", default="INFO")},
    "loggers": {
        "django.server": {"handlers": [], "propagate": False},
        "django.request": {"level": "ERROR", "filters": ["no absences"]},
    },
}
