"""What ``python -m tapegrad info`` and ``cache`` print: this installation, the machine, and what is kept on disk."""
import contextlib
import importlib.metadata
import os
import pathlib
import platform
import sys
import sysconfig
import tempfile

import numpy as np
import scipy

from . import __version__
from ._jit import about
from .replay import threads

OPTIONAL = ("matplotlib", "tqdm", "distributed", "threadpoolctl")
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHON_GIL", "PYTHONOPTIMIZE", "XDG_CACHE_HOME")
PREFIXES = ("TAPEGRAD_", "NUMBA_", "LLVMLITE_")


def information():
    """All of it, as dictionaries of strings, numbers and lists, which JSON takes.

    >>> from tapegrad.information import information
    >>> list(information())
    ['versions', 'machine', 'compiled code', 'caches', 'threads', 'environment']
    """
    return {"versions": _versions(), "machine": _machine(), "compiled code": _compiled(), "caches": caches(),
            "threads": _threads(), "environment": _environment()}


def _versions():
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    python = f"{platform.python_implementation()} {platform.python_version()}{', free-threaded' if free else ''}"
    found = {"tapegrad": __version__, "Python": python, "numpy": np.__version__, "scipy": scipy.__version__, **about.versions()}
    for name in OPTIONAL:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _machine():
    name, features = about.processor()
    return {"platform": platform.platform(), "architecture": platform.machine(), "processor": name, "features": features}


def _compiled():
    return {"vector library": about.vector_library(), "machine code": about.machine_code(), "direct calls": about.entries()}


def _threads():
    return {"processors": os.cpu_count(), "of this process": threads.processors(), "batches": threads.most(),
            "Numba": about.threads()}


def _environment():
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith(PREFIXES) or name in VARIABLES}


# Caches ---------------------------------------------------------------------------------------------------------------

def _kept():
    """[(what, folder, files in it that are tapegrad's)]"""
    from . import native  # noqa: F401 - has kernels, too, and is imported when it is needed
    folders = about.kernel_folders()
    kernels = [("kernels", folder, sorted(folder.glob("tapegrad-*.nb[ic]"))) for folder in folders]
    folder = about.code_folder()
    return [*([entry for entry in kernels if entry[2]] or kernels[:1]),
            ("machine code", folder, sorted(path for path in folder.glob("*") if path.is_file()))]


def caches():
    """What is kept on disk: a list of folders with the number of files, their bytes, and whether more can be written."""
    found = []
    for what, folder, files in _kept():
        nbytes = 0
        for path in files:
            with contextlib.suppress(OSError):           # another process may have removed it
                nbytes += path.stat().st_size
        found.append({"of": what, "folder": str(folder), "files": len(files), "bytes": nbytes, "writable": writable(folder)})
    if not any(entry["of"] == "kernels" for entry in found):
        found.insert(0, {"of": "kernels", "folder": None, "files": 0, "bytes": 0, "writable": False})
    return found


def writable(folder):
    """Whether a file can be made in a folder, or in the nearest above it that is there."""
    folder = pathlib.Path(folder)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def clear():
    """Removes what is kept on disk, and gives the number of files and bytes. What is compiled already goes on working.

    Derivatives of a user's functions under ``numba.njit(cache=True)`` stay, beside those functions in __pycache__.
    """
    count = nbytes = 0
    for _, _, files in _kept():
        for path in files:
            with contextlib.suppress(OSError):
                size = path.stat().st_size
                path.unlink()
                count, nbytes = count + 1, nbytes + size
    return count, nbytes


# Text -----------------------------------------------------------------------------------------------------------------

def text(found):
    """What `information` gives, to read."""
    lines = []
    for title, facts in found.items():
        lines.append(f"{title}:")
        if title == "caches":
            lines += cache_lines(facts)
        else:
            width = max(map(len, facts), default=0)
            lines += [f"    {name:{width}}  {_said(value, 6 + width)}" for name, value in facts.items()] or ["    nothing set"]
    return "\n".join(lines)


def cache_lines(found):
    """What `caches` gives, to read."""
    lines = []
    for entry in found:
        if entry["folder"] is None:
            lines.append("    kernels: no folder can be written, so every process compiles for itself; NUMBA_CACHE_DIR names one")
            continue
        note = "" if entry["writable"] else ", NOT WRITABLE"
        lines.append(f"    {entry['of']}: {entry['files']} files, {entry['bytes'] / 1e6:.1f} MB{note}, in {entry['folder']}")
    return lines


def _said(value, margin):
    """A value; a list in lines of some 100 letters."""
    if not isinstance(value, list):
        return str(value)
    lines = [""]
    for word in value:
        if len(lines[-1]) + len(word) > 100:
            lines.append("")
        lines[-1] += f"{word} "
    return ("\n" + " " * margin).join(line.rstrip() for line in lines)


def main(arguments=None):
    """The command line; gives the exit status."""
    import argparse
    parser = argparse.ArgumentParser(prog="python -m tapegrad", description="Tells about this installation of tapegrad.", epilog=(
        "Other programs, which tell more with --help: python -m tapegrad.examples.NAME; python -m tapegrad.ops, the table of "
        "operations; python -m tapegrad.testing.fuzz, random programs; python -m tapegrad.testing.soak, an hour of work"))
    commands = parser.add_subparsers(dest="command", title="commands")
    info = commands.add_parser("info", help="print versions, processor, vector library, caches, threads, environment variables")
    info.add_argument("--json", action="store_true", help="print it as JSON")
    cache = commands.add_parser("cache", help="print what compiled code is kept on disk, and where")
    cache.add_argument("--clear", action="store_true", help="remove it; it is compiled again when it is needed")
    given = parser.parse_args(arguments)
    try:
        _run(given, parser)
        sys.stdout.flush()
    except BrokenPipeError:                  # a reader that had enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _run(given, parser):
    import json
    if given.command == "info":
        found = information()
        print(json.dumps(found, indent=4) if given.json else text(found))
    elif given.command == "cache" and given.clear:
        count, nbytes = clear()
        print(f"removed {count} files, {nbytes / 1e6:.1f} MB")
    elif given.command == "cache":
        print("\n".join(cache_lines(caches())))
    else:
        parser.print_help()
