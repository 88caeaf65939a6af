"""The domain room: what the nouns accept, refuse and look like as bytes."""
