"""``python -m dl_bug_lsp``: the command line."""

import sys

if __name__ == "__main__":
    # -m puts the current folder first: a project's own yaml.py or json.py would be imported.
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]

    from dl_bug_lsp.cli.main import main

    sys.exit(main())
