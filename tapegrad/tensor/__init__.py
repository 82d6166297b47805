"""The façade: the Tensor, its operations, and how they are recorded."""
