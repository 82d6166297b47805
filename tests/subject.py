"""The module under test: tapegrad, or another one with PyTorch's names, to test the tests."""

import importlib
import os

tg = importlib.import_module(os.environ.get("TAPEGRAD_TEST_MODULE", "tapegrad"))
tg.set_default_dtype(tg.float64)
softplus = getattr(tg, "softplus", None) or tg.nn.functional.softplus
