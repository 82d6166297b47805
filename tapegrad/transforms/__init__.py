"""Functions that make derivatives of functions: NumPy in, NumPy out, as JAX and HIPS autograd name them."""
from .checkpoints import checkpoint
from .compiled import call, njit_grad, njit_jacobian, njit_jvp, njit_value_and_grad
from .gradients import elementwise_grad, grad, hessian_vector_product, hvp, value_and_grad
from .jacobians import hessian, jacfwd, jacobian, jacrev
from .products import jvp, linearize, make_jvp, make_vjp, vjp

__all__ = ["call", "checkpoint", "elementwise_grad", "grad", "hessian", "hessian_vector_product", "hvp", "jacfwd", "jacobian",
           "jacrev", "jvp", "linearize", "make_jvp", "make_vjp", "njit_grad", "njit_jacobian", "njit_jvp", "njit_value_and_grad",
           "value_and_grad", "vjp"]
