"""The table of operations, and its rows by family."""
from . import arithmetic, convolution, exponential, indexing, lapack, linalg, reduction, shape, special, trigonometric
from .table import (
                    ACTIVE,
                    ARRAY,
                    BINARY,
                    BY_NAME,
                    CODE_MASK,
                    CONSTANT,
                    HOST,
                    HOSTED,
                    INPUT,
                    KINDS,
                    MAX_OPS,
                    OPS,
                    PASSIVE,
                    PLANNED,
                    PLANNED_EACH,
                    PLANNED_MANY,
                    UNARY,
                    Op,
                    adjoint_of,
                    elementwise,
                    hosted,
                    linear,
                    operation,
                    rebind,
)

__all__ = ["ACTIVE", "ARRAY", "BINARY", "BY_NAME", "CODE_MASK", "CONSTANT", "HOST", "HOSTED", "INPUT", "KINDS", "MAX_OPS", "OPS",
           "PASSIVE", "PLANNED", "PLANNED_EACH", "PLANNED_MANY", "UNARY", "Op", "adjoint_of", "elementwise", "hosted", "linear",
           "operation", "rebind"]
