"""One source file for each defect that must be refused, and a sound one to compare with."""
