"""tapegrad: exact derivatives of ordinary Python code over scalars and small arrays.

``import tapegrad as tg``. See README.md for a page of examples.
"""
import builtins as _builtins
from types import ModuleType as _ModuleType

import numpy as _np

from . import autograd, nn
from .autograd import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled
from .nn.functional import (
    binary_cross_entropy_with_logits,
    celu,
    cosine_similarity,
    dropout,
    hinge_embedding_loss,
    kl_div,
    layer_norm,
    pairwise_distance,
    poisson_nll_loss,
    prelu,
    selu,
)
from .tensor.conversion import Device as device
from .tensor.conversion import get_default_dtype, set_default_dtype
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
    from_numpy,
    full,
    full_like,
    is_tensor,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    tensor,
    zeros,
    zeros_like,
)
from .tensor.methods import FUNCTIONS as _functions
from .transforms import grad, jacobian, value_and_grad

__version__ = "0.1.0"

globals().update({_name: _function for _name, _function in _functions.items() if not _name.startswith("_")})

double, float, long, int, bool, half = float64, float32, int64, int32, bool_, float16  # PyTorch's names
asarray = as_tensor
inf, nan, pi, e, newaxis = _np.inf, _np.nan, _np.pi, _np.e, None

# What a star-import brings: all public names but those of Python's builtins (sum, max, abs, float, int, ...), with which
# `sum(...)` or `isinstance(x, int)` would mean something else in the importing module. They are there as tg.sum.
__all__ = sorted(
    _name
    for _name, _value in globals().items()
    if not (_name.startswith("_") or hasattr(_builtins, _name))
    and (_value in (autograd, nn) or not isinstance(_value, _ModuleType))
)
