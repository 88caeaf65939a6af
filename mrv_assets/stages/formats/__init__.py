"""One reader per format: the bytes of a source file become a delivery, or are refused by name.

What does not belong here: what the cells mean, and which records are the project's (ingest).
"""
