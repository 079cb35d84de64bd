"""Runs PostgreSQL's programs as a user they accept: they refuse root, so root lends another."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path


class ServerFailure(Exception):
    """A server did not come up; the text says why in a sentence."""


class Runner:
    """Runs programs as the owner of a private folder, which it makes where it is missing."""

    def __init__(self, folder: Path, program: Path) -> None:
        self.uid, self.gid = _owner_for(folder)
        self.is_root = os.geteuid() == 0
        self.pass_key: list[str] = []
        self.make_private(folder)
        if self.is_root and not self._reaches(program, folder):
            self.pass_key = self._through_closed_doors()

    def make_private(self, folder: Path) -> None:
        make_private(folder, self.uid, self.gid)

    def run(self, program: Path, *arguments: str) -> str:
        """What went wrong, or nothing."""
        done = self._call(*self.pass_key, str(program), *arguments)
        words = " ".join(done.stderr.split())
        return (words or f"code {done.returncode}") if done.returncode else ""

    def _call(self, *command: str) -> subprocess.CompletedProcess[str]:
        lends = self.is_root and not self.pass_key
        return subprocess.run(  # noqa: S603
            command,
            cwd="/",
            env={"PATH": os.defpath, "LC_ALL": "C"},
            user=self.uid if lends else None,
            group=self.gid if lends else None,
            extra_groups=[] if lends else None,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )

    def _reaches(self, program: Path, folder: Path) -> bool:
        question = 'test -x "$1" && test -w "$2"'
        return not self._call("/bin/sh", "-c", question, "sh", str(program), str(folder)).returncode

    def _through_closed_doors(self) -> list[str]:
        # Below a folder that only root may enter, the other user needs leave to pass.
        if not (setpriv := shutil.which("setpriv")):
            raise ServerFailure(
                "PostgreSQL may not run as root and no other user can enter this folder: "
                "move it to one that all may enter, or install util-linux (setpriv)."
            )
        identity = [f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups"]
        leave = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
        # Without this bit access(2), by which PostgreSQL finds its programs, ignores the leave.
        return [setpriv, *identity, *leave, "--securebits=+no_setuid_fixup"]


def make_private(folder: Path, uid: int, gid: int) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
        os.chown(folder, uid, gid)
    except FileExistsError:
        found = folder.lstat()
        # Someone else's folder, a link or one that others may enter could be a trap in /tmp.
        if found.st_uid != uid or found.st_mode & 0o170077 != 0o040000:
            raise ServerFailure(f"{folder} must be a folder of user {uid} alone.") from None


def _owner_for(folder: Path) -> tuple[int, int]:
    if os.geteuid() != 0:
        return os.geteuid(), os.getegid()
    if folder.exists() and (owner := folder.stat()).st_uid != 0:
        return owner.st_uid, owner.st_gid
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        return 65534, 65534
    return nobody.pw_uid, nobody.pw_gid
