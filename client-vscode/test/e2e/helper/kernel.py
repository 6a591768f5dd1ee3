"""Runs cells for the test's kernel: a JSON string in a line, what came of it in a line."""

import io
import json
import sys
from contextlib import redirect_stdout

from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="Linux")
sys.path.insert(0, "")
answers = sys.stdout

for line in sys.stdin:
    told = {}

    def show(etype, evalue, stb, told=told):
        """Keep what a notebook's error output says."""
        told.update(name=etype.__name__, message=str(evalue), stack="\n".join(stb))

    shell._showtraceback = show
    printed = io.StringIO()
    with redirect_stdout(printed):
        result = shell.run_cell(json.loads(line), store_history=True)
    answer = {"count": result.execution_count, "printed": printed.getvalue(), "error": told or None}
    print(json.dumps(answer), file=answers, flush=True)
