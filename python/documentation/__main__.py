"""Draws the pictures anew: `make pictures`."""

from documentation.drawing import PICTURES
from documentation.pictures import ALL

PICTURES.mkdir(exist_ok=True)
for picture in ALL:
    picture.draw(picture.path)
    print(f"docs/pictures/{picture.path.name}")
