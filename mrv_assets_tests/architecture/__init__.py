"""The shape of the project itself: what may import what, what must be declared, what documents must say."""
