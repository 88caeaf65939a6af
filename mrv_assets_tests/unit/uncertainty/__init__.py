"""The uncertainty room: quantiles, half-widths, propagation, simulation and samples, against printed numbers."""
