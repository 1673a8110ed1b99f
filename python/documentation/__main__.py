"""Redraws the pictures, and rewrites the README's table of verdicts: `make pictures`."""

from documentation.drawing import PICTURES
from documentation.frontier import WITH_FRONTIER
from documentation.verdicts import README, with_table

PICTURES.mkdir(exist_ok=True)
for picture in WITH_FRONTIER:
    picture.draw(picture.path)
    print(f"docs/pictures/{picture.path.name}")
README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
print(README.name)
