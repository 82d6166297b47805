"""What the pictures have in common: matplotlib, imported when the first is drawn, and the axes to draw on."""
import importlib

INK, QUIET = "#1f2933", "#9aa5b1"            # of text, and of frames and grids
SURFACE = "#ffffff"
# Colours of curves, in this order, which readers with a colour-vision deficiency tell apart, too
CURVES = ("#2563a8", "#d9822b", "#2f8f5b", "#b4447c", "#7a5cc2", "#7f6a3f")


def axes_or_new(ax, size):
    """The given axes, or those of a new figure of that size in inches. ImportError where matplotlib is missing."""
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError("tapegrad.plot draws with matplotlib, which is not installed; install it by "
                          "pip install 'tapegrad[plot]'") from error
    if ax is not None:
        return ax
    _, ax = pyplot.subplots(figsize=size, layout="constrained")
    return ax


def finish(ax, title, across, up):
    """Labels, and a quiet frame."""
    if title:
        ax.set_title(title, color=INK, fontsize=11, loc="left")
    ax.set_xlabel(across, color=INK)
    ax.set_ylabel(up, color=INK)
    ax.tick_params(colors=INK, labelsize=9)
    for spine in ax.spines.values():
        spine.set_color(QUIET)
    return ax
