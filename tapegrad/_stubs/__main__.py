"""``python -m tapegrad._stubs`` writes the stubs."""
import sys

from . import main

sys.exit(main())
