"""Functions that make derivatives of functions: NumPy in, NumPy out, as JAX and HIPS autograd name them."""
from .batches import vmap
from .checkpoints import checkpoint
from .compiled import call, njit_grad, njit_jacobian, njit_jvp, njit_value_and_grad
from .gradients import elementwise_grad, grad, hessian_vector_product, hvp, value_and_grad
from .implicit import fixed_point, implicit_root, odeint
from .jacobians import hessian, jacfwd, jacobian, jacrev
from .products import jvp, linearize, make_jvp, make_vjp, vjp
from .sparse import sparse_hessian, sparse_jacobian

__all__ = ["call", "checkpoint", "elementwise_grad", "fixed_point", "grad", "hessian", "hessian_vector_product", "hvp",
           "implicit_root", "jacfwd", "jacobian", "jacrev", "jvp", "linearize", "make_jvp", "make_vjp", "njit_grad",
           "njit_jacobian", "njit_jvp", "njit_value_and_grad", "odeint", "sparse_hessian", "sparse_jacobian", "value_and_grad",
           "vjp", "vmap"]
