"""The storage room: what is kept, how it becomes current, and what a fault leaves behind."""
