"""The controls of rule sets: what has to hold for a figure to be acceptable under a standard, one module a document.

What does not belong here: steps that change a tonnage (crediting).
"""
