"""What is known of compiled code on this machine, for ``python -m tapegrad info``."""
import contextlib
import os
import pathlib
import sys
import types

import llvmlite
import llvmlite.binding as llvm
import numba
from numba.core.caching import FunctionCache

from . import JIT, libmvec
from . import llvm as code
from .layout import layout

_TEXT = "define i64 @seven() {\n  ret i64 7\n}\n"


def versions():
    """Of Numba and what comes with it."""
    return {"numba": numba.__version__, "llvmlite": llvmlite.__version__, "LLVM": ".".join(map(str, llvm.llvm_version_info))}


def processor():
    """(the name that LLVM has for the processor, the names of its features)."""
    features = llvm.get_host_cpu_features() if hasattr(llvm, "get_host_cpu_features") else {}
    return llvm.get_host_cpu_name(), sorted(name for name, there in features.items() if there)


def vector_library():
    """Where vector functions come from: a sentence."""
    if libmvec.SYMBOLS:
        isa = libmvec.isa_of(code.target())
        count = sum(1 for symbol in libmvec.SYMBOLS if symbol.startswith(f"_ZGV{isa}"))
        return f"libmvec, {8 * libmvec.ISAS[isa]} bits at a time, {count} functions"
    if os.environ.get(libmvec.SWITCH) == "none":
        return f"none, as {libmvec.SWITCH} says; functions are computed one number at a time"
    return "none on this system; functions are computed one number at a time"


def machine_code():
    """Whether code can be made from LLVM's text and linked: "works", or why it does not."""
    if not JIT:
        return "off, as NUMBA_DISABLE_JIT says: everything runs as Python, slowly"
    try:
        code._linked(code._compiled(_TEXT, True), ["seven"], {})
    except Exception as error:               # whatever it is: this is where users come to see it
        return f"can't be made, so that recorded functions stay with the interpreter: {type(error).__name__}: {error}"
    return "works"


def entries():
    """Whether calls of compiled functions go to machine code at once: "yes", or what they do."""
    if JIT and layout() is not None:
        return "yes"
    return f"no, through Python: the layout of objects in this {sys.implementation.name} is not known" if JIT else "no"


def threads():
    """How many threads Numba's own parallel loops take."""
    return numba.config.NUMBA_NUM_THREADS


def kernel_folders():
    """Where compiled kernels are kept: a sorted list of folders; empty where nothing can be written."""
    package = pathlib.Path(__file__).parent.parent
    by_folder = {}
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package.name}."):
            for thing in list(vars(module).values()):
                if isinstance(thing, types.FunctionType):
                    by_folder.setdefault(pathlib.Path(thing.__code__.co_filename).parent, thing)
    found = set()
    for folder, function in by_folder.items():
        if folder == package or package in folder.parents:
            with contextlib.suppress(RuntimeError, OSError):             # no folder that can be written
                found.add(pathlib.Path(FunctionCache(function).cache_path))
    return sorted(found)


def code_folder():
    """Where machine code of recorded functions is kept."""
    return code._folder()
