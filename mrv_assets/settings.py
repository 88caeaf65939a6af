"""What the environment says: where the store, the reference data, the landing files, keys and Dagster's home are.

The only module that is told about environment variables, and the one place to look for their names and
defaults. What does not belong here: opening what is found at a location (storage) and credentials, which stay
with the clients that use them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mrv_assets.domain.errors import ContractError

_CHECKOUT = Path(__file__).resolve().parents[1]
_SWITCH = {"": False, "0": False, "false": False, "1": True, "true": True}
_CREDENTIALS = re.compile(r"://[^/]*@|[?#]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where everything is, in absolute terms and without credentials.

    `home`, `keys` and `alerts`, the file that says where alerts go, are paths; `store`, `reference` and `landing` are
    URIs. `dagster_yaml` configures Dagster's instance; None means the one of this checkout.
    """

    home: Path
    store: str
    reference: str
    landing: str
    keys: Path
    alerts: Path
    allow_network_fs: bool
    dagster_yaml: Path | None

    @property
    def dagster_home(self) -> Path:
        """The folder in which Dagster keeps its instance."""
        return self.home / "dagster"

    @property
    def openlineage(self) -> Path:
        """The folder of the cursors that tell how far lineage was exported."""
        return self.home / "openlineage"

    @property
    def alert_cursors(self) -> Path:
        """The folder of what tells how far each target of alerts was told."""
        return self.home / "alerts"

    @property
    def logs(self) -> Path:
        """The folder for log files."""
        return self.home / "logs"

    @property
    def schemes(self) -> frozenset[str]:
        """The kinds of places in use: `file`, `s3` and so on."""
        return frozenset(uri.partition("://")[0] for uri in (self.store, self.reference, self.landing))

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Settings:
        """Read the settings from environment variables; unset and empty mean the default.

        `MRV_HOME` (`.mrv`), `MRV_STORE` (`store` in the home), `MRV_REFERENCE` (`reference_data` beside the
        package, else in the working folder), `MRV_LANDING` (`landing` in the home), `MRV_KEYS` (`keys` in the home),
        `MRV_ALERTS` (`alerts.toml` in the home), `MRV_ALLOW_NETWORK_FS` (0), `MRV_DAGSTER_YAML` (that of the
        checkout). A plain path counts from the working folder. Raises ContractError for credentials in a location,
        for a switch that is neither on nor off, and for keys in the store or the store among the keys.
        """
        home = Path(env.get("MRV_HOME") or ".mrv").absolute()
        store = _location(env, "MRV_STORE", home / "store")
        return cls(
            home=home,
            store=store,
            reference=_location(env, "MRV_REFERENCE", _reference_data()),
            landing=_location(env, "MRV_LANDING", home / "landing"),
            keys=_apart(Path(env.get("MRV_KEYS") or home / "keys").absolute(), store),
            alerts=Path(env.get("MRV_ALERTS") or home / "alerts.toml").absolute(),
            allow_network_fs=_switch(env, "MRV_ALLOW_NETWORK_FS"),
            dagster_yaml=Path(yaml).absolute() if (yaml := env.get("MRV_DAGSTER_YAML")) else None,
        )


def _reference_data() -> Path:
    beside_the_package = _CHECKOUT / "reference_data"
    return beside_the_package if beside_the_package.is_dir() else Path("reference_data")


def _location(env: Mapping[str, str], name: str, default: Path) -> str:
    """Return a location as URI, made absolute now: a later process may run in another folder."""
    text = env.get(name) or str(default)
    if "://" not in text:
        return Path(text).absolute().as_uri()
    if _CREDENTIALS.search(text):
        raise ContractError(
            "location holds more than a place",
            where=name,
            expected="scheme, host and path, such as file:///srv/mrv/store",
            found="a user, a query or a fragment, which may be a secret and is not repeated here",
            remedy="leave credentials to the client's own configuration and name only the place",
        )
    return text


def _apart(keys: Path, store: str) -> Path:
    """Return the folder of keys unless it and a local store are in one another, links followed."""
    parts = urlsplit(store)
    if parts.scheme != "file":
        return keys
    real, root = keys.resolve(), Path(unquote(parts.path)).resolve()
    if real.is_relative_to(root) or root.is_relative_to(real):
        raise ContractError(
            "keys and store are in one another",
            where="MRV_KEYS",
            expected="a folder outside the store, which is copied, served and handed out",
            found=f"{keys} and {root}",
            remedy="set MRV_KEYS to a folder of its own",
        )
    return keys


def _switch(env: Mapping[str, str], name: str) -> bool:
    text = env.get(name, "").lower()
    if text not in _SWITCH:
        raise ContractError(
            "switch is neither on nor off",
            where=name,
            expected="1, true, 0 or false",
            found=repr(env[name]),
            remedy=f"set {name}=1 or leave it out",
        )
    return _SWITCH[text]
