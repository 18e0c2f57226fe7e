"""The command line: `windrow`, also `python -m pipelines`."""

import sys

from pipelines.cli._app import main

if __name__ == "__main__":
    sys.exit(main())
