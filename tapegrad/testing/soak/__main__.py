"""The command line of the soak, and its tables."""
import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile

from ...progress import bar
from . import APART, KINDS, SIZES, faults_of, soak
from . import __doc__ as about
from .sizes import measure

PART = 0.04                                  # of the time, for each kind that runs apart


def main(arguments=None):
    """Runs what the arguments say; gives the exit code."""
    parser = argparse.ArgumentParser("tapegrad.testing.soak", description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long all of it takes (60)")
    parser.add_argument("--only", metavar="NAME", action="append",
                        help=f"this kind alone, or this case of --sizes: {', '.join([*KINDS, *APART, *SIZES])}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", action="store_true", help="time and memory of large graphs, instead")
    parser.add_argument("--share", type=float, default=1.0, help="of the sizes' numbers (1)")
    parser.add_argument("--json", metavar="FILE", help="write the report there, too")
    parser.add_argument("--no-progress", action="store_true", help="no bar, even on a terminal")
    given = parser.parse_args(arguments)
    known = SIZES if given.sizes else {**KINDS, **APART}
    for name in given.only or ():
        if name not in known:
            parser.error(f"there is no {name!r}; there are {', '.join(known)}")
    report, wrong = (_sizes if given.sizes else _hour)(given, False if given.no_progress else None)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


# The hour -------------------------------------------------------------------------------------------------------------

def _hour(given, progress):
    chosen = {name: make for name, make in KINDS.items() if name in (given.only or KINDS)}
    apart = [name for name in APART if name in (given.only or APART)]
    if not chosen and len(apart) == 1:       # a process that runs it alone
        report = soak({apart[0]: APART[apart[0]]}, 60 * given.minutes, given.seed, progress)
        print(*_table(report), sep="\n")
        return report, faults_of(report, bounded=False)
    minutes = given.minutes * (1 - PART * len(apart) if chosen else 1)
    report = soak(chosen, 60 * minutes, given.seed, progress) if chosen else None
    wrong = faults_of(report) if chosen else []
    reports = {}
    for name in apart:
        reports[name] = _alone(["--only", name, "--minutes", str(given.minutes * (PART if chosen else 1 / len(apart))),
                                "--seed", str(given.seed)])
        wrong += [f"{name}: {line}" for line in reports[name]["wrong"]]
    if report:
        print(*_table(report), "", sep="\n")
    for other in reports.values():
        print("in a process of its own, no bound on memory:", *_table(other), "", sep="\n")
    return {"mixed": report, "apart": reports}, wrong


def _alone(arguments):
    """The report of a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report")
        done = subprocess.run([sys.executable, "-m", "tapegrad.testing.soak", *arguments, "--no-progress", "--json", path],
                              capture_output=True, text=True)
        if not os.path.exists(path):
            return {"wrong": [f"the process ended with {done.returncode}: {done.stderr.strip()[-2000:]}"], "kinds": []}
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def _table(report):
    """Lines of text."""
    yield (f"{'kind':20} {'rounds':>9} {'CPU s':>8} {'ms a round, first':>18} {'and last quarter':>17} {'KB a 1000':>10} "
           f"{'blocks a 1000':>14}")
    for row in report["kinds"]:
        early, late = ("-" if t is None else f"{1e3 * t:.3g}" for t in (row["first_quarter"], row["last_quarter"]))
        yield (f"{row['kind']:20} {row['rounds']:9} {row['seconds']:8.1f} {early:>18} {late:>17} "
               f"{row['bytes_per_1000'] / 1e3:10.1f} {row['blocks_per_1000']:14.0f}")
    if report.get("warm"):
        (size, blocks), (size_now, blocks_now), pools = report["warm"], report["end"], report["samples"][-1]
        yield (f"resident memory: {size / 1e6:.1f} MB in the first quarter after warming up, {size_now / 1e6:.1f} in the last; "
               f"blocks of Python's allocator: {blocks} and {blocks_now}")
        yield (f"pools at the end: {pools['pooled_bytes'] / 1e6:.1f} MB of arrays, {pools['pooled_buffers']:.0f} sets of "
               f"buffers, {pools['open_tapes']:.0f} open tapes")


# The sizes ------------------------------------------------------------------------------------------------------------

def _sizes(given, progress):
    names = [name for name in SIZES if name in (given.only or SIZES)]
    if len(names) == 1 and given.only:
        report = {"sizes": [measure(names[0], given.share)], "wrong": []}
        print(*_size_table(report["sizes"]), sep="\n")
        return report, []
    rows, wrong = [], []
    print(*_size_table([]), sep="\n")
    with bar("measuring", len(names), "cases", progress) as shown:
        for shown.done, name in enumerate(names):
            shown.said = functools.partial(str, name)
            report = _alone(["--sizes", "--only", name, "--share", str(given.share)])
            wrong += [f"{name}: {line}" for line in report["wrong"]]
            rows += report.get("sizes", [])
            if report.get("sizes"):
                print(*list(_size_table(report["sizes"]))[1:], sep="\n", flush=True)
    return {"sizes": rows, "wrong": wrong}, wrong


def _size_table(rows):
    yield f"{'case':26} {'number':>9} {'peak MB':>8} {'left MB':>8}  seconds of processors"
    for row in rows:
        parts = ", ".join(f"{part} {seconds:.2f}" for part, seconds in row["parts"].items())
        yield f"{row['case']:26} {row['number']:9} {row['peak'] / 1e6:8.0f} {row['after'] / 1e6:8.0f}  {parts}"


if __name__ == "__main__":
    sys.exit(main())
