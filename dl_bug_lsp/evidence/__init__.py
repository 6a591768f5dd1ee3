"""One module a source of evidence: failure and workspace in, scored places out."""
