"""One room at a time, without servers."""
