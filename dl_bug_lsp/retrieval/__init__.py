"""Text retrieval: terms of code and prose, documents as term counts, rVSM and BM25."""
