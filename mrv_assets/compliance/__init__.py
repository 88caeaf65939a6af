"""How content is judged: the gates of every asset, pure functions of what was staged and from what.

A gate asks one question and answers with numbers; it has passed or it has not, there is no warning. It looks
at the content itself and never trusts that the stage refused. What does not belong here: making content
(stages) and keeping it (storage).
"""
