"""Evidence for bug reports: what a report says against what every file of the workspace holds."""
