"""Which documents exist: one entry a file of the declared folders, with its id, key, size and hash."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graphrag_assets.model.documents import SourceEntry
from graphrag_assets.model.errors import UsageError
from graphrag_assets.model.ids import document_id, partition_key, sha256_hex
from graphrag_assets.model.limits import Limit
from graphrag_assets.model.settings import SourceSettings
from graphrag_assets.sources.folder import FoundFile, list_folder
from graphrag_assets.sources.loaders import media_type_of, takes
from graphrag_assets.sources.reading import measure
from graphrag_assets.sources.uris import file_uri


@dataclass(frozen=True, slots=True)
class Catalog:
    """What the declared sources hold now.

    Args:
        entries: Sorted by key; refused ones are among them, with their code.
        limits: ``max-documents`` when more files were found than one catalogue may hold: the first by key are kept.
        missing_folders: Names of the sources whose folder is not there, when the caller allows that.
        skipped_links: ``<source>:/<name>`` of links that were not followed.
    """

    entries: tuple[SourceEntry, ...]
    limits: tuple[Limit, ...] = ()
    missing_folders: tuple[str, ...] = ()
    skipped_links: tuple[str, ...] = ()


def list_sources(sources: Sequence[SourceSettings], base_folder: Path, *, max_documents: int, allow_missing: bool = False) -> Catalog:
    """List the documents of all sources; reads every file once, for its hash.

    Args:
        sources: Declared folders.
        base_folder: What relative folders are relative to: the home.
        max_documents: Bound of the catalogue.
        allow_missing: Name missing folders in the result. Without it they are an error, since a folder that is not
            mounted must not look like one whose documents were all removed.

    Raises:
        UsageError: ``source-missing`` or ``key-collision``.
    """
    folders = {source.name: base_folder / source.folder for source in sources}
    missing = tuple(sorted(name for name, folder in folders.items() if not folder.is_dir()))
    if missing and not allow_missing:
        name = missing[0]
        raise UsageError(
            "source-missing",
            f"the folder {str(folders[name])!r} of the source {name!r} is not there.",
            "Create or mount it, or correct sources in settings.yaml; to remove its documents, empty the folder instead.",
        )
    entries: list[SourceEntry] = []
    skipped: list[str] = []
    for source in sorted(sources, key=lambda source: source.name):
        if source.name in missing:
            continue
        listing = list_folder(source, folders[source.name])
        entries.extend(_named_entries(source.name, listing.files))
        skipped.extend(f"{source.name}:/{name}" for name in listing.skipped_links)
    kept = tuple(sorted(entries, key=lambda entry: entry.key))
    refuse_key_collisions(kept)
    limits = (Limit("max-documents", max_documents),) if len(kept) > max_documents else ()
    return Catalog(tuple(map(current_entry, kept[:max_documents])), limits, missing, tuple(skipped))


def refuse_key_collisions(entries: Iterable[SourceEntry]) -> None:
    """Two documents under one partition key would overwrite each other.

    Raises:
        UsageError: ``key-collision``, naming both.
    """
    by_key: dict[str, SourceEntry] = {}
    for entry in entries:
        other = by_key.setdefault(entry.key, entry)
        if other is not entry:
            raise UsageError(
                "key-collision", f"{other.uri} and {entry.uri} both get the key {entry.key!r}.", "Rename one of the two files."
            )


def _named_entries(source_name: str, files: Iterable[FoundFile]) -> Iterable[SourceEntry]:
    """Entries without size and hash. Of names that are equal in NFC the first by bytes keeps the URI.

    A later one gets a fragment made of its own bytes. A file's URI never has a fragment, since ``#`` is encoded in
    paths, so its id and key are those of no other document, now or later.
    """
    taken: set[str] = set()
    for found in files:
        uri = file_uri(source_name, found.raw_name)
        duplicate = uri in taken
        if duplicate:
            uri = f"{uri}#bytes-{sha256_hex(found.raw_name.encode(errors='surrogateescape'))[:12]}"
        taken.add(uri)
        document = document_id(uri)
        media_type = media_type_of(found.name)
        refusal = "duplicate-uri" if duplicate else None if takes(media_type) else "unsupported-media-type"
        yield SourceEntry(uri, document, partition_key(found.name, document), found.name, str(found.path), media_type, 0, "", refusal)


def current_entry(entry: SourceEntry) -> SourceEntry:
    """The entry with size and hash of its file as it is now.

    A file that cannot be read has an empty hash, which no earlier result was made from: loading it fails, for this
    file alone. So does one whose path is no Unicode: no catalogue could keep that, and it is listed without a path.
    """
    path = entry.path if _is_unicode(entry.path) else ""
    try:
        size, raw_hash = measure(path)
    except OSError:
        size, raw_hash = 0, ""
    return replace(entry, path=path, size=size, raw_hash=raw_hash)


def _is_unicode(path: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in path)
