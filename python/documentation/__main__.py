"""Redraws the pictures, and rewrites the README's table of verdicts: `make pictures`. With `--missing`: draws the
pictures that are not there yet, and nothing else (`make lists`).
"""

import sys

from documentation.drawing import PICTURES
from documentation.frontier import WITH_FRONTIER
from documentation.verdicts import README, with_table

only_missing = "--missing" in sys.argv[1:]
PICTURES.mkdir(exist_ok=True)
for picture in WITH_FRONTIER:
    if only_missing and picture.path.exists():
        continue
    picture.draw(picture.path)
    print(f"docs/pictures/{picture.path.name}")
if only_missing:
    sys.exit()
README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
print(README.name)
