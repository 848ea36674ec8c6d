"""The one partitions definition, and how asset names and Dagster's asset keys become each other."""

from typing import Final

import dagster as dg

PARTITIONS_NAME: Final = "documents"
DOCUMENT_PARTITIONS: Final = dg.DynamicPartitionsDefinition(name=PARTITIONS_NAME)


def asset_key(name: str) -> dg.AssetKey:
    """``chunk_vectors/minilm`` becomes a key of two parts."""
    return dg.AssetKey(name.split("/"))


def asset_name(key: dg.AssetKey) -> str:
    """The asset name of a key."""
    return "/".join(key.path)


def registered_keys(instance: dg.DagsterInstance) -> tuple[str, ...]:
    """Registered partition keys in the order in which they were added, which is the order of ranges."""
    return tuple(instance.get_dynamic_partitions(PARTITIONS_NAME))


def register_keys(instance: dg.DagsterInstance, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Add the keys that are not there yet, in one call, and return them. Never deletes one."""
    known = set(registered_keys(instance))
    new = tuple(key for key in keys if key not in known)
    if new:
        instance.add_dynamic_partitions(PARTITIONS_NAME, list(new))
    return new


def forget_keys(instance: dg.DagsterInstance, keys: tuple[str, ...]) -> None:
    """Delete keys; their events stay. A key that is not there is no error."""
    known = set(registered_keys(instance))
    for key in keys:
        if key in known:
            instance.delete_dynamic_partition(PARTITIONS_NAME, key)
