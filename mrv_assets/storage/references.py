"""Reference data: reviewed, immutable projects, inventories, boundaries, factor releases and GWP sets.

A released file is pinned by digest, so what was read once is kept for the life of the object. What does not
belong here: what the files mean (domain), and any writing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, DigestMismatch, FactorError, Tampering
from mrv_assets.domain.factor_head import BESIDE, gwp_set_name, pinned_beside, read_head
from mrv_assets.domain.factors import FactorRelease, GwpSet
from mrv_assets.domain.kin import SUCCESSIONS, Successions
from mrv_assets.domain.partition import checked_id
from mrv_assets.domain.project import Inventory, Project
from mrv_assets.domain.released import FACTORS, HEAD, RELEASED, ReleasedDigests, parse_released, parse_released_sets
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets.domain.withdrawal import Withdrawal
from mrv_assets.storage.object_store import ObjectInfo, ObjectStore
from mrv_assets.storage.parsed import parsed_gwp_set, parsed_release
from mrv_assets.storage.recent import Recent


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryFeature:
    """The land of a project: a GeoJSON geometry in the coordinates of its file, and the digest of that file.

    `tagged_crs` is the CRS that the file names itself, None for an untagged file.
    """

    path: str
    geometry: Mapping[str, Any] = field(repr=False)
    tagged_crs: str | None
    file_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What a released file is, and what to do when it is another one."""

    name: str
    remedy: str


_BOUNDARIES = 16
_AS_LISTED = f"as {RELEASED} lists it"
_FACTOR_FILE = _Kind(
    name="factor file",
    remedy="restore the released file; publish a correction as a new release that supersedes this one",
)
_GWP_SET = _Kind(
    name="GWP set",
    remedy="restore the released file; publish a correction as a set of another name, which new releases name",
)


class ReferenceData:
    """The reference data below one root.

    Raises ContractError when a file that is asked for is missing or malformed.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._projects: dict[str, Project] | None = None
        self._successions: Successions | None = None
        self._boundaries: Recent[tuple[str, str, str, ObjectInfo | None], BoundaryFeature] | None = None
        self._releases: dict[str, FactorRelease] = {}
        self._descriptions: dict[str, bytes] = {}
        self._gwp_sets: dict[str, GwpSet] = {}
        self._released: Mapping[str, ReleasedDigests] | None = None
        self._released_sets: Mapping[str, str] | None = None

    def at_a_glance(self) -> ReferenceData:
        """Return the same reference data for one look at many partitions: each project is read once, and its land.

        Otherwise they are read whenever they are asked for, because their files may be edited, unlike a release. What
        was read of releases is shared. Boundaries are large, so that only the last few are kept, each until its file
        looks otherwise; a project is kept until `refresh`.
        """
        glance = copy(self)
        glance._projects, glance._successions, glance._boundaries = {}, None, Recent(_BOUNDARIES)
        return glance

    def refresh(self, project_id: str) -> None:
        """Read this project, and what is whose successor, again when next asked for, whatever a glance has read."""
        if self._projects is not None:
            self._projects.pop(project_id, None)
            self._successions = None

    def project_ids(self) -> tuple[str, ...]:
        """Return the ids of all projects, sorted."""
        return self._names("projects/", ".toml")

    def project(self, project_id: str) -> Project:
        """Read one project."""
        if self._projects is None:
            return self._read_project(project_id)
        if project_id not in self._projects:
            self._projects[project_id] = self._read_project(project_id)
        return self._projects[project_id]

    def _read_project(self, project_id: str) -> Project:
        key = f"projects/{checked_id(project_id, what='project_id')}.toml"
        project = Project.parse(self._file(key), where=key)
        self._require_name(key, expected=project_id, found=project.id)
        return project

    def successions(self) -> Successions:
        """Read which projects are others under a new name; none where no file says so. Its file may be edited."""
        if self._successions is None:
            found = self._read_successions()
            if self._projects is None:
                return found
            self._successions = found
        return self._successions

    def _read_successions(self) -> Successions:
        data = self._store.get(SUCCESSIONS)
        return Successions() if data is None else Successions.parse(data, where=f"{self._store.uri}/{SUCCESSIONS}")

    def inventory_ids(self) -> tuple[str, ...]:
        """Return the ids of all inventories, sorted."""
        return self._names("inventories/", ".toml")

    def inventory(self, inventory_id: str) -> Inventory:
        """Read one inventory."""
        key = f"inventories/{checked_id(inventory_id, what='inventory id')}.toml"
        inventory = Inventory.parse(self._file(key), where=key)
        self._require_name(key, expected=inventory_id, found=inventory.id)
        return inventory

    def gwp(self, name: str) -> GwpSet:
        """Read one GWP set, once.

        Raises FactorError when it is malformed; DigestMismatch when it is not the one that was released, Tampering when
        a set that is listed is gone. A set that is not on the list is read like one that is.
        """
        if name not in self._gwp_sets:
            key = f"gwp/{checked_id(name, what='GWP set')}.csv"
            data = self._released_file(key, self.released_sets().get(name), _GWP_SET)
            self._gwp_sets[name] = parsed_gwp_set(name, data)
        return self._gwp_sets[name]

    def rule_set_files(self) -> tuple[str, ...]:
        """Return the names of the files of all rule sets without their ending, `id-version`, sorted."""
        return self._names("standards/", ".toml")

    def rule_set(self, name: str) -> RuleSet:
        """Read one version of a rule set by `id@version`. Raises ContractError when it is not there or malformed."""
        id_, _, version = name.partition("@")
        checked_id(id_, what="rule set id")
        file = f"{id_}-{checked_id(version, what='rule set version')}"
        found = self.rule_set_file(file)
        self._require_name(f"standards/{file}.toml", expected=name, found=found.name)
        return found

    def rule_set_file(self, file: str) -> RuleSet:
        """Read the rule set of a file of `rule_set_files`. Raises ContractError when it is named for another one."""
        key = f"standards/{file}.toml"
        found = RuleSet.parse(self._file(key), where=key)
        self._require_name(key, expected=file, found=f"{found.id}-{found.version}")
        return found

    def disclosure_file(self, name: str) -> bytes:
        """Return a list of datapoints, or what else a disclosure is made by, by `id-version`."""
        return self._file(f"disclosures/{checked_id(name, what='disclosure')}.toml")

    def factor_versions(self) -> tuple[str, ...]:
        """Return the versions of all factor releases, sorted as text."""
        return self._names("factors/", "/release.toml")

    def released(self) -> Mapping[str, ReleasedDigests]:
        """Return the digests of what was released, by version, read once; empty where there is no list."""
        if self._released is None:
            key = f"factors/{RELEASED}"
            data = self._store.get(key)
            self._released = {} if data is None else parse_released(data, where=f"{self._store.uri}/{key}")
        return self._released

    def released_sets(self) -> Mapping[str, str]:
        """Return the sha256 of the file of every GWP set that was released, read once; empty where there is no list."""
        if self._released_sets is None:
            key = f"gwp/{RELEASED}"
            data = self._store.get(key)
            self._released_sets = {} if data is None else parse_released_sets(data, where=f"{self._store.uri}/{key}")
        return self._released_sets

    def factor_release(self, version: str) -> FactorRelease:
        """Read one factor release with the GWP set it pins, once.

        Raises FactorError for an unknown version, which lists the known ones, and for a malformed release;
        DigestMismatch when a file of it is not the one that was released, Tampering when a file that is listed is gone.
        A release that is not on the list of what was released is read like one that is.
        """
        if version not in self._releases:
            self._releases[version] = self._read_release(checked_id(version, what="factor_version"))
        return self._releases[version]

    def factor_line(self, version: str) -> str:
        """Return the line of a factor release, from its description alone.

        A description that is listed is held against the list; nothing else of the release is looked at. Raises as
        `factor_release` for an unknown version and for a description that is malformed, another one, or gone.
        """
        head = read_head(self._release_toml(checked_id(version, what="factor_version")), version=version)
        return checked_id(head["line"], what="factor line")

    def withdrawal(self, version: str) -> Withdrawal | None:
        """Return the withdrawal of a factor release, None while there is none. Raises FactorError when it is malformed.

        It may come at any time, so it is asked for anew each time.
        """
        data = self._store.get(f"factors/{checked_id(version, what='factor_version')}/withdrawn.toml")
        return None if data is None else Withdrawal.parse(version, data)

    def withdrawn(self, versions: Iterable[str]) -> frozenset[str]:
        """Return which of the releases were withdrawn. Raises as `withdrawal`."""
        return frozenset(version for version in versions if self.withdrawal(version) is not None)

    def raw(self, key: str) -> bytes | None:
        """Return a file below the root as it is, held against no list, or None when it is absent."""
        return self._store.get(key)

    def boundary_file(self, path: str) -> bytes:
        """Return the bytes of a boundary file, by its path below the reference data."""
        return self._file(path)

    def boundary(self, project: Project) -> BoundaryFeature:
        """Return the one feature of the boundary file that is the project's land."""
        if self._boundaries is None:
            return self._read_boundary(project)
        asked = project.boundary
        named = (asked.path, asked.id_property, asked.id, self._store.describe(asked.path))
        return self._boundaries.get(named, lambda: self._read_boundary(project))

    def _read_boundary(self, project: Project) -> BoundaryFeature:
        boundary = project.boundary
        data = self._file(boundary.path)
        document = _geojson(data, boundary.path)
        found = [f for f in document["features"] if _is_named(f, boundary.id_property, boundary.id)]
        if len(found) != 1 or not isinstance(found[0].get("geometry"), dict):
            raise ContractError(
                "boundary is not one feature with a geometry",
                where=f"project {project.id}, {boundary.path}",
                expected=f"one feature with {boundary.id_property} = {boundary.id!r}",
                found=f"{len(found)} features" if len(found) != 1 else "a feature without geometry",
                remedy="correct [boundary] of the project, or add the feature to a new boundary file",
            )
        return BoundaryFeature(
            path=boundary.path,
            geometry=found[0]["geometry"],
            tagged_crs=_tagged_crs(document, boundary.path),
            file_sha256=sha256_hex(data),
        )

    def _read_release(self, version: str) -> FactorRelease:
        folder, listed = f"factors/{version}/", self.released().get(version)
        release_toml = self._release_toml(version)
        digest = None if listed is None else listed.files[FACTORS]
        factors_csv = self._released_file(f"{folder}{FACTORS}", digest, _FACTOR_FILE)
        beside = self._beside(folder)
        if listed is not None:
            for name, digest in pinned_beside(release_toml, version=version).items():
                key = f"{folder}{name}"
                self._require_released(beside.get(name), key, digest, "as release.toml pins it", _FACTOR_FILE)
        return parsed_release(
            version,
            release_toml=release_toml,
            factors_csv=factors_csv,
            gwp=self.gwp(gwp_set_name(release_toml, version=version)),
            beside=beside,
        )

    def _release_toml(self, version: str) -> bytes:
        """Return the description of a release, read once."""
        if version not in self._descriptions:
            self._descriptions[version] = self._read_description(version)
        return self._descriptions[version]

    def _read_description(self, version: str) -> bytes:
        key, listed = f"factors/{version}/{HEAD}", self.released().get(version)
        data = self._store.get(key)
        if listed is not None:
            return self._require_released(data, key, listed.files[HEAD], _AS_LISTED, _FACTOR_FILE)
        if data is None:
            raise FactorError(
                "factor version is unknown",
                where=f"factor release {version}",
                expected=f"one of {', '.join(self.factor_versions()) or 'no release at all'}",
                found=version,
                remedy=f"correct the factor version, or add the release under {self._store.uri}/factors/",
            )
        return data

    def _beside(self, folder: str) -> Mapping[str, bytes]:
        """Return the other files that a release may have and that are there; it knows which of them ought to be."""
        found = {name: self._store.get(f"{folder}{name}") for name in BESIDE}
        return {name: data for name, data in found.items() if data is not None}

    def _released_file(self, key: str, digest: str | None, kind: _Kind) -> bytes:
        """Return a file, held against the digest that a list of what was released has for it, if any."""
        if digest is None:
            return self._file(key)
        return self._require_released(self._store.get(key), key, digest, _AS_LISTED, kind)

    def _require_released(self, data: bytes | None, key: str, digest: str, says: str, kind: _Kind) -> bytes:
        where, expected = f"{self._store.uri}/{key}", f"sha256 {digest}, {says}"
        if data is None:
            raise Tampering(
                f"a released {kind.name} is gone", where=where, expected=expected, found="no file", remedy=kind.remedy
            )
        if sha256_hex(data) != digest:
            raise DigestMismatch(
                f"a released {kind.name} was changed",
                where=where,
                expected=expected,
                found=f"sha256 {sha256_hex(data)}",
                remedy=kind.remedy,
            )
        return data

    def _names(self, folder: str, suffix: str) -> tuple[str, ...]:
        names = (key.removeprefix(folder) for key in self._store.list(folder) if key.endswith(suffix))
        return tuple(sorted(name.removesuffix(suffix) for name in names if "/" not in name.removesuffix(suffix)))

    def _file(self, key: str) -> bytes:
        data = self._store.get(key)
        if data is None:
            raise ContractError(
                "reference file is missing",
                where=f"{self._store.uri}/{key}",
                expected="a reviewed file of the reference data",
                found="no file",
                remedy="add the file, correct what names it, or point MRV_REFERENCE at the reference data",
            )
        return data

    def _require_name(self, key: str, *, expected: str, found: str) -> None:
        if expected != found:
            raise ContractError(
                "file says another id than its name",
                where=f"{self._store.uri}/{key}",
                expected=f"id = {expected!r}",
                found=f"id = {found!r}",
                remedy="rename the file or correct its id",
            )


def _geojson(data: bytes, path: str) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except ValueError as error:
        raise _malformed(path, str(error)) from error
    if not isinstance(document, dict) or not isinstance(document.get("features"), list):
        raise _malformed(path, "another kind of document")
    return document


def _is_named(feature: Mapping[str, Any], name: str, text: str) -> bool:
    """Compare as text: an integer id equals its digits, and nothing is guessed about leading zeros."""
    value = (feature.get("properties") or {}).get(name)
    return (str(value) if type(value) is int else value) == text


def _tagged_crs(document: Mapping[str, Any], path: str) -> str | None:
    """Return what the old `crs` member of a GeoJSON file names, if the file has one."""
    member = document.get("crs")
    if member is None:
        return None
    try:
        return str(member["properties"]["name"])
    except (KeyError, TypeError) as error:
        raise _malformed(path, f"a crs member without a name: {member!r}") from error


def _malformed(path: str, found: str) -> ContractError:
    return ContractError(
        "boundary file is malformed",
        where=path,
        expected="a GeoJSON FeatureCollection in UTF-8",
        found=found,
        remedy="correct the file before it is reviewed; a reviewed file is replaced by a new one",
    )
