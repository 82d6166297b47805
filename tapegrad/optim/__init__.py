"""Optimizers with PyTorch's names, settings and numbers."""
from ..nn.utils import clip_grad_norm_, clip_grad_value_
from . import lr_scheduler
from .lbfgs import LBFGS
from .methods import ASGD, SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, NAdam, RAdam, RMSprop, Rprop
from .optimizer import Optimizer

__all__ = ["ASGD", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop",
           "Rprop", "clip_grad_norm_", "clip_grad_value_", "lr_scheduler"]
