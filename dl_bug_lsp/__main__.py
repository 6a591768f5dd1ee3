"""``python -m dl_bug_lsp``: the command line."""

import sys

from dl_bug_lsp.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
