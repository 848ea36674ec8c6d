"""Neo4j through its official driver: the only module that knows the driver's sessions, retries and errors."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, LiteralString, Self, TypeVar, cast

import neo4j
import neo4j.graph
from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError, ServiceUnavailable, SessionExpired
from typing_extensions import override

from graphrag_assets.gateways.graph_database import GraphDatabase, GraphTransaction, Parameters, Row
from graphrag_assets.model.errors import FailedDocument, UsageError
from graphrag_assets.model.outcomes import GraphChanges

Result = TypeVar("Result")

MINIMUM_VERSION: Final = (5, 26)
USER_AGENT: Final = "graphrag-assets"
RETRY_SECONDS: Final = 30.0
RACE_ATTEMPTS: Final = 5
CONNECTION_TIMEOUT_SECONDS: Final = 15.0
LIVENESS_SECONDS: Final = 30.0

# A node that another transaction deleted, or tied to another one, between our look at it and our lock on it. The driver
# calls these errors final; a new look mends them.
_RACES: Final = frozenset({"Neo.ClientError.Statement.EntityNotFound", "Neo.ClientError.Schema.ConstraintValidationFailed"})
_ADDRESS: Final = re.compile(r"(bolt|neo4j)(\+s|\+ssc)?://[^/\s]")
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_TIMEOUTS: Final = ("TransactionTimedOut", "TransactionTimedOutClientConfiguration")
_TOO_OLD_REMEDY: Final = "Use Neo4j 5.26 LTS or later, or unset the server's address to start a local one."


class _Transaction(GraphTransaction):
    """A managed transaction that adds up what its statements changed."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction
        self._changes = GraphChanges(transactions=1)

    @override
    def run(self, statement: str, parameters: Parameters | None = None) -> Sequence[Row]:
        try:
            result = self._transaction.run(cast(LiteralString, statement), dict(parameters or {}))
        except (OverflowError, TypeError, ValueError) as error:
            raise FailedDocument("write-failed", f"A value cannot be stored in the graph: {error}.") from error
        rows = [_row(record) for record in result]
        self._changes += _changes_of(result.consume())
        return rows

    @property
    @override
    def changes(self) -> GraphChanges:
        return self._changes


class Neo4jDatabase(GraphDatabase):
    """One database of a Neo4j server from 5.26 up.

    Args:
        driver: An open driver; closed by `close`.
        database: Name of the database.
        uri: Its address, for messages.

    ``retries`` counts the transactions that this object has run again, since it was made.
    """

    def __init__(self, driver: neo4j.Driver, database: str, uri: str = "") -> None:
        self.uri = uri
        self._driver = driver
        self._database = database
        self._version = ""
        self.retries = 0

    @classmethod
    def connect(cls, uri: str, user: str, password: str, database: str = "neo4j", *, retry_seconds: float = RETRY_SECONDS) -> Self:
        """Connect, log in and check the server's version.

        Args:
            uri: A ``bolt`` or ``neo4j`` address, with ``+s`` for encryption.
            user: User name.
            password: Never shown in an error.
            database: Name of the database.
            retry_seconds: How long the driver tries a transaction again after a transient failure.

        Raises:
            UsageError: ``graph-unreachable``, ``graph-unauthorised``, ``graph-too-old``.
        """
        if not _ADDRESS.match(uri):
            raise UsageError("graph-unreachable", f"{uri!r} is no address of a graph server.", "Use bolt://host:port or neo4j://host:port.")
        try:
            driver = neo4j.GraphDatabase.driver(
                uri,
                auth=(user, password),
                user_agent=USER_AGENT,
                notifications_min_severity="OFF",
                max_transaction_retry_time=retry_seconds,
                connection_timeout=CONNECTION_TIMEOUT_SECONDS,
                liveness_check_timeout=LIVENESS_SECONDS,
                telemetry_disabled=True,
            )
        except (ConfigurationError, ValueError) as error:
            raise UsageError("graph-unreachable", f"{uri!r} is no address of a graph server: {error}.", "Use bolt://host:port.") from error
        connected = cls(driver, database, uri)
        try:
            connected._check_version()
        except UsageError:
            driver.close()
            raise
        return connected

    def _check_version(self) -> None:
        numbers = re.findall(r"\d+", self.version())
        if tuple(int(n) for n in numbers[:2]) < MINIMUM_VERSION:
            raise UsageError("graph-too-old", f"The server at {self.uri!r} is Neo4j {self._version!r}.", _TOO_OLD_REMEDY)

    @override
    def read(self, statement: str, parameters: Parameters | None = None, *, timeout_seconds: float = 30.0) -> Sequence[Row]:
        """Run one reading statement, once: the server itself refuses a write.

        Raises:
            UsageError: ``graph-unreachable``, ``graph-unauthorised``, ``graph-timeout``, ``graph-query-failed``.
        """
        query = neo4j.Query(cast(LiteralString, statement), timeout=timeout_seconds)
        try:
            with self._driver.session(database=self._database, default_access_mode=neo4j.READ_ACCESS) as session:
                return [_row(record) for record in session.run(query, dict(parameters or {}))]
        except (DriverError, Neo4jError, OverflowError, TypeError, ValueError) as error:
            raise _usage_error(error) from error

    @override
    def write(self, work: Callable[[GraphTransaction], Result], *, timeout_seconds: float = 120.0) -> tuple[Result, GraphChanges]:
        runs = 0

        @neo4j.unit_of_work(timeout=timeout_seconds)
        def unit(transaction: neo4j.ManagedTransaction) -> tuple[Result, GraphChanges]:
            nonlocal runs
            runs += 1
            counted = _Transaction(transaction)
            return work(counted), counted.changes

        try:
            return self._write_past_races(unit)
        except AuthError as error:
            raise _usage_error(error) from error
        except (DriverError, Neo4jError) as error:
            message = f"The graph did not take the transaction: {_reason(error)}."
            raise FailedDocument("write-failed", message, _write_remedy(error)) from error
        finally:
            self.retries += max(0, runs - 1)

    def _write_past_races(self, unit: Callable[[neo4j.ManagedTransaction], tuple[Result, GraphChanges]]) -> tuple[Result, GraphChanges]:
        for _ in range(RACE_ATTEMPTS - 1):
            try:
                with self._driver.session(database=self._database) as session:
                    return session.execute_write(unit)
            except ClientError as error:
                if error.code not in _RACES:
                    raise
        with self._driver.session(database=self._database) as session:
            return session.execute_write(unit)

    @override
    def schema(self, statement: str) -> None:
        """Run one schema statement.

        Raises:
            UsageError: As `read`.
        """
        try:
            with self._driver.session(database=self._database) as session:
                session.run(cast(LiteralString, statement)).consume()
        except (DriverError, Neo4jError) as error:
            raise _usage_error(error) from error

    @override
    def version(self) -> str:
        if not self._version:
            rows = self.read("CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version")
            self._version = str(rows[0]["version"])
        return self._version

    @override
    def close(self) -> None:
        self._driver.close()


def _row(record: neo4j.Record) -> Row:
    return {name: _plain(value) for name, value in record.items()}


def _plain(value: Any) -> object:
    """A value without the driver's own classes of nodes, relationships and paths; long lists of numbers pass at once."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, list):
        items = cast(list[object], value)
        return items if _SCALARS.issuperset(map(type, items)) else [_plain(item) for item in items]
    if isinstance(value, (dict, neo4j.graph.Entity)):
        return {str(name): _plain(held) for name, held in cast(Mapping[str, object], value).items()}
    if isinstance(value, neo4j.graph.Path):
        return [_plain(node) for node in value.nodes]
    return value


def _changes_of(summary: neo4j.ResultSummary) -> GraphChanges:
    counters = summary.counters
    return GraphChanges(
        nodes_created=counters.nodes_created,
        nodes_deleted=counters.nodes_deleted,
        relationships_created=counters.relationships_created,
        relationships_deleted=counters.relationships_deleted,
        properties_set=counters.properties_set,
    )


def _reason(error: DriverError | Neo4jError) -> str:
    """The server's own code and words; a driver error has words only."""
    if isinstance(error, Neo4jError):
        return f"{error.code}: {error.message}"
    return str(error)


def _write_remedy(error: DriverError | Neo4jError) -> str:
    if isinstance(error, (ServiceUnavailable, SessionExpired)):
        return "Start the graph server and run again: a document is written whole or not at all."
    return "Run again; if it stays, run the graph check."


def _usage_error(error: Any) -> UsageError:
    """What a caller sees of a driver's error: a code of ours, the server's words, and what to do."""
    if isinstance(error, AuthError):
        return UsageError(
            "graph-unauthorised",
            "The graph server refused the user name or the password.",
            "Set NEO4J_USERNAME and NEO4J_PASSWORD to its own.",
        )
    if isinstance(error, (ServiceUnavailable, SessionExpired)):
        return UsageError("graph-unreachable", f"The graph server does not answer: {error}.", "Start it, or correct NEO4J_URI.")
    if isinstance(error, Neo4jError):
        if "no such" in str(error.message) and "schema index" in str(error.message):
            remedy = "Nothing has been materialized here yet, or an index was dropped: run `graphrag-assets materialize`."
            return UsageError("schema-missing", "The graph lacks an index that this needs.", remedy)
        code = "graph-timeout" if str(error.code).rsplit(".", 1)[-1] in _TIMEOUTS else "graph-query-failed"
        return UsageError(code, f"The graph server refused a statement: {_reason(error)}.")
    return UsageError("graph-query-failed", f"A statement could not be sent: {error}.")
