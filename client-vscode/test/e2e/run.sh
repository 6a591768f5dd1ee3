#!/usr/bin/env bash
# The extension in a real VS Code workbench, from a bare machine: run.sh FOLDER (kept for the next time).
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
CLIENT=$(cd "$HERE/../.." && pwd)
"$HERE/setup.sh" "$1"
HOME_OF_TESTS=$(cd "$1" && pwd)
export PATH=$HOME_OF_TESTS/node:$PATH
(cd "$HERE/helper" && node "$CLIENT/node_modules/@vscode/vsce/vsce" package --no-dependencies \
  --allow-missing-repository --skip-license -o "$HOME_OF_TESTS/helper.vsix" >/dev/null)
DL_BUG_TEST_HOME=$HOME_OF_TESTS node --test --test-reporter=spec "$HERE"/*.test.mjs || failed=1
printf '%ds for everything\n' "$SECONDS"
exit "${failed:-0}"
