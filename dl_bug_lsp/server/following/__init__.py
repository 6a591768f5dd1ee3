"""What is followed on disk while the editor is open: logs and spectra."""
