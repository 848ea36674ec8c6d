"""What a result rests on, and the named causes for which it must be made again. One function drives skip, preview and status."""

from collections.abc import Mapping
from dataclasses import dataclass

from graphrag_assets.model.ids import fingerprint, hashed
from graphrag_assets.model.provenance import Provenance

MISSING = "missing"
CODE = "code"
GRAPH = "graph"
REFUSED = "refused"
INPUTS = "inputs"


@dataclass(frozen=True, slots=True)
class Basis:
    """What one result rests on.

    Args:
        asset: Name of the asset.
        code_version: Of the stage.
        settings: Name of a cause (``chunker``, ``ontology``, ``model`` …) to a hash of what matters of it.
        inputs: Upstream asset to the digest that is read.
    """

    asset: str
    code_version: str
    settings: Mapping[str, str]
    inputs: Mapping[str, str]

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints: the result stands."""
        return fingerprint(self.asset, self.code_version, dict(self.settings), dict(self.inputs))


def hash_of(*values: object) -> str:
    """Hash of settings values, as a basis names them."""
    return hashed("basis", *values)


def own_causes(stored: Provenance | None, basis: Basis) -> tuple[str, ...]:
    """Why a stored result does not stand; empty when it does. Changed inputs are named ``inputs``."""
    if stored is None:
        return (MISSING,)
    if stored.fingerprint == basis.fingerprint:
        return ()
    causes = [name for name in sorted(basis.settings) if stored.settings.get(name) != basis.settings[name]]
    causes += [name for name in sorted(stored.settings) if name not in basis.settings]
    if stored.code_version != basis.code_version:
        causes.append(CODE)
    if stored.inputs != dict(basis.inputs):
        causes.append(INPUTS)
    return tuple(causes)


def named_causes(own: tuple[str, ...], upstream: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Causes with ``inputs`` and ``missing`` told by what made the inputs change, where that is known."""
    told = tuple(cause for causes in upstream.values() for cause in causes)
    if INPUTS in own and told:
        own = (*(cause for cause in own if cause != INPUTS), *told)
    return tuple(dict.fromkeys(own))
