"""Kueue as it runs in the cluster: its version, its feature gates and its Configuration.

Rules. The Deployment says which ConfigMap and which key its --config file comes from; its image's tag is the version;
gates in its arguments win over those in the Configuration. What may not be read leaves the defaults, and a warning.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kueuectl import KUEUE_TARGET
from kueuectl.api import configuration, gates
from kueuectl.cluster import lists
from kueuectl.cluster.client import Client
from kueuectl.cluster.failures import ForbiddenError, MissingError, clean
from kueuectl.cluster.kinds import CONFIG_MAP, DEPLOYMENT, path_of
from kueuectl.errors import InputError
from kueuectl.model.settings import Settings

NAMESPACE = "kueue-system"
_CONFIG_MAP = "kueue-manager-config"
_SELECTOR = {"labelSelector": "control-plane=controller-manager"}
_VERSION = re.compile(r"v?\d+\.\d+\.\d+[\w.+-]{0,60}", re.ASCII)
# What etcd lets a ConfigMap hold, with room to spare.
_LARGEST = 2 << 20

Block = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Installation:
    """What is known of Kueue in the cluster; a version or image "" is unknown."""

    settings: Settings
    version: str = ""
    namespace: str = ""
    warnings: tuple[str, ...] = ()
    image: str = ""


def find(client: Client) -> Installation:
    """Kueue's version and settings, from its Deployment and ConfigMap; never an error for what may not be read."""
    try:
        deployment = _deployment(client)
    except ForbiddenError:
        return _configured(client, {}, [f"can't read Kueue's Deployment (forbidden): {DEPLOYMENT.without}"])
    if not deployment:
        return _configured(client, {}, ["no Deployment of Kueue was found: its version and flags are unknown"])
    return _configured(client, deployment, [])


def _deployment(client: Client) -> Block:
    what = "list deployments, to find Kueue"
    try:
        listing = lists.Listing(path_of(DEPLOYMENT, "v1"), what, _SELECTOR)
        found = [item for item in lists.stream(client, listing) if _is_kueue(item)]
    except ForbiddenError:
        listing = lists.Listing(path_of(DEPLOYMENT, "v1", namespace=NAMESPACE), what, _SELECTOR)
        found = [item for item in lists.stream(client, listing) if _is_kueue(item)]
    return found[0] if found else {}


def _is_kueue(deployment: Block) -> bool:
    meta = _block(deployment, "metadata")
    labels = _block(meta, "labels")
    return labels.get("app.kubernetes.io/name") == "kueue" or meta.get("namespace") == NAMESPACE


def _configured(client: Client, deployment: Block, problems: list[str]) -> Installation:
    """The settings: the ConfigMap's where it can be had, with the flags of the Deployment on top."""
    namespace = str(_block(deployment, "metadata").get("namespace") or NAMESPACE)
    flags: dict[str, bool] = {}
    try:
        flags = gates.of_deployment(dict(deployment))
    except InputError as error:
        problems.append(f"the feature gates of Kueue's Deployment are not understood: {clean(str(error))}")
    version = _version(deployment)
    if version and _minor(version) != _minor(KUEUE_TARGET):
        problems.append(f"the cluster runs Kueue {version}; decisions are worked out as {KUEUE_TARGET} makes them")
    read = configuration.defaults(flags=flags)
    place = _config_place(deployment)
    if place is not None:
        name, key = place
        source = f"ConfigMap {namespace}/{name}"
        try:
            read = configuration.read(_document(client, namespace, name, key), source=source, flags=flags)
        except ForbiddenError:
            problems.append(f"can't read {source} (forbidden): the defaults of Kueue {KUEUE_TARGET} are assumed")
        except MissingError:
            problems.append(f"there is no {source}: the defaults of Kueue {KUEUE_TARGET} are assumed")
        except InputError as error:
            problems.append(
                f"Kueue's configuration is not understood, so the defaults are assumed: {clean(str(error))}"
            )
    image = clean(str(_manager(deployment).get("image") or ""))
    return Installation(read.settings, version, namespace, (*problems, *read.warnings), image)


def _document(client: Client, namespace: str, name: str, key: str) -> object:
    """The parsed Configuration in a ConfigMap."""
    import json

    path = path_of(CONFIG_MAP, "v1", namespace=namespace, name=name)
    body = client.get(path, what=f"get the ConfigMap {namespace}/{name}")
    source = f"ConfigMap {namespace}/{name}"
    try:
        value = json.loads(body)
    except ValueError:
        raise InputError("is not JSON", source=source) from None
    data = value.get("data") if isinstance(value, dict) else None
    text = data.get(key) if isinstance(data, dict) else None
    if not isinstance(text, str):
        raise InputError(f"has no key {clean(key)}", source=source)
    return _yaml(text, source)


def _yaml(text: str, source: str) -> object:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if len(text) > _LARGEST:
            raise InputError("is too large", source=source)
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=loader)):
            # A few aliases of aliases are enough to make gigabytes.
            raise InputError("uses YAML aliases, which no Configuration of Kueue does", source=source)
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise InputError(f"is not YAML{f', line {mark.line + 1}' if mark else ''}", source=source) from None


def _config_place(deployment: Block) -> tuple[str, str] | None:
    """The ConfigMap's name and key that --config comes from; None where Kueue runs without --config."""
    if not deployment:
        return _CONFIG_MAP, configuration.CONFIG_KEY
    container = _manager(deployment)
    path = _config_flag(container)
    if path is None:
        return None
    volumes = {str(one.get("name")): one for one in _blocks(_pod_spec(deployment), "volumes")}
    for mount in _blocks(container, "volumeMounts"):
        at, part = str(mount.get("mountPath") or "").rstrip("/"), str(mount.get("subPath") or "")
        config_map = _block(volumes.get(str(mount.get("name")), {}), "configMap")
        if config_map.get("name") and (at == path or at == posixpath.dirname(path).rstrip("/")):
            return str(config_map["name"]), part if part and at == path else posixpath.basename(path)
    return _CONFIG_MAP, configuration.CONFIG_KEY


def _config_flag(container: Block) -> str | None:
    words = [word for key in ("command", "args") for word in _texts(container.get(key))]
    for index, word in enumerate(words):
        if word.startswith("--config="):
            return word.removeprefix("--config=")
        if word == "--config" and index + 1 < len(words):
            return words[index + 1]
    return None


def _manager(deployment: Block) -> Block:
    """The container that Kueue runs in: "manager", else the first one."""
    containers = _blocks(_pod_spec(deployment), "containers")
    named = [one for one in containers if one.get("name") == "manager"]
    return (named or containers or [{}])[0]


def _version(deployment: Block) -> str:
    image = str(_manager(deployment).get("image") or "").partition("@")[0]
    tag = image.rpartition("/")[2].partition(":")[2]
    label = _block(_block(deployment, "metadata"), "labels").get("app.kubernetes.io/version")
    for found in (tag, label):
        if isinstance(found, str) and _VERSION.fullmatch(found):
            return found if found.startswith("v") else f"v{found}"
    return ""


def _minor(version: str) -> list[str]:
    return version.removeprefix("v").split(".")[:2]


def _pod_spec(deployment: Block) -> Block:
    return _block(_block(_block(deployment, "spec"), "template"), "spec")


def _block(value: Block, key: str) -> Block:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _blocks(value: Block, key: str) -> list[Block]:
    found = value.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _texts(value: object) -> Iterable[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
