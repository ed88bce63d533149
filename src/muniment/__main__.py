"""`python -m muniment`: the command line."""

import sys

from muniment.cli import main

if __name__ == "__main__":
    sys.exit(main())
