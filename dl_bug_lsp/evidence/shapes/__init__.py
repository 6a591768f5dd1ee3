"""Shapes of tensors along the failing path, with the expression that made each dimension."""
