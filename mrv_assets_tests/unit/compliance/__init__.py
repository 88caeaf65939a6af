"""The compliance room: every gate is green on good content and red on each defect."""
