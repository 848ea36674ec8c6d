"""The registry of loaders: which one takes a document, and under which version."""

from pathlib import PurePosixPath
from typing import Final

from graphrag_assets.model.documents import LoadedDocument, SourceEntry
from graphrag_assets.model.errors import RefusedDocument
from graphrag_assets.model.settings import IngestionSettings
from graphrag_assets.sources.loader import Loader
from graphrag_assets.sources.markdown import MarkdownLoader
from graphrag_assets.sources.pdf import PdfLoader
from graphrag_assets.sources.text import TextLoader

UNKNOWN_MEDIA_TYPE: Final = "application/octet-stream"


class LoaderRegistry:
    """Loaders in the order in which they are asked; the last one registered is asked first."""

    def __init__(self, *loaders: Loader) -> None:
        self._loaders: tuple[Loader, ...] = loaders

    def register(self, loader: Loader) -> None:
        """Put a loader before those that are there."""
        self._loaders = (loader, *self._loaders)

    def loader_of(self, media_type: str) -> Loader | None:
        """The loader of a media type, None when there is none."""
        return next((loader for loader in self._loaders if loader.can_load(media_type)), None)

    def media_type_of(self, name: str) -> str:
        """The media type of a file by its extension, in any case; ``application/octet-stream`` when no loader knows it."""
        extension = PurePosixPath(name).suffix.lower()
        return next((loader.media_types[extension] for loader in self._loaders if extension in loader.media_types), UNKNOWN_MEDIA_TYPE)

    def load(self, entry: SourceEntry, limits: IngestionSettings) -> LoadedDocument:
        """Load one document.

        Raises:
            RefusedDocument: With the refusal found while listing, or one of the loader's.
            FailedDocument: ``read-failed``.
        """
        loader = self.loader_of(entry.media_type)
        if entry.refusal == "duplicate-uri":
            raise RefusedDocument(
                "duplicate-uri",
                f"{entry.uri} has the name of another document but for its Unicode form.",
                "Rename or remove one of the two.",
            )
        if loader is None:
            raise RefusedDocument(
                "unsupported-media-type",
                f"no loader takes {entry.media_type} of {entry.uri}.",
                "Convert it, or exclude it in settings.yaml.",
            )
        return loader.load(entry, limits)


LOADERS: Final = LoaderRegistry(TextLoader(), MarkdownLoader(), PdfLoader())


def register_loader(loader: Loader) -> None:
    """Add a loader of your own, before any source is listed; it wins over the package's for its extensions."""
    LOADERS.register(loader)


def media_type_of(name: str) -> str:
    """The media type of a file, by its extension."""
    return LOADERS.media_type_of(name)


def takes(media_type: str) -> bool:
    """Whether some loader takes this media type."""
    return LOADERS.loader_of(media_type) is not None


def loader_version(media_type: str) -> str:
    """Name and version of the loader of a media type, for fingerprints; ``none`` when there is none."""
    loader = LOADERS.loader_of(media_type)
    return loader.name if loader is not None else "none"


def load(entry: SourceEntry, limits: IngestionSettings) -> LoadedDocument:
    """Load one document with the loader of its media type.

    Raises:
        RefusedDocument: A refusal code; see ``docs/sources.md``.
        FailedDocument: ``read-failed``.
    """
    return LOADERS.load(entry, limits)
