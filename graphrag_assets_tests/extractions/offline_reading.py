"""What the offline extractor finds in a passage, in words, and the parts that its tests expect."""

from graphrag_assets.extractions.offline.extractor import RuleExtractor
from graphrag_assets.extractions.prompts import extraction_request
from graphrag_assets.extractions.replies import outcome_of
from graphrag_assets.gateways.chat import ChatReply
from graphrag_assets_tests.extractions.passages import SETTINGS, chunk_of, facts, kept_of, reasons, shipped

OPERATIONS = RuleExtractor(shipped("operations"))
TEAM, OTHER = "Anvil team", "Thistle team"


def answer(text: str, context: str = "", ontology: str = "operations") -> ChatReply:
    extractor = OPERATIONS if ontology == "operations" else RuleExtractor(shipped(ontology))
    return extractor.complete(extraction_request(chunk_of(text, context=context), shipped(ontology), SETTINGS))


def found(text: str, context: str = "", ontology: str = "operations") -> list[tuple[str, str, str]]:
    """Facts that stand, sorted; the reply must be readable and nothing of it pruned."""
    reply = answer(text, context, ontology)
    assert outcome_of(reply) == ("read", "")
    kept = kept_of(chunk_of(text, context=context), reply.text, ontology)
    assert reasons(kept) == {}
    return sorted(facts(kept))


def owned(*systems: str, team: str = TEAM) -> list[tuple[str, str, str]]:
    return [(system, "OWNED_BY", team) for system in systems]


def needs(source: str, *targets: str) -> list[tuple[str, str, str]]:
    return [(source, "DEPENDS_ON", target) for target in targets]


LED = (TEAM, "LED_BY", "Oda Fenn")
REPORTS = ("Oda Fenn", "REPORTS_TO", "Piet Vorst")
LIVES = ("Oda Fenn", "LOCATED_IN", "Lindow")
