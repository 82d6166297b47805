"""Machine code from LLVM's text, and its cache on disk."""
import contextlib
import functools
import hashlib
import json
import os
import pathlib

import llvmlite.binding as llvm
import numba
from numba.core.registry import cpu_target
from numba.misc.appdirs import AppDirs

from . import disk, libmvec
from .locks import lock, uninterrupted

MOST_BYTES = 256 << 20                       # of cached machine code
_lock = lock(reentrant=True)                 # one compilation at a time: LLVM's own threads would share one context


class Code:
    """Machine code: `addresses` of its functions by name, and `facts` that were kept with it."""

    def __init__(self, engine, names, facts):
        self._engine = engine                # the code lives as long as it does
        self.addresses = {name: engine.get_function_address(name) for name in names}
        self.facts = facts


@functools.cache
def target():
    """What machine code is made for: a triple, a processor, its features."""
    return cpu_target.target_context.codegen().magic_tuple()


@functools.cache
def register_bytes():
    """Bytes of the widest vector that libmvec's functions, where they are there, and the processor work on."""
    if libmvec.SYMBOLS:
        return libmvec.ISAS[libmvec.isa_of(target())]
    return 32 if "+avx2" in target()[2].split(",") else 16


def machine_code(key, make, prepare):
    """The :class:`Code` for a key, from disk or made: ``make()`` gives LLVM's text, names of functions, facts (JSON), and whether
    LLVM's passes over it are worth their time. What is found on disk is linked after ``prepare(facts)``."""
    stamp = _stamp(key)
    kept = _read(stamp)
    with _lock, uninterrupted():
        if kept is not None:
            try:
                prepare(kept[0]["facts"])
                return _linked(kept[1], kept[0]["names"], kept[0]["facts"])
            except Exception:                # it can't be linked here: make it again
                pass
        text, names, facts, passes = make()
        code = _compiled(text, passes)
        _write(stamp, {"names": list(names), "facts": facts}, code)
        return _linked(code, names, facts)


def is_kept(key):
    """Whether the code for a key is on disk."""
    return os.path.exists(_folder() / _stamp(key))


def _stamp(key):
    facts = key, llvm.llvm_version_info, libmvec.FINGERPRINT, register_bytes(), target()
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def _machine(level):
    triple, cpu, features = target()
    reloc = "pic" if triple.startswith("x86") else "default"             # elsewhere as Numba does
    return llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features, opt=level, reloc=reloc,
                                                                 codemodel="jitdefault", jit=True)


def _compiled(text, passes):
    """The object file of a module in LLVM's text."""
    machine = _machine(2 if passes else 1)
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    if passes:
        with llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()) as builder:
            manager = llvm.create_new_module_pass_manager()
            manager.add_instruction_combine_pass()       # LLVM's whole pipeline makes nothing faster that is written as here,
            manager.add_simplify_cfg_pass()              # takes twice as long and leaves 0.3 MB behind each time
            manager.run(module, builder)
    return machine.emit_object(module)


def _linked(code, names, facts):
    module = llvm.parse_assembly("")
    engine = llvm.create_mcjit_compiler(module, _machine(0))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return Code(engine, names, facts)


# The cache ------------------------------------------------------------------------------------------------------------

def _folder():
    chosen = numba.config.CACHE_DIR or AppDirs("tapegrad", appauthor=False).user_cache_dir
    return pathlib.Path(chosen) / "tapegrad-machine"


def _read(stamp):
    """What is kept, and the code; None where there is none, or it is damaged."""
    try:
        content = disk.unsealed((_folder() / stamp).read_bytes())
    except OSError:
        return None
    if content is None:
        return None
    with contextlib.suppress(OSError):
        os.utime(_folder() / stamp)          # for those used last
    head, _, code = content.partition(b"\n")
    return json.loads(head), code


def _write(stamp, kept, code):
    """A cache that can't be written is no reason to fail."""
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        _prune(folder)
        disk.write(folder / stamp, disk.sealed(json.dumps(kept).encode() + b"\n" + code))


def _prune(folder):
    """Removes what was not used for the longest time, where there is too much."""
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):           # another process has removed it
                files.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
    excess = sum(size for _, size, _ in files) - MOST_BYTES
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        with contextlib.suppress(OSError):
            os.remove(path)
        excess -= size
