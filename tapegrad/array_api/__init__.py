"""The array API standard, 2024.12: what ``x.__array_namespace__()`` of a Tensor is.

Signatures, promotion, special cases and errors are the standard's, where it is silent those of ``array_api_strict``:
dtypes of different kinds have no common one (TypeError). Functions have derivatives where those of tapegrad have.

Left out: complex dtypes, and what can't be without them, the transforms of the extension ``fft`` (its ``fftfreq``, ``rfftfreq``,
``fftshift`` and ``ifftshift`` are there). ``conj``, ``real`` and ``imag`` take real numbers. `asarray` takes a complex number
if it has no imaginary part.

>>> import tapegrad as tg
>>> x = tg.tensor([3.0, 4.0], requires_grad=True)
>>> xp = x.__array_namespace__()
>>> xp.linalg.vector_norm(x).backward()
>>> x.grad
tensor([0.6000, 0.8000])
"""
from math import e, inf, nan, pi

from . import creation as _creation
from . import dtypes as _dtypes
from . import elementwise as _elementwise
from . import fft, linalg
from . import manipulation as _manipulation
from . import products as _products
from . import reductions as _reductions
from .inspection import __array_namespace_info__

__array_api_version__ = "2024.12"
newaxis = None

for _module in (_creation, _dtypes, _elementwise, _manipulation, _products, _reductions):
    globals().update({_name: getattr(_module, _name) for _name in _module.__all__})

_MODULES = "creation", "dtypes", "elementwise", "inspection", "manipulation", "products", "reductions"
__all__ = sorted(_name for _name in globals() if not (_name.startswith("_") or _name in _MODULES))  # noqa: PLE0605 - strings


def __dir__():
    return [*__all__, "__array_api_version__", "__array_namespace_info__"]
