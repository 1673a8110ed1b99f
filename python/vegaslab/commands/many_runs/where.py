"""The options that say where runs are made: on cores of this machine, or on a cluster."""

import argparse

from vegaslab.sweeps.where import LOCAL


def add_where(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.add_argument(
        "--on",
        default=LOCAL,
        metavar="WHERE",
        help="local (default), or the address of a Dask scheduler, such as tcp://10.0.0.1:8786",
    )
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="local: cores to use (default: all)")
