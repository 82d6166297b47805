"""Writes the stubs that type checkers and editors read: ``python -m tapegrad._stubs``; ``--check`` compares them.

The public names are put together while tapegrad is imported, from the op table among others, so the stubs are written
from what is there then. Names, parameters, defaults and descriptions come from the objects. Types come from the tables
below, by the names of parameters and functions: a parameter that no entry fits is an error, and so is an entry that
fits nothing. Where the type of a result depends on the arguments, the signatures are written out, in OVERLOADS, and
their parameters are compared with the function's.
"""
import argparse
import ast
import inspect
import pathlib
import re
import sys
import textwrap
import types

import numpy as np

import tapegrad

from . import autograd, fft, linalg, nn, optim, special, testing
from .autograd import function, functional
from .autograd.hooks import RemovableHandle
from .autograd.node import Node
from .ops import BY_NAME
from .replay import Tape
from .tensor import algebra
from .tensor.core import Tensor
from .tensor.creation import legacy_tensor

ROOT = pathlib.Path(__file__).parent
WIDTH = 120


# Types ----------------------------------------------------------------------------------------------------------------

def _by_name(table):
    return {name: kind for kind, names in table.items() for name in names.split()}


# "owner.function.parameter" is looked up first, then "function.parameter" and "parameter"
PARAMETERS = _by_name({
    "Any":
        "params primals hvp.x tapegrad.hvp.v arguments keywords __array_ufunc__.inputs __array_ufunc__.out "
        "__array_ufunc__.where einsum.arrays einsum.out pad_width constant_values obj memory_format stream x0 theta y0 "
        "odeint.t odeint.options",
    "Iterable[int]": "milestones",
    "Sequence[str]": "check_grads.modes",
    "Literal['cos', 'linear']": "anneal_strategy",
    "Literal['strong_wolfe'] | None": "line_search_fn",
    "Literal['min', 'max']": "ReduceLROnPlateau.__new__.mode",
    "Literal['rel', 'abs']": "threshold_mode",
    "Tensor | Iterable[Tensor]": "parameters",
    "dict[str, Any]": "defaults group state_dict",
    "Optimizer": "optimizer",
    "Callable[[], Any] | None":
        "SGD.step.closure Adam.step.closure NAdam.step.closure Adagrad.step.closure RMSprop.step.closure "
        "Rprop.step.closure",
    "Callable[[], Any]": "LBFGS.step.closure",
    "float | Tensor": "lr",
    "tuple[float, float]": "betas etas step_sizes",
    "Number | Sequence[Number]": "max_lr base_momentum max_momentum min_lr",
    "Callable[[int], Number] | Sequence[Callable[[int], Number]]": "lr_lambda",
    "Number | Tensor": "fill_.value start end step fill_value metrics",
    "TensorLike":
        "x y source values a b batch1 batch2 more real imag mat mat1 mat2 vec vec1 vec2 factor zeta.q binom.n binom.k "
        "poch.z poch.m multigammaln.a mask src boundaries fp xp sorted_sequence test_elements pad.array mean std "
        "digitize.bins other q exponent weight target input tensor1 tensor2 x1 x2 gaussian_nll_loss.var one_hot.tensor "
        "clamp_min.min clamp_min_.min clamp_max.max clamp_max_.max condition factorial.n",
    "Number": "value alpha base histc.min histc.max default",
    "TensorLike | ArrayLike": "data",
    "TensorLike | None":
        "min max scatter.src scatter.value scatter_.src scatter_.value weights sorter a_min a_max prepend append bias "
        "pos_weight average.weights trapezoid.x nll_loss.weight cross_entropy.weight layer_norm.weight mse_loss.weight "
        "l1_loss.weight huber_loss.weight binary_cross_entropy.weight binary_cross_entropy_with_logits.weight",
    "Tensor":
        "detach.x mark_dirty.tensors mark_non_differentiable.tensors save_for_forward.tensors type_as.other "
        "view_as.other reshape_as.other expand_as.other",
    "Tensor | None": "gradient save_for_backward.tensors",
    "Tensor | Sequence[Tensor]": "backward.tensors functional.jvp.inputs",
    "Tensor | Sequence[Tensor] | None": "inputs v",
    "Tensor | Sequence[Tensor | None] | None": "grad_tensors grad_outputs",
    "Tensor | Sequence[TensorLike]": "tensors",
    "Tensor | Sequence[Any]": "gradcheck.inputs gradgradcheck.inputs",
    "Tensor | DTypeLike | bool": "to.arguments",
    "float":
        "momentum dampening weight_decay eps momentum_decay lr_decay initial_accumulator_value RMSprop.__new__.alpha "
        "tolerance_grad tolerance_change gamma ConstantLR.__new__.factor ReduceLROnPlateau.__new__.factor start_factor "
        "end_factor eta_min pct_start div_factor final_div_factor ReduceLROnPlateau.__new__.threshold clip_value "
        "max_norm norm_type beta rtol atol nondet_tol dist.p cdist.p d delta margin min_val max_val negative_slope "
        "threshold p label_smoothing celu.alpha elu.alpha",
    "Number | Tensor | None": "arange.end left interp.right",
    "int":
        "max_iter history_size last_epoch step_size T_max total_iters patience cooldown check_grads.order "
        "hessian_vector_product.argnum axis1 axis2 concatenate.axis stack.axis expand_dims.axis unsqueeze.dim "
        "unbind.dim unflatten.dim start_dim end_dim offset n steps low seed axisa axisb axisc dim2 vecdot.axis "
        "linalg.cross.axis fft.fft.axis ifft.axis rfft.axis irfft.axis ind multigammaln.d chunks dimension flags "
        "minlength r kthvalue.k rot90.k topk.k tri.k row narrow.length narrow.start diagonal unfold.size unfold.step "
        "decimals ignore_index num_classes diff.n diff.axis trapezoid.axis sparse_jacobian.argnum sparse_hessian.argnum "
        "maxiter",
    "int | None":
        "max_eval total_steps epochs steps_per_epoch argmax.axis argmax.dim argmin.axis argmin.dim concatenate.dim "
        "stack.dim dim0 dim1 m fft.n ifft.n rfft.n irfft.n slice_scatter.start slice_scatter.end diagonal.dim2 col k "
        "output_size vander.n ndigits diff.dim trapezoid.dim cumsum.axis cumsum.dim cumprod.axis cumprod.dim "
        "logcumsumexp.axis logcumsumexp.dim cummax.axis cummax.dim cummin.axis cummin.dim",
    "int | Sequence[int]":
        "shape full.size argnums make_vjp.argnum make_jvp.argnum destination moveaxis.source reps "
        "split_size_or_sections window_shape normalized_shape",
    "int | Sequence[int] | None":
        "axes axis dim dims size high argnum fftn.axes ifftn.axes rfftn.axes irfftn.axes fftshift.axes tensorsolve.axes "
        "ifftshift.axes shifts",
    "Sequence[int]": "sizes",
    "bool":
        "nesterov maximize differentiable amsgrad decoupled_weight_decay capturable centered set_to_none cycle_momentum "
        "three_phase error_if_nonfinite has_aux keepdims keepdim equal_nan requires_grad copy non_blocking force "
        "create_graph strict mode check_nan set_materialize_grads.value raise_exception check_grad_dtypes fast_mode "
        "check_batched_grad check_forward_ad check_backward_ad check_undefined_grad check_fwd_over_rev "
        "check_rev_over_rev gen_non_contig_grad_outputs masked upper hermitian unit_diagonal overwrite_b check_finite "
        "unitriangular some compute_uv right out_int32 accumulate as_tuple assume_unique descending include_self "
        "increasing invert largest return_counts return_index return_inverse sorted sparse stable with_replacement "
        "fill_diagonal_.wrap full inplace log_input log_target training returned",
    "bool | None": "foreach fused retain_graph lower solve_triangular.upper density __dlpack__.copy unbiased",
    "DTypeLike": "set_default_dtype.dtype astype.dtype",
    "DTypeLike | None": "dtype",
    "str":
        "method convolve.mode correlate.mode einsum.order casting order take.mode choose.mode pad.mode "
        "scatter_reduce.reduce scatter_reduce_.reduce reflect_type reduction approximate",
    "str | None":
        "api_version device compute_mode UPLO driver fft.fft.norm ifft.norm rfft.norm irfft.norm fft2.norm ifft2.norm "
        "rfft2.norm irfft2.norm fftn.norm ifftn.norm rfftn.norm irfftn.norm side indexing reduce interpolation "
        "rounding_mode sparse_jacobian.mode primitive.name",
    "Index": "index",
    "np.ufunc": "ufunc",
    "_F": "__call__.function checkpoint.function once_differentiable.function",
    "Callable[..., Any]": "function func implicit_root.f fixed_point.g odeint.f primitive.forward",
    "Callable[..., _Y]": "functional.jvp.func",
    "Callable[[Tensor], Tensor | None]": "register_hook.hook",
    "Callable[[Tensor], object]": "register_post_accumulate_grad_hook.hook",
    "Sequence[Any]":
        "tapegrad.jvp.primals tapegrad.jvp.tangents index_put.indices index_put_.indices Tape.jvp.primals "
        "Tape.jvp.tangents",
    "object": "_ is_tensor.x from_dlpack.x",
    "TensorLike | Complex":
        "fft.fft.a fft.ifft.a fft.irfft.a fft.fft2.a fft.ifft2.a fft.irfft2.a fft.fftn.a fft.ifftn.a fft.irfftn.a "
        "fftshift.x ifftshift.x",
    "TensorLike | tuple[TensorLike, bool]": "cholesky_solve.b",
    "TensorLike | Complex | complex":
        "Complex.__add__.other Complex.__radd__.other Complex.__sub__.other Complex.__rsub__.other "
        "Complex.__mul__.other Complex.__rmul__.other Complex.__truediv__.other Complex.__rtruediv__.other",
    "Sequence[Any] | Tensor": "arrays",
    "TensorLike | float | None": "tol rcond pinv.rtol matrix_rank.rtol matrix_rank.atol",
    "float | str": "vector_norm.ord matrix_norm.ord",
    "float | str | None": "norm.p norm.ord cond.p",
    "int | Sequence[int] | Sequence[Sequence[int]]": "tensordot.axes",
    "int | Sequence[int] | Sequence[Sequence[int]] | None": "tensordot.dims",
    "Sequence[int] | None": "s",
    "str | TensorLike": "subscripts",
    "bool | str | Sequence[Any]": "optimize",
    "int | str": "trans",
    "float | None": "logit.eps period nan posinf neginf ddof correction",
    "Array": "from_numpy.array",
    "TensorLike | Sequence[TensorLike]": "select.x",
    "int | Sequence[TensorLike]": "select.dim",
    "int | TensorLike | None": "select.index",
    "int | Sequence[int] | Tensor | Array": "indices repeats indices_or_sections kth",
    "Sequence[TensorLike]": "choices",
    "tuple[float, float] | None": "histogram.range",
    "int | TensorLike": "histogram.bins histc.bins",
    "tuple[int, int] | None": "dl_device max_version",
    "TensorLike | float": "dx",
    "Callable[..., Any] | None": "solver",
    "dict[str, Any] | None": "implicit_root.options",
    "Callable[..., Any] | Tape": "explain.function",
    "int | Sequence[Any] | None": "in_axes out_axes",
    "str | PathLike[str]": "path",
    "Callable[..., Any] | Sequence[Callable[..., Any] | None]": "primitive.partials",
})

# What is not here gives a Tensor, if it is tapegrad's own or a Tensor's, and a method that ends in _ the tensor itself
RESULTS = _by_name({
    "dict[str, Any]": "state_dict stats",
    "dict[Tensor, dict[str, Any]]": "state",
    "list[float | Tensor]": "get_lr get_last_lr",
    "Tensor": "clip_grad_norm_ Variable Complex.real Complex.imag Complex.abs Complex.__abs__ Complex.angle",
    "bool":
        "allclose equal gradcheck gradgradcheck is_grad_enabled is_inference_mode_enabled is_contiguous "
        "is_floating_point is_inference is_leaf requires_grad retains_grad __bool__ __contains__ array_equal",
    "int": "dim ndim element_size itemsize nbytes _version __index__ __int__ __len__ numel __trunc__",
    "float": "__float__",
    "int | float": "item",
    "str": "Node.name to_dot",
    "None":
        "step add_param_group zero_grad load_state_dict clip_grad_value_ set_default_dtype backward retain_grad "
        "save_for_backward save_for_forward mark_dirty mark_non_differentiable set_materialize_grads remove __exit__ "
        "__setitem__ put_along_axis Tape.save explain",
    "Array": "numpy",
    "tuple[int, ...]": "shape Complex.shape",
    "tuple[int, int]": "__dlpack_device__",
    "tuple[Tensor, ...]":
        "unbind saved_tensors split chunk tensor_split hsplit vsplit dsplit unstack meshgrid broadcast_tensors "
        "unravel_index",
    "tuple[tuple[Node | None, int], ...]": "next_functions",
    "tuple[_Y, _Y]": "functional.jvp",
    "Iterator[Tensor]": "__iter__",
    "Tensor | None": "Tensor.grad",
    "TypeIs[Tensor]": "is_tensor",
    "np.dtype[Any]": "dtype get_default_dtype",
    "np.random.Generator": "manual_seed",
    "Device": "device",
    "Node | None": "grad_fn",
    "RemovableHandle": "register_hook register_post_accumulate_grad_hook",
    "Self":
        "__enter__ __new__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__ __iadd__ __isub__ __imul__ __itruediv__ "
        "__ipow__ __imod__ __ifloordiv__",
    "_F": "__call__ checkpoint once_differentiable",
    "Callable[..., None]": "check_grads",
    "Callable[..., Any]":
        "tapegrad.jacobian jacrev jacfwd tapegrad.hessian elementwise_grad hessian_vector_product vmap njit_grad "
        "njit_jacobian njit_jvp njit_value_and_grad",
    "Any":
        "sparse_jacobian sparse_hessian LBFGS.step SGD.step Adam.step NAdam.step Adagrad.step RMSprop.step Rprop.step "
        "tapegrad.hvp tolist apply __array_ufunc__ __dlpack__ fftshift ifftshift implicit_root fixed_point odeint "
        "Tape.__call__ forward tapegrad.call",
    "tuple[Any, ...]": "tapegrad.jvp",
    "tuple[Any, Callable[..., Any]]": "linearize",
    "Callable[..., tuple[Callable[..., Any], Any]]": "make_vjp",
    "Callable[..., Callable[..., tuple[Any, Any]]]": "make_jvp",
    "SlogdetResult": "slogdet",
    "SVDFactors": "tapegrad.svd Tensor.svd",
    "LstsqResult": "lstsq",
    "EighResult": "eigh",
    "EigResult": "eig",
    "Complex":
        "fft.fft ifft rfft fft2 ifft2 rfft2 fftn ifftn rfftn conj Complex.detach Complex.__neg__ Complex.__add__ "
        "Complex.__radd__ Complex.__sub__ Complex.__rsub__ Complex.__mul__ Complex.__rmul__ Complex.__truediv__ "
        "Complex.__rtruediv__ Complex.__getitem__",
    "Tensor | tuple[Tensor, ...]": "atleast_1d atleast_2d atleast_3d unique unique_consecutive nonzero",
    "tuple[Tensor, Tensor]": "unique_counts unique_inverse histogram divmod __divmod__ __rdivmod__ var_mean std_mean",
    "tuple[Tensor, Tensor, Tensor, Tensor]": "unique_all",
    "Size": "Tensor.size",
    "ModuleType": "__array_namespace__",
    "complex": "__complex__",
    "ValuesIndices": "sort topk kthvalue cummax cummin",
    "memoryview": "__buffer__",
    "Tensor | tuple[Tensor, Tensor]": "average",
    "Tape": "tapegrad.record Tape.load",
    "tuple[Any, Any]": "Tape.jvp",
    "tuple[Any, Callable[..., tuple[Any, ...]]]": "Tape.vjp",
    "Callable[..., Tensor]": "primitive",
})


def _overloads(*rows, **parts):
    return tuple(row.format(**parts) for row in rows)


_EXTREMUM = (
    "({x}, axis: Sequence[int] | None = None, keepdims: bool = False, *, dim: Sequence[int] | None = None, "
    "keepdim: bool = False) -> Tensor",
    "({x}, axis: Tensor) -> Tensor",
    "({x}, axis: int, keepdims: bool = False, *, keepdim: bool = False) -> ValuesIndices",
    "({x}, *, keepdims: bool = False, dim: int, keepdim: bool = False) -> ValuesIndices")
# No ParamSpec: the derivative is called with arrays where the function gets Tensors, and is annotated with them
_DIFFERENTIATED = "function: Callable[..., Any], argnums: int | Sequence[int] = 0, "
_ARGNUM = ", argnum: int | Sequence[int] | None = None"
_GRAD = ("outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor], "
         "grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: bool | None = None, "
         "create_graph: bool = False, ")
_FLAGS = "create_graph: bool = False, strict: bool = False"
_V = "v: Tensor | Sequence[Tensor] | None = None, " + _FLAGS
_VECTORIZE = _FLAGS + ", vectorize: bool = False"
_MODE = ("(cls) -> Self", "(cls, function: _F) -> _F")

OVERLOADS = {
    "tapegrad.max": _overloads(*_EXTREMUM, x="x: TensorLike"),
    "tapegrad.min": _overloads(*_EXTREMUM, x="x: TensorLike"),
    "Tensor.max": _overloads(*_EXTREMUM, x="self"),
    "Tensor.min": _overloads(*_EXTREMUM, x="self"),
    "linalg.svd": (
        "(a: TensorLike, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False) -> SVDResult",
        "(a: TensorLike, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False) -> Tensor"),
    "linalg.qr": ("(a: TensorLike, mode: Literal['reduced', 'complete'] = 'reduced') -> QRResult",
                  "(a: TensorLike, mode: Literal['r']) -> Tensor"),
    "tapegrad.where": ("(condition: TensorLike, x: TensorLike, y: TensorLike) -> Tensor",
                       "(condition: TensorLike) -> tuple[Tensor, ...]"),
    "tapegrad.grad": _overloads(
        "({f}has_aux: Literal[False] = False, *{a}) -> Callable[..., Any]",
        "({f}*, has_aux: Literal[True]{a}) -> Callable[..., tuple[Any, Any]]", f=_DIFFERENTIATED, a=_ARGNUM),
    "tapegrad.value_and_grad": _overloads(
        "({f}has_aux: Literal[False] = False, *{a}) -> Callable[..., tuple[Any, Any]]",
        "({f}*, has_aux: Literal[True]{a}) -> Callable[..., tuple[tuple[Any, Any], Any]]", f=_DIFFERENTIATED, a=_ARGNUM),
    "tapegrad.compile": ("(function: _F, *, paths: int = 16) -> _F",
                         "(function: None = None, *, paths: int = 16) -> Callable[[_F], _F]"),
    "tapegrad.vjp": (
        "(function: Callable[..., Any], *primals: Any, has_aux: Literal[False] = False) -> "
        "tuple[Any, Callable[..., tuple[Any, ...]]]",
        "(function: Callable[..., Any], *primals: Any, has_aux: Literal[True]) -> "
        "tuple[Any, Callable[..., tuple[Any, ...]], Any]"),
    "autograd.grad": _overloads(
        "({first}allow_unused: Literal[False] | None = None, is_grads_batched: Literal[False] = False, "
        "materialize_grads: bool = False) -> tuple[Tensor, ...]",
        "({first}allow_unused: bool | None = None, is_grads_batched: Literal[False] = False, *, "
        "materialize_grads: Literal[True]) -> tuple[Tensor, ...]",
        "({first}allow_unused: bool | None = None, is_grads_batched: Literal[False] = False, "
        "materialize_grads: bool = False) -> tuple[Tensor | None, ...]", first=_GRAD),
    "functional.jacobian": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> Tensor",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[Tensor, ...]",
        "(func: Callable[..., Sequence[Tensor]], inputs: Tensor, {more}) -> tuple[Tensor, ...]",
        "(func: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor], {more}) -> tuple[tuple[Tensor, ...], ...]",
        more=_VECTORIZE),
    "functional.hessian": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> Tensor",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[tuple[Tensor, ...], ...]",
        more=_VECTORIZE),
    "functional.vjp": _overloads(
        "(func: Callable[..., _Y], inputs: Tensor, {more}) -> tuple[_Y, Tensor]",
        "(func: Callable[..., _Y], inputs: Sequence[Tensor], {more}) -> tuple[_Y, tuple[Tensor, ...]]", more=_V),
    "functional.hvp": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> tuple[Tensor, Tensor]",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[Tensor, tuple[Tensor, ...]]",
        more=_V),
    "no_grad.__new__": _MODE,
    "enable_grad.__new__": _MODE,
    "inference_mode.__new__": ("(cls, mode: bool = True) -> Self", "(cls, mode: _F) -> _F"),
    # They are overridden with parameters of all kinds
    "Function.forward": ("(*arguments: Any, **keywords: Any) -> Any",),
    "Function.backward": ("(*arguments: Any, **keywords: Any) -> Any",),
    "Function.setup_context": ("(*arguments: Any, **keywords: Any) -> Any",),
}
NAMESPACES = (fft, linalg, special)          # modules of functions
OVERRIDDEN = ("Function.forward", "Function.backward", "Function.setup_context")

# What object declares as well, what only raises an error, and NumPy's __array__: with it, NumPy's stubs would have it
# that array * tensor is an array, while it is a tensor
UNDECLARED = {"__array__", "__array_function__", "__deepcopy__", "__format__", "__get__", "__getattr__", "__getstate__",
              "__init__", "__new__", "__reduce__", "__reduce_ex__", "__repr__", "__setstate__", "Function.__call__",
              "Tape.__str__", "Tape.enter", "Tape.forget", "Tape.replayed", "Tape.result", "Tape.run", "Tape.values"}
# What a checker objects to: object's comparisons give bools, arrays and lists have operators that would take a tensor
# (at run time the tensor's count), and a mode that decorates without parentheses gives a function
CONFLICTS = _by_name({
    "override": "Tensor.__eq__ Tensor.__ne__ Complex.__getitem__ Complex.__mul__ Complex.__rmul__ "
                "ReduceLROnPlateau.step",
    "misc": "Tensor.__ge__ Tensor.__gt__ Tensor.__radd__ Tensor.__rmul__ no_grad.__new__ enable_grad.__new__ "
            "inference_mode.__new__",
})

HIDING = ("tapegrad", "Tensor", "nn")        # where float, int and bool are other things

_used: set = set()


def _look_up(table, owner, *names):
    """The entry of the longest name that there is, or None."""
    whole = ".".join(names)
    for key in (f"{owner}.{whole}", whole, names[-1]):
        if key in table:
            _used.add(key)
            return table[key]
    return None


# Definitions ----------------------------------------------------------------------------------------------------------

def _own(target, first):
    """The parameters of a function; without the one that `first` stands for, where they are those of a method."""
    found = list(inspect.signature(target).parameters.values())
    method = first and isinstance(target, types.FunctionType) and found[0].kind is not inspect.Parameter.VAR_POSITIONAL
    return found[1:] if method else found


def parameters(owner, name, target, first=""):
    """The parameters of a function as a stub has them."""
    out, keywords = [first] if first else [], False
    for p in _own(target, first):
        if p.name == "operands":             # it counts them itself
            arity = inspect.getclosurevars(target).nonlocals["op"].arity
            others = [f"{x}: TensorLike" for x in "xyw"[bool(first):arity]]
            return [*out, *others, "/"] if others else out
        if p.name.startswith("_") and p.default is not p.empty:
            continue                         # bound where the function is made
        kind = _look_up(PARAMETERS, owner, name, p.name)
        if kind is None:
            raise LookupError(f"parameter {p.name} of {owner}.{name} has no type; give it an entry in PARAMETERS")
        if p.kind is p.KEYWORD_ONLY and not keywords:
            out.append("*")
        keywords = keywords or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        out.append(f"{stars}{p.name}: {kind}" + ("" if p.default is p.empty else f" = {p.default!r}"))
    return out


def _result(owner, name):
    kind = _look_up(RESULTS, owner, name)
    if kind is None and owner in map(short_name, NAMESPACES):
        kind = "Tensor"
    if kind is None and owner not in HIDING:
        raise LookupError(f"the result of {owner}.{name} has no type; give it an entry in RESULTS")
    return kind or ("Self" if owner == "Tensor" and re.search(r"[^_]_$", name) else "Tensor")


def _check(key, rows, target):
    """That signatures which are written out have the function's parameters."""
    written = set()
    for row in rows:
        arguments = ast.parse(f"def f{row}: ...").body[0].args
        written |= {a.arg for a in (*arguments.args, *arguments.kwonlyargs, *filter(None, [arguments.vararg]))}
    real = {p.name for p in _own(target, written & {"self", "cls"})}
    if written - {"self", "cls"} != real:
        raise LookupError(f"{key} has the parameters {sorted(real)}, and in OVERLOADS {sorted(written)}")


def _description(doc, room):
    """The first paragraph of a docstring."""
    text = " ".join((doc or "").split("\n\n")[0].split())
    return textwrap.wrap(f'"""{text}"""', room, initial_indent="    ", subsequent_indent="    ") if text else []


def _declaration(owner, name, signature, decorators=(), doc="", room=WIDTH, ignored=None):
    """The lines of one signature."""
    if owner in HIDING:
        signature = re.sub(r"\b(float|int|bool)\b", r"_\1", signature)
    end = ("" if doc else " ...") + (f"  # type: ignore[{ignored}]" if ignored else "")
    line = f"def {name}{signature}:{end}"
    if len(line) > room:
        inside, _, result = signature[1:].rpartition(") -> ")
        inside = re.sub(r"(?<!,) | (?![\w*/]+(:|,|$))", "\0", inside)           # lines break before a parameter
        inside = textwrap.fill(inside, room, initial_indent="    ", subsequent_indent="    ").replace("\0", " ")
        line = f"def {name}(\n{inside}\n) -> {result}:{end}"
    return [*decorators, *line.split("\n"), *_description(doc, room)]


def definition(owner, name, target, first="", decorators=(), doc="", room=WIDTH):
    """The lines that declare a function or method."""
    key = f"{owner}.{name}"
    rows = OVERLOADS.get(key)
    if rows is None:
        rows = (f"({', '.join(parameters(owner, name, target, first))}) -> {_result(owner, name)}",)
    else:
        _used.add(key)
        if key not in OVERRIDDEN:
            _check(key, rows, target)
    decorators = ("@overload", *decorators) if len(rows) > 1 else decorators
    lines = []
    for row in rows:
        lines += _declaration(owner, name, row, decorators, doc if row is rows[0] else "", room,
                              CONFLICTS.get(key) if row is rows[-1] else None)
    return lines


def functions(owner, found, first="", room=WIDTH):
    """The lines that declare functions, and their other names."""
    groups: dict = {}                        # functions that are the same, or made by the same code for the same row
    for name, target in sorted(found.items()):
        groups.setdefault((target.__code__, target.__doc__), []).append(name)
    lines, aliases = {}, []
    for names in groups.values():
        made = found[names[0]].__name__
        name = min(names, key=lambda n: (n != made, n.rstrip("_") not in BY_NAME))
        lines[name] = definition(owner, name, found[name], first, doc=inspect.getdoc(found[name]), room=room)
        aliases += [f"{other} = {name}" for other in names if other != name]
    return [*(line for name in sorted(lines) for line in lines[name]), *sorted(aliases)]


def members(cls, base=object):
    """The attributes that the stub of a class has; without those that it inherits from `base`, which has a stub of its own."""
    kinds = (types.FunctionType, property, staticmethod, classmethod)
    found = {name: value for owner in reversed(cls.__mro__[:cls.__mro__.index(base)]) for name, value in vars(owner).items()
             if isinstance(value, kinds) and not {name, f"{cls.__name__}.{name}"} & UNDECLARED}
    return {name: value for name, value in sorted(found.items())
            if not name.startswith("_") or name.endswith("__") or name == "_version"}


def class_definition(cls, constructor=None, extra=(), base="", inherits=object):
    """The lines that declare a class; `constructor`: what has the parameters of a call; `inherits`: see `members`."""
    owner, room = cls.__name__, WIDTH - 4
    lines, methods = list(extra), {}
    if constructor is not None:
        lines += definition(owner, "__new__", constructor, "cls", room=room)
    for name, value in members(cls, inherits).items():
        if isinstance(value, property):
            lines += _property(owner, name, value, room)
        elif isinstance(value, (staticmethod, classmethod)):
            kind, target = type(value).__name__, value.__func__
            lines += definition(owner, name, target, "cls" if kind == "classmethod" else "", (f"@{kind}",),
                                inspect.getdoc(target), room)
        elif name.startswith("__"):
            lines += definition(owner, name, value, "self", room=room)
        else:
            methods[name] = value
    lines += functions(owner, methods, "self", room)
    body = [*_description(inspect.getdoc(cls), WIDTH), *(f"    {line}" for line in lines)]
    return [f"class {owner}{base}:", *(body or ["    ..."]), ""]


def _property(owner, name, value, room):
    kind = _result(owner, name)
    lines = _declaration(owner, name, f"(self) -> {kind}", ("@property",), value.__doc__, room)
    if value.fset:
        lines += _declaration(owner, name, f"(self, value: {kind}) -> None", (f"@{name}.setter",), room=room)
    if value.fdel:
        lines += _declaration(owner, name, "(self) -> None", (f"@{name}.deleter",), room=room)
    return lines


# Files ----------------------------------------------------------------------------------------------------------------

_HEADER = "# Written by `python -m tapegrad._stubs`; what to change stands there, or in the functions themselves.\n"
_STANDARD = {
    "builtins": ("bool as _bool", "float as _float", "int as _int"),
    "collections.abc": ("Callable", "Iterable", "Iterator", "Sequence"),
    "numbers": ("Real",),
    "os": ("PathLike",),
    "types": ("EllipsisType", "ModuleType"),
    "typing": ("Any", "Literal", "NamedTuple", "SupportsIndex", "TypeAlias", "TypeVar", "overload"),
}
_INSTALLED = {
    "numpy.typing": ("ArrayLike", "DTypeLike", "NDArray"),
    "typing_extensions": ("Never", "Self", "TypeIs"),
}
_TUPLES = (algebra.EigResult, algebra.EighResult, algebra.LstsqResult, algebra.QRResult, algebra.SVDFactors,
           algebra.SVDResult, algebra.SlogdetResult)
_TYPES = ("Array", "Complex", "Device", "Index", "Node", "Number", "RemovableHandle", "Tape", "Tensor", "TensorLike",
          "ValuesIndices",
          *(made.__name__ for made in _TUPLES))
_VARIABLES = {
    "_F": '_F = TypeVar("_F", bound=Callable[..., Any])',
    "_Y": '_Y = TypeVar("_Y", Tensor, tuple[Tensor, ...])',
}
_ALIASES = """\
Array: TypeAlias = NDArray[Any]
Number: TypeAlias = float | Real | np.floating[Any] | np.integer[Any] | np.bool_
TensorLike: TypeAlias = Tensor | Number | Array | list[Any] | tuple[Any, ...]
_Part: TypeAlias = SupportsIndex | slice | EllipsisType | Tensor | Array | list[Any] | None
Index: TypeAlias = _Part | tuple[_Part, ...]

class Device(str):
    \"""Where a tensor is: always the CPU.\"""
    @property
    def type(self) -> str: ...
    index: None  # type: ignore[assignment]

class Size(int):
    \"""The number of elements; called, the lengths of the axes, or of one.\"""
    @overload
    def __call__(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def __call__(self, dim: int) -> int: ...

class ValuesIndices(tuple[Tensor, Tensor]):
    \"""A pair with names, as PyTorch gives it.\"""
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
"""


def _import(module, names):
    plain = sorted((name for name in names if " as " not in name), key=lambda name: (name[0].islower(), name.lower()))
    line = f"from {module} import {', '.join(plain)}"
    if len(line) > WIDTH:
        line = "\n".join([f"from {module} import (", *(f"    {name}," for name in plain), ")"])
    return [*([line] if plain else []), *(f"from {module} import {name}" for name in names if " as " in name)]


def _file(body, types_from="", local=None, public=()):
    """A stub with what it imports. `local`: module -> names, for the relative imports besides those from _types."""
    text = "\n".join(body)
    text = "\n".join([*(line for name, line in _VARIABLES.items() if re.search(rf"\b{name}\b", text)), "", text])
    words = set(re.findall(r"\w+", text)) | set(public)

    def used(names):
        return [name for name in names if name.split()[-1] in words]

    local = {module: list(names) for module, names in (local or {}).items()}
    if types_from:
        local.setdefault(types_from, []).extend(used(_TYPES))
    blocks = [[line for module, names in _STANDARD.items() for line in _import(module, used(names))],
              (["import numpy as np"] if "np" in words else [])
              + [line for module, names in _INSTALLED.items() for line in _import(module, used(names))],
              [line for module, names in local.items() for line in _import(module, names)]]
    if public:
        names = ", ".join(f'"{name}"' for name in public)
        blocks.append(textwrap.wrap(f"__all__ = [{names}]", WIDTH, subsequent_indent=" " * len("__all__ = [")))
    parts = ["\n".join(block) for block in blocks if block]
    return _HEADER + "\n\n".join([*parts, text.strip(), ""]).rstrip() + "\n"


def public_names():
    """All that users reach as tg.name, also what a star-import leaves out."""
    return sorted(name for name in dir(tapegrad) if not name.startswith("_"))


def root_stub():
    """``tapegrad/__init__.pyi``."""
    lines, legacy, found, modes = ["__version__: str"], [], {}, []
    for name in public_names():
        value = getattr(tapegrad, name)
        if isinstance(value, np.dtype):
            lines.append(f"{name}: np.dtype[np.{'bool_' if value.kind == 'b' else value.name}]")
        elif value is None or isinstance(value, float):
            lines.append(f"{name}: {'None' if value is None else '_float'}")
        elif name in autograd.__all__ and value is getattr(autograd, name):
            modes.append(name)
        elif isinstance(value, types.FunctionType):
            found[name] = value
        elif name.endswith("Tensor") and value is not Tensor:            # classes whose instances are Tensors
            legacy += definition("tapegrad", name, types.MethodType(value.__new__, value), doc=value.__doc__)
    spaces = [name if name in tapegrad.__all__ else f"{name} as {name}" for name in tapegrad._NAMESPACES]
    local = {".": ["autograd", *spaces], "._types": ["Device as device"], ".autograd": modes}
    return _file([*lines, "", *legacy, *functions("tapegrad", found)], "._types", local, tapegrad.__all__)


def types_stub():
    """``tapegrad/_types.pyi``: the Tensor, and what else functions take and give."""
    tuples = [line for made in _TUPLES for line in (f"class {made.__name__}(NamedTuple):",
                                                    *(f"    {name}: Tensor" for name in made._fields), "")]
    body = [_ALIASES, *tuples, *class_definition(fft.Complex, fft.Complex, base="(tuple[Tensor, Tensor])"),
            *class_definition(Node), *class_definition(RemovableHandle), *class_definition(Tape),
            *class_definition(Tensor, types.MethodType(legacy_tensor, Tensor), ("def __hash__(self) -> _int: ...",))]
    return _file(body)


def autograd_stub():
    """``tapegrad/autograd/__init__.pyi``."""
    lines, found, local = [], {}, {".": [], ".function": []}
    for name in autograd.__all__:
        value = getattr(autograd, name)
        if isinstance(value, types.ModuleType):
            local["."].append(name)
        elif isinstance(value, types.FunctionType):
            found[name] = value
        elif value.__module__ == function.__name__:
            local[".function"].append(name)
        elif issubclass(value, Exception):
            lines += class_definition(value, base=f"({value.__base__.__name__})")
        elif value is not Node:
            lines += class_definition(value, value)
    return _file([*lines, *functions("autograd", found)], ".._types", {".._types": [], **local}, autograd.__all__)


def short_name(module):
    return module.__name__.rpartition(".")[2]


def namespace_stub(module, types_from="._types"):
    """The stub of a module of functions."""
    found = {name: getattr(module, name) for name in module.__all__}
    others = [f"{name} = np.linalg.{name}" for name, value in found.items() if value is np.linalg.LinAlgError]
    declared = functions(short_name(module), {name: f for name, f in found.items() if isinstance(f, types.FunctionType)})
    return _file([*others, *declared], types_from, public=module.__all__)


def function_stub():
    """``tapegrad/autograd/function.pyi``."""
    context = ("needs_input_grad: tuple[bool, ...]", "def __getattr__(self, name: str) -> Any: ...",
               "def __setattr__(self, name: str, value: Any) -> None: ...")
    return _file([*class_definition(function.FunctionCtx, extra=context), *class_definition(function.Function),
                  *functions("function", {"once_differentiable": function.once_differentiable})], ".._types")


def functional_stub():
    """``tapegrad/autograd/functional.pyi``."""
    names = ("hessian", "hvp", "jacobian", "jvp", "vhp", "vjp")
    return _file(functions("functional", {name: getattr(functional, name) for name in names}), ".._types")


def nn_stub():
    """``tapegrad/nn/__init__.pyi``."""
    return _file([], local={".": nn.__all__}, public=nn.__all__)


def nn_functions_stub(module):
    """The stub of a module of ``tapegrad.nn``."""
    names = module.__all__
    return _file(functions("nn", {name: getattr(module, name) for name in names}), ".._types", public=names)


_ATTRIBUTES = {"Optimizer": ("param_groups: list[dict[str, Any]]", "defaults: dict[str, Any]"),
               "LRScheduler": ("last_epoch: int", "base_lrs: list[float | Tensor]", "optimizer: Optimizer")}


def classes_stub(module, base, types_from, local):
    """The stub of a module of classes that have a common base, and functions."""
    found = [getattr(module, name) for name in module.__all__]
    lines = []
    for value in sorted((v for v in found if isinstance(v, type)), key=lambda v: len(v.__mro__)):
        inherits = object if value is base else next(above for above in value.__mro__[1:] if above in found)
        lines += class_definition(value, value, _ATTRIBUTES.get(value.__name__, ()),
                                  "" if value is base else f"({inherits.__name__})", inherits)
    lines += functions(short_name(module), {v.__name__: v for v in found if isinstance(v, types.FunctionType)})
    return _file(lines, types_from, {types_from: [], **local}, module.__all__)


# Namespaces whose functions take and give arrays or Tensors, as it happens: for a checker, anything
_OPEN = ("array_api", "array_api/fft", "array_api/linalg", "numpy", "numpy/fft", "numpy/linalg", "numpy/random", "scipy",
         "scipy/linalg", "scipy/special", "scipy/stats")


def open_stub():
    """The stub of a namespace of which a checker knows no more than that its names are there."""
    return _file(["def __getattr__(name: str) -> Any: ..."])


def stubs():
    """The text of each stub, by its path."""
    texts = {ROOT / "__init__.pyi": root_stub(), ROOT / "_types.pyi": types_stub(),
             ROOT / "autograd" / "__init__.pyi": autograd_stub(), ROOT / "autograd" / "function.pyi": function_stub(),
             ROOT / "autograd" / "functional.pyi": functional_stub(), ROOT / "nn" / "__init__.pyi": nn_stub(),
             ROOT / "nn" / "functional.pyi": nn_functions_stub(nn.functional),
             ROOT / "nn" / "utils.pyi": nn_functions_stub(nn.utils),
             ROOT / "optim" / "__init__.pyi": classes_stub(optim, optim.Optimizer, ".._types", {".": ["lr_scheduler"]}),
             ROOT / "optim" / "lr_scheduler.pyi": classes_stub(optim.lr_scheduler, optim.lr_scheduler.LRScheduler, ".._types",
                                                               {".": ["Optimizer"]}),
             ROOT / "testing" / "__init__.pyi": namespace_stub(testing, ".._types"),
             **{ROOT / f"{short_name(module)}.pyi": namespace_stub(module) for module in NAMESPACES},
             **{ROOT / (f"{name}.pyi" if "/" in name else f"{name}/__init__.pyi"): open_stub() for name in _OPEN}}
    unused = {*PARAMETERS, *RESULTS, *OVERLOADS} - _used
    if unused:
        raise LookupError(f"nothing has these names any more, so take their types away: {', '.join(sorted(unused))}")
    return texts


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tapegrad._stubs", description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where a stub is not up to date")
    check = parser.parse_args(arguments).check
    stale = [path for path, text in stubs().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT.parent)} {'is not up to date' if check else 'written'}")
        if not check:
            path.write_text(stubs()[path], encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
