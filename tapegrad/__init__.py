"""tapegrad: exact derivatives of ordinary Python code over scalars and small arrays.

``import tapegrad as tg``. See README.md for a page of examples.
"""
import builtins as _builtins
import importlib as _importlib
from types import ModuleType as _ModuleType

import numpy as _np

from . import autograd
from .autograd import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled
from .nn.functional import (
    bilinear,
    binary_cross_entropy_with_logits,
    celu,
    cosine_embedding_loss,
    cosine_similarity,
    dropout,
    group_norm,
    hardshrink,
    hinge_embedding_loss,
    kl_div,
    layer_norm,
    margin_ranking_loss,
    pairwise_distance,
    poisson_nll_loss,
    prelu,
    rms_norm,
    selu,
    threshold,
    triplet_margin_loss,
)
from .progress import set_progress
from .replay import Tape, compile, explain, record, to_dot
from .tensor.conversion import Device as device
from .tensor.conversion import can_cast, get_default_dtype, promote_types, result_type, set_default_dtype
from .tensor.core import Tensor, bool_, float16, float32, float64, int8, int16, int32, int64, uint8
from .tensor.creation import (
    DoubleTensor,
    FloatTensor,
    LongTensor,
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    geomspace,
    identity,
    is_tensor,
    linspace,
    logspace,
    ones,
    ones_like,
    tensor,
    tri,
    vander,
    zeros,
    zeros_like,
)
from .tensor.methods import FUNCTIONS as _functions
from .tensor.primitive import primitive
from .tensor.random import (
    manual_seed,
    normal,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
)
from .transforms import (
    call,
    checkpoint,
    elementwise_grad,
    fixed_point,
    grad,
    hessian,
    hessian_vector_product,
    hvp,
    implicit_root,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    make_jvp,
    make_vjp,
    njit_grad,
    njit_jacobian,
    njit_jvp,
    njit_value_and_grad,
    odeint,
    sparse_hessian,
    sparse_jacobian,
    value_and_grad,
    vjp,
    vmap,
)

__version__ = "0.1.0"

globals().update({_name: _function for _name, _function in _functions.items() if not _name.startswith("_")})

double, float, long, int, bool, half = float64, float32, int64, int32, bool_, float16  # PyTorch's names
asarray = as_tensor
inf, nan, pi, e, newaxis = _np.inf, _np.nan, _np.pi, _np.e, None

# Submodules that are imported when first used
_NAMESPACES = ("array_api", "fft", "linalg", "nn", "numpy", "optim", "optimize", "plot", "scipy", "special", "stats", "testing")
_public = sorted([*_NAMESPACES, "autograd", *(_name for _name, _value in globals().items() if not (
    _name.startswith("_") or _name in _NAMESPACES or isinstance(_value, _ModuleType)))])

# What a star-import brings: all public names but those of Python's builtins (sum, max, abs, float, int, ...), with which
# `sum(...)` or `isinstance(x, int)` would mean something else in the importing module, and of the packages numpy and scipy.
# They are there as tg.sum.
__all__ = [_name for _name in _public if not (hasattr(_builtins, _name) or _name in ("numpy", "scipy"))]


def __dir__():
    return [*_public, "__version__"]


def __getattr__(name):
    if name in _NAMESPACES:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'tapegrad' has no attribute {name!r}")
