"""Writes the dashboards beside this folder: `pip install -r dashboards/requirements.txt && python3 dashboards/source/generate.py`.

With `--check` nothing is written; the exit status says whether what is committed is what would be written.
"""

import json
import pathlib
import sys

from grafana_foundation_sdk.cog.encoder import JSONEncoder

import exporter
import group
import overview
import topic

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def main() -> int:
    stale = []
    for page in (overview, group, topic, exporter):
        board = page.dashboard().build()
        text = json.dumps(board, cls=JSONEncoder, sort_keys=True, indent=2) + "\n"
        file = FOLDER / f"{board.uid}.json"
        if "--check" not in sys.argv:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(file.name)
    if stale:
        print("out of date:", ", ".join(stale), file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
