"""Facts that hold for all inputs, shown on generated ones."""
