"""Where things are kept: stores, slots of sealed generations, the journal, reference data, landing files.

What belongs here: every byte that is read or written, and the protocol that makes a write happen once. What
does not: how a number is made (stages), how it is judged (compliance), and any word of Dagster.
"""
