"""Ports of loopback for servers that tests start."""

from __future__ import annotations

import random
import socket

_BELOW_WHAT_THE_SYSTEM_HANDS_OUT = (10_000, 32_000)


def free_ports(count: int) -> list[int]:
    """Return ports that are free now, all different because they are held open together.

    They are drawn from below those that the system hands to outgoing connections and to whoever asks for any port, so
    that a busy machine does not take one away before the server has it.
    """
    drawn = random.SystemRandom()
    held: dict[int, socket.socket] = {}
    try:
        while len(held) < count:
            port = drawn.randrange(*_BELOW_WHAT_THE_SYSTEM_HANDS_OUT)
            if port not in held and (bound := _bound(port)):
                held[port] = bound
        return list(held)
    finally:
        for one in held.values():
            one.close()


def _bound(port: int) -> socket.socket | None:
    probe = socket.socket()
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        probe.close()
        return None
    return probe
