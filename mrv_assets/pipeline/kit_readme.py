"""What a kit says of itself to whoever opens it.

What does not belong here: what is in it (kit).
"""

from __future__ import annotations

from collections.abc import Sequence

from mrv_assets.pipeline.sealed import Sealed

README = "README.md"

_TEXT = """\
# Kit of a carbon figure

Certificate `{certificate}`
of project `{project}`, period `{period}`, factor release `{version}`:
emissions {emissions} t CO2e, removals {removals} t CO2e, net {net} t CO2e, from {rows} activity rows.

With this folder alone the figure can be made again, and every row compared. It needs Python 3.11, and the network only
for the first command, which installs the locked libraries.

```
python3.11 -m venv venv && venv/bin/pip install --no-deps --require-hashes -r code/requirements.lock
venv/bin/python reperform.py
```

The script works from any folder and writes nothing. Exit codes: 0 all that was made again is equal; 70 it differs, or
a file of this kit is another one than was packed, which is named; 1 it cannot be made again here, or differs under
other code or libraries. `--json` prints one document.

## What is in it

| folder | what |
| --- | --- |
| `certificate/` | the statement, what the record of each content states, and the figure of the ledger that reports it |
| `blobs/` | the sealed tables, by the sha256 of their bytes |
| `reference/` | the project, boundary, factor release, GWP set and rule sets that the statement pins, and no others |
| `landing/` | the source file and the evidence that was delivered; `inputs.json` names all inputs by digest |
| `code/` | the package that recomputes, its lock file, and the digest of the code that made each content |
| `manifest.json` | size and sha256 of every file here |

## What is shown, and what is not

Shown: that the pinned inputs, by the pinned rules and this code, give every sealed table, record and total to the last
bit; and that the tables here are those that the statement names.

Not shown: that the source file tells the truth; who sealed the statement and when, which the signature and the journal
show; and that `manifest.json` is the one that was handed out, which the digest of the certificate shows as far as it
reaches: compare it with the one that you were given elsewhere.

## What is left out

{left_out}
"""


def readme(sealed: Sealed, left_out: Sequence[str]) -> bytes:
    """Return the text in UTF-8."""
    certificate = sealed.certificate
    tonnes = certificate.totals.tonnes
    return _TEXT.format(
        certificate=certificate.sha256,
        project=certificate.key.project_id,
        period=certificate.key.period,
        version=certificate.key.factor_version,
        emissions=tonnes["emissions_tco2e"],
        removals=tonnes["removals_tco2e"],
        net=tonnes["net_tco2e"],
        rows=certificate.totals.activity_rows,
        left_out="\n".join(f"- {each}" for each in left_out) or "Nothing.",
    ).encode()
