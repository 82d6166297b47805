"""What the stubs say that can't be seen from the functions: types, by the names of parameters and functions, and exceptions."""


def _by_name(table):
    return {name: kind for kind, names in table.items() for name in names.split()}


# "owner.function.parameter" is looked up first, then "function.parameter" and "parameter"
PARAMETERS = _by_name({
    "Any":
        "params primals hvp.x tapegrad.hvp.v arguments keywords __array_ufunc__.inputs __array_ufunc__.out "
        "__array_ufunc__.where einsum.arrays einsum.out pad_width constant_values obj memory_format stream x0 theta y0 "
        "odeint.t odeint.options spy.matrix history.values",
    "Iterable[int]": "milestones",
    "Sequence[str]": "check_grads.modes",
    "Literal['cos', 'linear']": "anneal_strategy",
    "Literal['strong_wolfe'] | None": "line_search_fn",
    "Literal['min', 'max']": "ReduceLROnPlateau.__new__.mode",
    "Literal['triangular', 'triangular2', 'exp_range']": "CyclicLR.__new__.mode",
    "Literal['cycle', 'iterations']": "scale_mode",
    "Callable[[float], float] | None": "scale_fn",
    "Sequence[LRScheduler]": "schedulers",
    "Optimizer | None": "ChainedScheduler.__new__.optimizer",
    "int | float | None": "CosineAnnealingWarmRestarts.step.epoch",
    "Literal['rel', 'abs']": "threshold_mode",
    "Tensor | Iterable[Tensor]": "parameters",
    "dict[str, Any]": "defaults group state_dict",
    "Optimizer": "optimizer",
    "Callable[[], Any] | None":
        "SGD.step.closure Adam.step.closure NAdam.step.closure RAdam.step.closure Adamax.step.closure "
        "Adadelta.step.closure Adagrad.step.closure RMSprop.step.closure ASGD.step.closure Rprop.step.closure",
    "Callable[[], Any]": "LBFGS.step.closure",
    "float | Tensor": "lr",
    "tuple[float, float]": "betas etas step_sizes",
    "Number | Sequence[Number]": "base_lr max_lr base_momentum max_momentum min_lr",
    "Callable[[int], Number] | Sequence[Callable[[int], Number]]": "lr_lambda",
    "Number | Tensor": "fill_.value start end step fill_value metrics",
    "TensorLike":
        "x y source values a b batch1 batch2 more real imag mat mat1 mat2 vec vec1 vec2 factor zeta.q binom.n binom.k "
        "poch.z poch.m multigammaln.a mask src boundaries fp xp sorted_sequence test_elements pad.array mean std "
        "digitize.bins other q exponent weight target input tensor1 tensor2 x1 x2 gaussian_nll_loss.var one_hot.tensor "
        "bernoulli_.p logits input1 input2 anchor positive negative query key scaled_dot_product_attention.value "
        "clamp_min.min clamp_min_.min clamp_max.max clamp_max_.max condition factorial.n args kwds logpmf.k pmf.k "
        "_dirichlet.logpdf.alpha _dirichlet.pdf.alpha cov",
    "Number": "normal_.mean normal_.std uniform_.from_ uniform_.to value alpha base histc.min histc.max default",
    "TensorLike | ArrayLike": "data",
    "TensorLike | None":
        "bernoulli.p "
        "_multivariate_normal.logpdf.mean _multivariate_normal.pdf.mean "
        "min max scatter.src scatter.value scatter_.src scatter_.value weights sorter a_min a_max prepend append bias "
        "pos_weight average.weights trapezoid.x nll_loss.weight cross_entropy.weight layer_norm.weight mse_loss.weight "
        "l1_loss.weight huber_loss.weight binary_cross_entropy.weight binary_cross_entropy_with_logits.weight rms_norm.weight "
        "multi_margin_loss.weight multilabel_soft_margin_loss.weight instance_norm.weight "
        "cumulative_trapezoid.x fweights aweights group_norm.weight batch_norm.weight running_mean running_var attn_mask",
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
        "ASGD.__new__.alpha t0 rho power "
        "tolerance_grad tolerance_change gamma ConstantLR.__new__.factor ReduceLROnPlateau.__new__.factor start_factor "
        "end_factor eta_min pct_start div_factor final_div_factor ReduceLROnPlateau.__new__.threshold clip_value "
        "max_norm norm_type maxnorm lambd dropout_p beta rtol atol nondet_tol dist.p cdist.p tau d delta margin "
        "min_val max_val negative_slope threshold p label_smoothing celu.alpha elu.alpha",
    "Number | Tensor | None": "arange.end left interp.right",
    "int":
        "max_iter history_size last_epoch step_size step_size_up T_max T_0 T_mult total_iters patience cooldown "
        "check_grads.order "
        "hessian_vector_product.argnum axis1 axis2 concatenate.axis stack.axis expand_dims.axis unsqueeze.dim "
        "unbind.dim unflatten.dim start_dim end_dim offset n steps low seed axisa axisb axisc dim2 vecdot.axis "
        "linalg.cross.axis fft.fft.axis ifft.axis rfft.axis irfft.axis ind multigammaln.d chunks dimension flags "
        "minlength r kthvalue.k rot90.k topk.k tri.k row narrow.length narrow.start diagonal unfold.size unfold.step "
        "decimals ignore_index num_classes diff.n diff.axis trapezoid.axis sparse_jacobian.argnum sparse_hessian.argnum "
        "maxiter profile.repeats num_groups renorm.dim glu.dim cov.correction edge_order "
        "mode.dim cumulative_trapezoid.dim num_samples gumbel_softmax.dim multi_margin_loss.p",
    "int | None":
        "linalg.vander.N "
        "max_eval step_size_down total_steps epochs steps_per_epoch argmax.axis argmax.dim argmin.axis argmin.dim "
        "concatenate.dim stack.dim dim0 dim1 m fft.n ifft.n rfft.n irfft.n slice_scatter.start slice_scatter.end diagonal.dim2 "
        "col k output_size vander.n ndigits diff.dim trapezoid.dim cumsum.axis cumsum.dim cumprod.axis cumprod.dim "
        "padding_idx logcumsumexp.axis logcumsumexp.dim cummax.axis cummax.dim cummin.axis cummin.dim",
    "int | Sequence[int]":
        "nn.pad.pad shapes shape full.size argnums make_vjp.argnum make_jvp.argnum destination moveaxis.source reps "
        "split_size_or_sections window_shape normalized_shape",
    "int | Sequence[int] | None":
        "axes axis dim dims size high argnum fftn.axes ifftn.axes rfftn.axes irfftn.axes fftshift.axes tensorsolve.axes "
        "ifftshift.axes shifts",
    "Sequence[int]": "sizes",
    "bool":
        "nesterov maximize differentiable amsgrad decoupled_weight_decay capturable centered set_to_none cycle_momentum "
        "three_phase error_if_nonfinite has_aux keepdims keepdim equal_nan requires_grad copy non_blocking force "
        "create_graph strict mode check_nan forward set_materialize_grads.value raise_exception check_grad_dtypes fast_mode "
        "check_batched_grad check_forward_ad check_backward_ad check_undefined_grad check_fwd_over_rev "
        "check_rev_over_rev gen_non_contig_grad_outputs masked upper hermitian unit_diagonal overwrite_b check_finite "
        "unitriangular some compute_uv right out_int32 accumulate as_tuple assume_unique descending include_self "
        "increasing invert largest return_counts return_index return_inverse sorted sparse stable with_replacement "
        "hard use_input_stats replacement swap is_causal enable_gqa scale_grad_by_freq "
        "fill_diagonal_.wrap full inplace log_input log_target training returned allow_singular",
    "bool | None":
        "progress check_inf wanted foreach fused retain_graph lower solve_triangular.upper density __dlpack__.copy unbiased",
    "DTypeLike": "type1 type2 from_ can_cast.to set_default_dtype.dtype astype.dtype",
    "DTypeLike | None": "dtype",
    "str":
        "method convolve.mode correlate.mode einsum.order casting order take.mode choose.mode pad.mode "
        "scatter_reduce.reduce scatter_reduce_.reduce reflect_type reduction approximate what unit label history.x",
    "str | None":
        "api_version device compute_mode UPLO driver fft.fft.norm ifft.norm rfft.norm irfft.norm fft2.norm ifft2.norm "
        "rfft2.norm irfft2.norm fftn.norm ifftn.norm rfftn.norm irfftn.norm side indexing reduce interpolation "
        "rounding_mode sparse_jacobian.mode primitive.name title",
    "Index": "index",
    "np.ufunc": "ufunc",
    "_F": "__call__.function checkpoint.function once_differentiable.function",
    "Any | None": "ax",
    "Callable[[], str] | None": "said",
    "Callable[..., Any]": "function func implicit_root.f fixed_point.g odeint.f primitive.forward",
    "Callable[..., _Y]": "functional.jvp.func",
    "Callable[[Tensor], Tensor | None]": "register_hook.hook",
    "Callable[[Tensor], None]": "register_post_accumulate_grad_hook.hook",
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
    "TensorLike | float | None": "cumulative_trapezoid.dx tol rcond pinv.rtol matrix_rank.rtol matrix_rank.atol",
    "float | str": "vector_norm.ord matrix_norm.ord",
    "float | str | None": "norm.p norm.ord cond.p",
    "int | Sequence[int] | Sequence[Sequence[int]]": "tensordot.axes",
    "int | Sequence[int] | Sequence[Sequence[int]] | None": "tensordot.dims",
    "Sequence[int] | None": "s",
    "str | TensorLike": "subscripts",
    "bool | str | Sequence[Any]": "optimize",
    "int | str": "trans",
    "float | None":
        "rms_norm.eps embedding.max_norm scale nn.pad.value total delay logit.eps period nan posinf neginf ddof correction",
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
    "float | Sequence[TensorLike]": "spacing",
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
    "Tensor":
        "clip_grad_norm_ Variable Complex.real Complex.imag Complex.abs Complex.__abs__ Complex.angle cdf sf logcdf logsf "
        "pdf logpdf pmf logpmf",
    "bool":
        "allclose equal gradcheck gradgradcheck is_grad_enabled is_inference_mode_enabled is_contiguous "
        "is_floating_point is_inference is_leaf requires_grad retains_grad __bool__ __contains__ array_equal can_cast is_complex "
        "is_nonzero is_same_size is_signed",
    "int": "dim ndim element_size itemsize nbytes _version __index__ __int__ __len__ numel __trunc__",
    "float": "__float__",
    "int | float": "item",
    "str": "Node.name Continuous.name Discrete.name to_dot",
    "None":
        "step add_param_group zero_grad load_state_dict clip_grad_value_ set_default_dtype backward retain_grad "
        "save_for_backward save_for_forward mark_dirty mark_non_differentiable set_materialize_grads remove __exit__ "
        "__setitem__ put_along_axis Tape.save explain",
    "Array": "numpy",
    "tuple[int, ...]": "broadcast_shapes shape Complex.shape",
    "tuple[int, int]": "__dlpack_device__",
    "tuple[Tensor, ...]":
        "unbind saved_tensors split chunk tensor_split hsplit vsplit dsplit unstack meshgrid broadcast_tensors "
        "unravel_index gradient",
    "tuple[tuple[Node | None, int], ...]": "next_functions",
    "tuple[_Y, _Y]": "functional.jvp",
    "Iterator[Tensor]": "__iter__",
    "Tensor | None": "Tensor.grad",
    "TypeIs[Tensor]": "is_tensor",
    "np.dtype[Any]": "promote_types result_type dtype get_default_dtype",
    "np.random.Generator": "manual_seed",
    "Device": "device",
    "Profile": "Tape.profile",
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
        "sparse_jacobian sparse_hessian LBFGS.step SGD.step Adam.step NAdam.step RAdam.step Adamax.step "
        "Adadelta.step Adagrad.step RMSprop.step ASGD.step Rprop.step tapegrad.hvp tolist apply "
        "__array_ufunc__ __dlpack__ fftshift ifftshift implicit_root fixed_point odeint "
        "Tape.__call__ forward tapegrad.call spy plot.history progress.bar",
    "tuple[Any, ...]": "tapegrad.jvp",
    "tuple[Any, Callable[..., Any]]": "linearize",
    "Callable[..., tuple[Callable[..., Any], Any]]": "make_vjp",
    "Callable[..., Callable[..., tuple[Any, Any]]]": "make_jvp",
    "SlogdetResult": "slogdet",
    "SVDFactors": "tapegrad.svd Tensor.svd",
    "LstsqResult": "lstsq",
    "AminmaxResult": "aminmax",
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
    "ValuesIndices": "mode sort topk kthvalue cummax cummin",
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

_SCIPYS = "*args: Any, **keywords: Any) -> Any"          # what else the SciPy takes that is there
_FROM_START = (f"(fun: Callable[..., Any], x0: Any, {_SCIPYS}",)

OVERLOADS = {
    "optimize.curve_fit": (f"(f: Callable[..., Any], xdata: Any, ydata: Any, {_SCIPYS}",),
    "optimize.least_squares": _FROM_START,
    "optimize.minimize": _FROM_START,
    "optimize.minimize_scalar": (f"(fun: Callable[..., Any], {_SCIPYS}",),
    "optimize.root": _FROM_START,
    "optimize.root_scalar": (f"(f: Callable[..., Any], {_SCIPYS}",),
    "tapegrad.max": _overloads(*_EXTREMUM, x="x: TensorLike"),
    "tapegrad.min": _overloads(*_EXTREMUM, x="x: TensorLike"),
    "Tensor.max": _overloads(*_EXTREMUM, x="self"),
    "Tensor.stride": ("(self, dim: None = None) -> tuple[int, ...]", "(self, dim: int) -> int"),
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
    "tapegrad.compile": ("(function: _F, *, paths: int = 16, tier: str | None = None) -> _F",
                         "(function: None = None, *, paths: int = 16, tier: str | None = None) -> Callable[[_F], _F]"),
    "tapegrad.vjp": (
        "(function: Callable[..., Any], *primals: Any, has_aux: Literal[False] = False) -> "
        "tuple[Any, Callable[..., tuple[Any, ...]]]",
        "(function: Callable[..., Any], *primals: Any, has_aux: Literal[True]) -> "
        "tuple[Any, Callable[..., tuple[Any, ...]], Any]"),
    "autograd.grad": _overloads(
        "({first}allow_unused: Literal[False] | None = None, is_grads_batched: bool = False, "
        "materialize_grads: bool = False) -> tuple[Tensor, ...]",
        "({first}allow_unused: bool | None = None, is_grads_batched: bool = False, *, "
        "materialize_grads: Literal[True]) -> tuple[Tensor, ...]",
        "({first}allow_unused: bool | None = None, is_grads_batched: bool = False, "
        "materialize_grads: bool = False) -> tuple[Tensor | None, ...]", first=_GRAD),
    "functional.jacobian": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> Tensor",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[Tensor, ...]",
        "(func: Callable[..., Sequence[Tensor]], inputs: Tensor, {more}) -> tuple[Tensor, ...]",
        "(func: Callable[..., Sequence[Tensor]], inputs: Sequence[Tensor], {more}) -> tuple[tuple[Tensor, ...], ...]",
        more=_VECTORIZE + ", strategy: str = 'reverse-mode'"),
    "functional.hessian": _overloads(
        "(func: Callable[..., Tensor], inputs: Tensor, {more}) -> Tensor",
        "(func: Callable[..., Tensor], inputs: Sequence[Tensor], {more}) -> tuple[tuple[Tensor, ...], ...]",
        more=_VECTORIZE + ", outer_jacobian_strategy: str = 'reverse-mode'"),
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
OVERRIDDEN = ("Function.forward", "Function.backward", "Function.setup_context",
              *[name for name in OVERLOADS if name.startswith("optimize.")])

# What object declares as well, what only raises an error, and NumPy's __array__: with it, NumPy's stubs would have it
# that array * tensor is an array, while it is a tensor
UNDECLARED = {"__annotate_func__", "__array__", "__array_function__", "__deepcopy__", "__format__", "__get__", "__getattr__",
              "__getstate__", "__init__", "__new__", "__reduce__", "__reduce_ex__", "__repr__", "__setstate__",
              "Function.__call__", "Tape.__str__", "Tape.batched", "Tape.enter", "Tape.forget", "Tape.replayed", "Tape.result",
              "Tape.run", "Tape.values"}
# What a checker objects to: object's comparisons give bools, arrays and lists have operators that would take a tensor
# (at run time the tensor's count), and a mode that decorates without parentheses gives a function
CONFLICTS = _by_name({
    "override": "Tensor.__eq__ Tensor.__ne__ Complex.__getitem__ Complex.__mul__ Complex.__rmul__ "
                "ReduceLROnPlateau.step",
    "misc": "Tensor.__ge__ Tensor.__gt__ Tensor.__radd__ Tensor.__rmul__ no_grad.__new__ enable_grad.__new__ "
            "inference_mode.__new__",
})

HIDING = ("tapegrad", "Tensor", "nn")        # where float, int and bool are other things
