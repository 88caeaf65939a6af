"""The operator's list of authoritative files, for the one rule that goes by it.

What does not belong here: choosing (choice).
"""

from __future__ import annotations

from dataclasses import dataclass

from mrv_assets.domain.adoption import Keep
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthoritativeList:
    """The operator's list: one path per line below the tree, `#` starts a comment line."""

    paths: tuple[str, ...]
    sha256: str

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> AuthoritativeList:
        """Read the list. Raises ContractError when it is not UTF-8 or names a path twice."""
        try:
            lines = [line.strip() for line in data.decode("utf-8").splitlines()]
        except UnicodeDecodeError as error:
            raise _bad_list(where, "bytes that are not UTF-8") from error
        paths = [line for line in lines if line and not line.startswith("#")]
        repeated = sorted({path for path in paths if paths.count(path) > 1})
        if repeated:
            raise _bad_list(where, f"{repeated[0]!r} twice")
        return cls(paths=tuple(paths), sha256=sha256_hex(data))


def require_list_with_rule(keep: Keep, authoritative: AuthoritativeList | None) -> None:
    """Raise ContractError for the rule `list` without a list, and for a list that another rule would ignore."""
    if (keep is Keep.LIST) != (authoritative is not None):
        raise _bad_list("--keep and the list", f"--keep {keep} {'without' if authoritative is None else 'with'} a list")


def _bad_list(where: str, found: str) -> ContractError:
    return ContractError(
        "list of authoritative files is refused",
        where=where,
        expected="with --keep list, and only then, UTF-8 text with one path per line, each once",
        found=found,
        remedy="correct the list or the rule",
    )
