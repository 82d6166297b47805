"""The table of operations, and its rows by family."""
from . import activations, arithmetic, exponential, indexing, linalg, reduction, rounding, scan, shape, softmax, special, trigonometric
from .table import (
                    ACTIVE,
                    ARRAY,
                    BINARY,
                    BY_NAME,
                    CODE_MASK,
                    CONSTANT,
                    HOST,
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
                    linear,
                    operation,
                    rebind,
)

__all__ = ["ACTIVE", "ARRAY", "BINARY", "BY_NAME", "CODE_MASK", "CONSTANT", "HOST", "INPUT", "KINDS", "MAX_OPS", "OPS",
           "PASSIVE", "PLANNED", "PLANNED_EACH", "PLANNED_MANY", "UNARY", "Op", "adjoint_of", "elementwise", "linear",
           "operation", "rebind"]
