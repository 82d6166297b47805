"""Programs that use tapegrad on real problems; run one with ``python -m tapegrad.examples.NAME``."""
