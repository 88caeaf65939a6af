"""How fast, as ratios against the obvious way, both measured in one run on one machine.

What does not belong here: tests, which never assert a time.
"""
