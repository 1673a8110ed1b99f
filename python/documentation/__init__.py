"""What of the documentation is made: pictures, the typed objects, the site."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
