"""The stages room: what each verb makes of real content, and how it refuses the rest."""
