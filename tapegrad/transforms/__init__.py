"""Functions that make derivatives of functions: NumPy in, NumPy out, as JAX and HIPS autograd name them."""
from .batches import vmap
from .checkpoints import checkpoint
from .gradients import elementwise_grad, grad, hessian_vector_product, hvp, value_and_grad
from .jacobians import hessian, jacfwd, jacobian, jacrev
from .products import jvp, linearize, make_jvp, make_vjp, vjp

__all__ = ["checkpoint", "elementwise_grad", "grad", "hessian", "hessian_vector_product", "hvp", "jacfwd", "jacobian", "jacrev",
           "jvp", "linearize", "make_jvp", "make_vjp", "value_and_grad", "vjp", "vmap"]
