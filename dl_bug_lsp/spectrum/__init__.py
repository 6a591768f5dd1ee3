"""Program spectra: what failing and passing runs execute, and how suspicious that makes code."""
