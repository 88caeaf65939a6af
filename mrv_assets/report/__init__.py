"""What an auditor reads: figures with the certificates behind them, restatements with their causes, and pages.

What belongs here: reading what the ledger reports and putting it into words, tables and pictures. What does
not: deciding what is reported (pipeline), keeping it (storage), checking it (verify) and the terminal (cli).
"""
