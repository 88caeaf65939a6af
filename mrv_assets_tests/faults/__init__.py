"""What breaks a store, done to ours on purpose: disks, kills, races, lost answers, foreign files, flipped bits.

Every scenario has two sizes: a small one for `make test`, and the whole one for `make faults`, which prints the table.
"""
