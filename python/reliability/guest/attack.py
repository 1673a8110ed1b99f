"""The guest's side: `attack.py KIND POINTS [NAME ...]` prints a row of JSON for each attack."""

import json
import sys
from importlib import import_module

from reliability.guest.inside.kernel import complaints

if __name__ == "__main__":
    _, kind, points, *only = sys.argv
    for row in import_module(f"reliability.guest.inside.{kind}").attack(int(points), only):
        print(json.dumps(row), flush=True)
    print(json.dumps({"target": "kernel", "stage": "its log", "problems": complaints()}))
