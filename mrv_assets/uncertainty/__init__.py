"""How sure a number is: propagation, sampling estimators, Monte Carlo, and the quantiles behind them. Pure.

What does not belong here: what a standard deducts for it (crediting).
"""
