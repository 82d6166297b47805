"""The Monte Carlo greeks of :mod:`tapegrad.examples.greeks`, computed by the processes of a Dask cluster.

::

    python -m tapegrad.examples.distributed         # needs dask and distributed: pip install 'tapegrad[dask]'
    python -m tapegrad.examples.distributed --paths 100000 --workers 4

The gradient of a path, compiled and mapped over paths, is pickled and sent to every worker once, where it is recorded and
replayed. Each part of the paths is a task, with random numbers of its own, whose moments are sent back. The numbers are those
of ``python -m tapegrad.examples.greeks``, to rounding.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import operator
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from tapegrad.examples import greeks
from tapegrad.examples.progress import progress

__all__ = ["main", "simulate", "spread"]


def spread(client: Any) -> Any:
    """Sends the compiled gradients to every worker of the cluster that a ``distributed.Client`` is connected to, and has them
    recorded there; gives the future that stands for them."""
    steps = [greeks.gradients_of_paths(average) for average in greeks.PAYOFFS.values()]
    (everywhere,) = client.scatter([steps], broadcast=True, hash=False)
    client.gather([client.submit(_part, everywhere, 4, 0, workers=[worker], pure=False) for worker in client.nthreads()])
    return everywhere


def simulate(client: Any, steps: Any, paths: int, seed: int, show: bool = False) -> greeks.Moments:
    """The moments of so many paths; `steps`: what :func:`spread` gives."""
    parts = [client.submit(_part, steps, *part, pure=False) for part in greeks.batches(paths, seed)]
    tasks = [(f"batch {k}", part) for k, part in enumerate(parts, 1)]
    return functools.reduce(operator.add, [part.result() for part in progress(tasks, show, "waiting for")])


def _part(steps: Any, paths: int, seed: Any) -> greeks.Moments:
    return greeks.simulate(steps, greeks.MARKET, paths, seed)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; returns the exit code, 2 where Dask is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m tapegrad.examples.distributed",
        description="Value three calls and their greeks by Monte Carlo on a Dask cluster of this computer's.",
    )
    parser.add_argument("--workers", type=int, default=2, help="processes of the cluster (default: 2)")
    options = greeks.arguments(parser, argv)
    if options.workers < 1:
        parser.error(f"--workers must be at least 1, not {options.workers}")
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        print("this example needs dask and distributed: pip install 'tapegrad[dask]'", file=sys.stderr)
        return 2
    with (
        distributed.LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        steps = spread(client)
        began = perf_counter()
        moments = simulate(client, steps, options.paths, options.seed, not options.quiet)
        print(greeks.report(moments, perf_counter() - began))
    return 0


if __name__ == "__main__":
    sys.exit(main())
