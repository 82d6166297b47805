"""``python -m tapegrad info`` tells about this installation; without a command, help is printed."""
import sys

from .information import main

if __name__ == "__main__":
    sys.exit(main())
