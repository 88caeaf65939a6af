"""The platform as an operator meets it in a browser: Dagit in a real Chromium, clicked and typed like a person does."""
