"""A secret that is named and not held: it is looked up in the environment when it is used, and shown nowhere.

What does not belong here: what it is used for (targets, mail).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.domain.errors import ContractError


class Secret:
    """The value of an environment variable that may not be shown. Its text is the name of the variable."""

    __slots__ = ("_env", "variable")

    def __init__(self, variable: str, env: Mapping[str, str]) -> None:
        self.variable = variable
        self._env = env

    @property
    def is_set(self) -> bool:
        """Tell whether the variable has a value."""
        return bool(self._env.get(self.variable))

    def read(self) -> str:
        """Return the secret. Raises ContractError when the variable is not set."""
        value = self._env.get(self.variable)
        if not value:
            raise ContractError(
                "secret of an alert target is not set",
                where=self.variable,
                expected="an environment variable with a value, in every process that sends alerts",
                found="none",
                remedy="set it for the daemon and the code server, and start them again",
            )
        return value

    def __repr__(self) -> str:
        return f"<secret in {self.variable}>"
