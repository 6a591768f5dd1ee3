import sys

import nbformat
from nbclient import NotebookClient

nb = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(nb, timeout=120, kernel_name="python3").execute()
for cell in nb.cells:
    for out in cell.get("outputs", []):
        if out.output_type == "stream":
            print(out.text, end="")
print("executed", sys.argv[1])
