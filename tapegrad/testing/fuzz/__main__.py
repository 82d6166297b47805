"""``python -m tapegrad.testing.fuzz``: see the folder's docstring. Prints faults as they are found, then counts."""
import argparse
import contextlib
import faulthandler
import importlib
import json
import os
import pathlib
import random
import sys
import tempfile

from . import fuzz
from .kinds import KINDS


def bar(seconds, wanted):
    """A function of seconds that have passed, which moves a bar of tqdm's, if that is installed and somebody looks on; and what
    closes it."""
    if not (wanted and sys.stderr.isatty()):
        return None, lambda: None
    try:
        made = importlib.import_module("tqdm").tqdm(total=seconds, desc="fuzzing", unit="s", leave=False,
                                                    bar_format="{desc} {percentage:3.0f}%|{bar}| {n:.0f}/{total:.0f} s")
    except ImportError:
        return None, lambda: None
    return made.update, made.close


def main(arguments=None):
    parser = argparse.ArgumentParser("python -m tapegrad.testing.fuzz", description="Draws programs, runs them in every way, and "
                                     "compares.")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to go on (60)")
    parser.add_argument("--seed", help="draws the same programs again; a new one by default, which is printed")
    parser.add_argument("--only", action="append", default=[], metavar="KIND", help="programs of this kind: " + ", ".join(KINDS)
                        + "; may be given twice; KIND/NUMBER is one program")
    parser.add_argument("--shrinking", type=float, default=60.0, metavar="SECONDS", help="to make a failing program smaller (60)")
    parser.add_argument("--progress", action=argparse.BooleanOptionalAction, default=True, help="a bar, on a terminal")
    parser.add_argument("--json", action="store_true", help="counts and faults as JSON, and nothing else on standard output")
    options = parser.parse_args(arguments)
    seed = str(random.SystemRandom().randrange(10 ** 6)) if options.seed is None else options.seed
    with contextlib.suppress(OSError):       # standard error may be no file
        faulthandler.enable()
    file = pathlib.Path(tempfile.gettempdir()) / f"tapegrad-fuzz-{os.getpid()}.py"
    print(f"seed {seed}; if this crashes, the program is in {file}", file=sys.stderr, flush=True)
    tick, close = bar(options.seconds, options.progress)

    def tell(found):
        start, only = found.seed.split("/", 1)
        print(f"\nFault: --seed {start} --only {only}\n{found.text}", file=sys.stderr if options.json else sys.stdout, flush=True)
    try:
        faults, count = fuzz(options.seconds, seed, options.only, shrinking=options.shrinking, found=tell,
                             current=file.write_text, tick=tick)
    except ValueError as error:
        parser.error(str(error))
    finally:
        close()
        file.unlink(missing_ok=True)
    if options.json:
        print(json.dumps({"seed": seed, **count.as_dict(), "faults": [found._asdict() for found in faults]}, indent=1))
    else:
        print(f"{count.table()}\n{len(faults)} faults, seed {seed}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
