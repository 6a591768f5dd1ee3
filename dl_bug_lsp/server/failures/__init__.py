"""What the editor shows of failures: publications, their places, diagnostics, pages."""
