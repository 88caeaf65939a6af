"""What a person does about a fault that stages refuse by and gates judge, in one place so that the two cannot differ.

What does not belong here: remedies that only one place has to tell.
"""

from __future__ import annotations

DELIVER_AGAIN = "deliver the file again, whole; or correct format, encoding or layer under [source]"

NAME_ROWS = "map row_id to a column that identifies rows; export ids as text, not through a spreadsheet"

CORRECT_EPOCHS = "correct the epochs in the source file, or report the period that they span"

CORRECT_QUANTITIES = "correct the source; declare a removal by an activity whose factor has flux = removal"

CORRECT_GEOMETRY = "correct the geometry in the boundary file or in the source"

DECLARE_CRS = "set declared_crs and declared_because in the project file, after asking who made the file"

MATCH_FACTORS = "correct activity_id, region, unit or epoch of the rows, or release the missing factors"
