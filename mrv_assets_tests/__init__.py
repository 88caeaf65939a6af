"""Facts about the platform, each shown by a test."""
