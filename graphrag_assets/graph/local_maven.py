"""Jars from where the user's Maven takes them: the local repository, a mirror of the settings, else Maven's default."""

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from graphrag_assets.graph.local_files import explain_disk_error
from graphrag_assets.graph.local_jars import JarSource, LockedJar
from graphrag_assets.model.errors import UsageError

if TYPE_CHECKING:
    from jgo.maven import Artifact

TIMEOUT_SECONDS: Final = 60
ATTEMPTS: Final = 3
PAUSE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class MavenSettings:
    """What of Maven's settings matters here; jgo's client reads none of them by itself.

    Args:
        local_repository: Folder in which Maven keeps what it once fetched.
        mirrors: At most one mirror of the default repository, address by id.
    """

    local_repository: Path
    mirrors: dict[str, str]


def read_settings(path: Path) -> MavenSettings:
    """The settings of a file, Maven's defaults when it does not exist.

    Raises:
        UsageError: ``maven-settings-unreadable``.
    """
    default = Path(os.environ.get("M2_REPO") or Path.home() / ".m2" / "repository")
    if not path.exists():
        return MavenSettings(default, {})
    root = _parse(path)
    local = (root.findtext("localRepository") or "").strip().replace("${user.home}", str(Path.home()))
    return MavenSettings(Path(local) if local else default, _mirror_of_central(root))


def _parse(path: Path) -> ElementTree.Element:
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise UsageError("maven-settings-unreadable", f"{str(path)!r} is not XML: {error}.", "Mend the file or remove it.") from error
    # Maven takes the file with or without its namespace, of which there are several.
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _mirror_of_central(root: ElementTree.Element) -> dict[str, str]:
    for mirror in root.iterfind("mirrors/mirror"):
        wanted = {part.strip() for part in (mirror.findtext("mirrorOf") or "").split(",")}
        address = (mirror.findtext("url") or "").strip().rstrip("/")
        if address and "!central" not in wanted and wanted & {"central", "*", "external:*"}:
            return {(mirror.findtext("id") or "mirror").strip(): address}
    return {}


class MavenJars(JarSource):
    """Jars by jgo's Maven client.

    The local repository is only read. Downloads go to a folder of our own: one that breaks off would leave half a jar
    under its right name, which every other program would take for whole.

    Args:
        downloads: Folder for jars on their way, which the caller removes.
        settings: What Maven is set to.
        pause_seconds: Wait before the second try of a jar; twice as long before the third.
    """

    def __init__(self, downloads: Path, settings: MavenSettings, pause_seconds: float = PAUSE_SECONDS) -> None:
        self._downloads = downloads
        self._settings = settings
        self._pause_seconds = pause_seconds

    def fetch(self, jar: LockedJar, into: Path, *, fresh: bool) -> None:
        """See `JarSource.fetch`. A connection that breaks is tried again, a jar that is not there is not."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                self._fetch_once(self._artifact(jar, fresh=fresh), into)
            except OSError as error:
                if attempt == ATTEMPTS or explain_disk_error(error, into.parent):
                    raise
                time.sleep(attempt * self._pause_seconds)
            else:
                return

    def _fetch_once(self, artifact: "Artifact", into: Path) -> None:
        # The client takes any file of that name for a whole jar, also one that broke off a moment ago.
        if artifact.cached_path:
            artifact.cached_path.unlink(missing_ok=True)
        found = artifact.resolve()
        if found.is_relative_to(self._downloads):
            found.replace(into)
        else:
            shutil.copyfile(found, into)

    def _artifact(self, jar: LockedJar, *, fresh: bool) -> "Artifact":
        from jgo.maven import MavenContext

        context = MavenContext(
            repo_cache=self._downloads,
            local_repos=[] if fresh else [self._settings.local_repository],
            remote_repos=self._settings.mirrors or None,
            timeout=TIMEOUT_SECONDS,
        )
        component = context.project(jar.group, jar.artifact).at_version(jar.version)
        return component.artifact(jar.classifier, "jar")
