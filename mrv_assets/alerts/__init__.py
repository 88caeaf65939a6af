"""The room that tells people what happened: failed runs, restatements and late figures, to where a file says.

What does not belong here: finding out what happened (pipeline, orchestration).
"""
