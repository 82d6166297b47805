"""Optimizers with PyTorch's names, settings and numbers."""
from ..nn.utils import clip_grad_norm_, clip_grad_value_
from . import lr_scheduler
from .lbfgs import LBFGS
from .methods import SGD, Adagrad, Adam, AdamW, NAdam, RMSprop, Rprop
from .optimizer import Optimizer

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "NAdam", "Optimizer", "RMSprop", "Rprop", "clip_grad_norm_",
           "clip_grad_value_", "lr_scheduler"]
