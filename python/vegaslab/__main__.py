"""`python -m vegaslab`: the same as the command `vegaslab`."""

import sys

from vegaslab.cli import main

sys.exit(main())
