"""The verbs of the platform: ingest, normalize, factor, aggregate, certify, submit.

Each is a pure function from content and pinned parameters to `domain.staged.Staged`, and raises `GateError`
for a defect that prevents making the content at all. What does not belong here: judging content (compliance),
keeping it (storage), and any input, output, clock, randomness or environment.
"""
