"""`python -m generator` is the `worldsmith` command."""

import sys

from generator.main import main

sys.exit(main())
