"""Where a value comes from: slices and constant evaluation without running anything."""
