"""Functions that make derivatives of functions: NumPy in, NumPy out, as JAX and HIPS autograd name them."""
from .plain import grad, jacobian, value_and_grad

__all__ = ["grad", "jacobian", "value_and_grad"]
