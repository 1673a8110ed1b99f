"""The generated parts of the documentation: pictures, the typed objects, the site."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
