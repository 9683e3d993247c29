"""`python -m runtime` is the part of the `worldsmith` command that needs no generator."""

import sys

from runtime.main import main

sys.exit(main())
