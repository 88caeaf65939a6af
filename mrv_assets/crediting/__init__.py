"""From a canonical result to whole credits under a rule set: pure formulas by name, and the waterfall they make.

What does not belong here: what has to hold beside the numbers (compliance) and reading files (storage, stages).
"""
