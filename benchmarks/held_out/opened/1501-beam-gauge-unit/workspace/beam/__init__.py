"""Physics-informed identification of a clamped beam's bending stiffness."""
