import sys
import nbformat
from nbclient import NotebookClient

path = sys.argv[1]
nb = nbformat.read(path, as_version=4)
client = NotebookClient(nb, timeout=50, kernel_name="python3", resources={"metadata": {"path": "."}})
try:
    client.execute()
    print("executed", path)
finally:
    nbformat.write(nb, path)
