"""Fails where recording, sweeping, replay or native code has become much slower, in half a minute, on a busy machine too.

    python asv_benchmarks/quick_check.py             compares with the references in quick_check.json
    python asv_benchmarks/quick_check.py --renew     measures the references of this processor and Python, and writes them there
    python asv_benchmarks/quick_check.py --prove     makes everything 1.3 times slower, and fails unless that is noticed

What is compared are ratios of times to those of loops of the same nature in the same run, see ratios.py. A ratio is made of the
fastest of some hundred rounds on either side; where one is over its limit, other processes measure again, and the lowest counts:
noise only adds to a time, and a regression is in all of them. In 12 runs beside ten other busy processes on two cores, ratios
differed by at most 4 % from their median.

References belong to a processor, as LLVM names it, and a version of Python. Where there are none for this machine, those of the
most similar one are taken, and the limits are wide, to show only gross faults; --renew adds them.
"""
import argparse
import difflib
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
REFERENCES = HERE / "quick_check.json"
LIMIT = 1.15                                 # above the noise of 1.04 and well below 1.3
WIDE = 1.6                                   # on machines without references: processors differ in what calls and memory cost
PROCESSES = 4                                # that measure at most
RENEWING = 5                                 # whose median becomes the reference
SLOWDOWN = 1.3                               # that has to be noticed


def machine():
    """The processor and the version of Python, as references are found by."""
    from llvmlite import binding
    return f"{binding.get_host_cpu_name()}, Python {sys.version_info.major}.{sys.version_info.minor}"


def references(known, here):
    """(the ratios for a machine, whose they are, their limit): its own if there are any, else those of the most similar name."""
    if here in known:
        return known[here], here, LIMIT
    nearest = difflib.get_close_matches(here, known, 1, 0.0)[0]
    return known[nearest], nearest, WIDE


def judged(found, ratios, limit):
    """Lines of (name, lowest ratio, reference, limit, whether that is kept), for what several processes have found."""
    missing = sorted(set(ratios) ^ set(found[0]))
    if missing:
        raise SystemExit(f"measured and reference ratios differ in {', '.join(missing)}: renew them, with --renew")
    lowest = {name: min(one[name] for one in found) for name in ratios}
    return [(name, lowest[name], reference, limit * reference, lowest[name] <= limit * reference)
            for name, reference in ratios.items()]


def check(measure, ratios, limit, processes=PROCESSES):
    """What `judged` gives for as many calls of ``measure()`` as it takes to keep all limits, and their number."""
    found = []
    while True:
        found.append(measure())
        lines = judged(found, ratios, limit)
        if len(found) == processes or all(line[-1] for line in lines):
            return lines, len(found)


def measured(*options):
    """{name: ratio}, of a new process: where things lie in memory makes a difference, too."""
    done = subprocess.run([sys.executable, HERE / "ratios.py", *options], check=True, stdout=subprocess.PIPE, text=True)
    return {name: numbers[0] for name, numbers in json.loads(done.stdout).items()}


def table(lines):
    rows = [f"{name:22} {ratio:8.3f} {reference:10.3f} {most:8.3f} {ratio / reference:9.2f}  {'ok' if kept else 'TOO SLOW'}"
            for name, ratio, reference, most, kept in lines]
    return "\n".join([f"{'':22} {'ratio':>8} {'reference':>10} {'limit':>8} {'by':>9}", *rows])


def renew(known, here):
    found = [measured() for _ in range(RENEWING)]
    known[here] = {name: round(statistics.median(one[name] for one in found), 3) for name in found[0]}
    REFERENCES.write_text(json.dumps(known, indent=4, sort_keys=True) + "\n")
    print(f"{here}:", *(f"{name} {ratio}" for name, ratio in known[here].items()), sep="\n    ")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--renew", action="store_true", help="write the references of this processor and Python")
    what.add_argument("--prove", action="store_true", help=f"see that a slowdown of {SLOWDOWN} is noticed in everything")
    given = parser.parse_args(arguments)
    known, here = json.loads(REFERENCES.read_text()) if REFERENCES.exists() else {}, machine()
    if given.renew:
        return renew(known, here)
    ratios, whose, limit = references(known, here)
    print(f"references of {whose}" if whose == here else f"no references of {here}: those of {whose}, with wide limits")
    if given.prove:
        ratios, limit = measured() if whose != here else ratios, LIMIT
        lines, _ = check(lambda: measured("--slowdown", str(SLOWDOWN)), ratios, limit, 1)
        print(table(lines))
        return f"not noticed: {', '.join(line[0] for line in lines if line[-1])}" if any(line[-1] for line in lines) else None
    lines, count = check(measured, ratios, limit)
    print(table(lines))
    print(f"measured by {count} process{'es' if count > 1 else ''}")
    return None if all(line[-1] for line in lines) else "slower than the references allow"


if __name__ == "__main__":
    sys.exit(main())
