"""What lies in the folder of a source: which files are taken, and what is left out and said."""

import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graphrag_assets.model.settings import SourceSettings
from graphrag_assets.sources.globs import compile_globs


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of a folder source.

    Args:
        raw_name: Path below the folder, parts joined by ``/``, as the file system spells it.
        name: The same in NFC and in valid Unicode: the name people know it by.
        path: Where it is.
    """

    raw_name: str
    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class FolderListing:
    """Files in the order of their names' bytes, and the links that were not followed, by name."""

    files: tuple[FoundFile, ...]
    skipped_links: tuple[str, ...]


def list_folder(source: SourceSettings, folder: Path) -> FolderListing:
    """The files that a source's patterns take.

    Hidden files and folders (a leading dot) and files that programs leave beside documents (``~$…``, ``…~``,
    ``Thumbs.db``, ``desktop.ini``) are no documents. A link to a file that lies within the folder is read as a file;
    a link to a folder, out of the folder or to nothing is not followed, and named in the listing.
    """
    include, exclude = compile_globs(source.include), compile_globs(source.exclude)
    files: list[FoundFile] = []
    skipped: list[str] = []
    root = folder.resolve()
    for path in _walk(folder):
        raw_name = path.relative_to(folder).as_posix()
        name = _readable(raw_name)
        if not include.fullmatch(name) or exclude.fullmatch(name):
            continue
        if path.is_symlink() and not _leads_to_file_within(path, root):
            skipped.append(name)
        elif path.is_file():
            files.append(FoundFile(raw_name, name, path))
    files.sort(key=lambda found: os.fsencode(found.raw_name))
    return FolderListing(tuple(files), tuple(sorted(skipped)))


def _walk(folder: Path) -> Iterator[Path]:
    """Every file and link below a folder; folders behind links are given as links and not entered."""
    for parent, folders, files in os.walk(folder, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not _is_left_behind(name):
                yield Path(parent, name)
        for name in folders:
            path = Path(parent, name)
            if path.is_symlink():
                yield path


def _is_left_behind(name: str) -> bool:
    return name.startswith((".", "~$")) or name.endswith("~") or name.lower() in {"thumbs.db", "desktop.ini"}


def _leads_to_file_within(link: Path, root: Path) -> bool:
    target = link.resolve()
    return target.is_relative_to(root) and target.is_file()


def _readable(raw_name: str) -> str:
    return unicodedata.normalize("NFC", os.fsencode(raw_name).decode(errors="replace"))
