"""What a loader is. The loaders that come with the package, and the registry, are in modules of their own."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from graphrag_assets.model.documents import LoadedDocument, SourceEntry
from graphrag_assets.model.settings import IngestionSettings


class Loader(ABC):
    """Makes the text of a document out of the bytes of a source.

    ``name`` carries a version (``markdown/1``): it is recorded on the document and goes into its fingerprint, so it
    changes whenever the same bytes may give another text. ``media_types`` maps file extensions, lower-case and with
    their dot, to the media types this loader takes.
    """

    name: str
    media_types: Mapping[str, str]

    def can_load(self, media_type: str) -> bool:
        """Whether documents of this media type are for this loader."""
        return media_type in self.media_types.values()

    @abstractmethod
    def load(self, entry: SourceEntry, limits: IngestionSettings) -> LoadedDocument:
        """Load one document; it may be called from several threads at a time.

        Raises:
            RefusedDocument: The document ends here by rule.
            FailedDocument: ``read-failed``.
        """
