"""Making a new home: a folder with a commented ``settings.yaml`` that points to a person's own documents."""

from pathlib import Path
from typing import Final

import yaml

from graphrag_assets.model.errors import UsageError
from graphrag_assets.store.home import Home

_TEMPLATE: Final = """\
# Settings of this home. `graphrag-assets settings show` lists every setting with its bounds and effective value.
# Every key can be overridden by an environment variable: GRAPHRAG_ASSETS_CHUNKING__MAX_TOKENS=200.
# Secrets never stand here: OPENAI_API_KEY and NEO4J_PASSWORD come from the environment.

# offline: stand-ins for models that need no key and say so in every receipt. live: the models named below.
profile: offline

sources:
  - name: {name}
    folder: {folder}
    include: ["**/*.md", "**/*.markdown", "**/*.txt", "**/*.pdf"]

extraction:
  # operations, generic, novel, article, or a YAML file beside this one.
  ontology: {ontology}

# Vectors of chunks and things. Add a second set to move to another model while this one serves.
embedding_sets:
  - name: minilm
    model: minilm
    dimensions: 384

# With profile live:
# models:
#   chat: gpt-5-mini
#   roles: {{answer: gpt-5}}

# Without a uri (or NEO4J_URI) a local Neo4j is started for this home.
# graph:
#   uri: bolt://localhost:7687
"""


def init_home(folder: Path, source: Path, *, ontology: str) -> Home:
    """Make a home.

    Args:
        folder: The new home; an existing one is refused, never overwritten.
        source: Folder of the documents.
        ontology: What is looked for in them.

    Raises:
        UsageError: ``home-exists``, ``source-missing`` or ``folder-not-writable``.
    """
    home = Home(folder.expanduser().resolve())
    documents = source.expanduser().resolve()
    if home.settings_file.exists():
        raise UsageError("home-exists", f"{home.settings_file} is there already.", "Edit it, or choose another folder.")
    if not documents.is_dir():
        raise UsageError("source-missing", f"{documents} is no folder.", "Name the folder that holds your documents.")
    text = _TEMPLATE.format(name="docs", folder=_yaml(str(documents)), ontology=_yaml(ontology))
    try:
        home.folder.mkdir(parents=True, exist_ok=True)
        home.settings_file.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{home.folder} cannot be written: {error.strerror}."
        raise UsageError("folder-not-writable", message, "Choose another folder.") from error
    return home


def _yaml(value: str) -> str:
    """A string as one YAML scalar, quoted where it has to be."""
    return yaml.safe_dump(value, allow_unicode=True, width=10_000).removesuffix("\n").removesuffix("\n...")
