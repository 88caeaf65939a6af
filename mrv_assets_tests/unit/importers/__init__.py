"""The importers room: what published files become, and what is refused or left out."""
