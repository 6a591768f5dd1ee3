"""Execute a notebook top to bottom and echo what its cells print."""
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main(path):
    path = Path(path)
    nb = nbformat.read(path, as_version=4)
    client = NotebookClient(nb, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}})
    try:
        client.execute()
    finally:
        for i, cell in enumerate(nb.cells):
            for out in cell.get("outputs", []):
                if out["output_type"] == "stream":
                    print(f"[cell {i}] {out['text'].rstrip()}")
        nbformat.write(nb, path.with_suffix(".out.ipynb"))


if __name__ == "__main__":
    main(sys.argv[1])
