"""Making factor releases from published workbooks: bytes in, a draft release out, and what was left out is counted.

What does not belong here: reading and writing files (cli, storage), and how factors combine (domain).
"""
