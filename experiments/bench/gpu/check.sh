#!/usr/bin/env bash
# Check the program on this machine's GPU: check.sh a|b|c|d [WORD…], from the root of a checkout. README.md explains
# each part. With words, only steps whose names hold one of them run. The script needs only bash and Python.
set -euo pipefail
bundle=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=${TMPDIR:-/tmp}/gophe-gpu-$(id -u)
python3 "$bundle/unpack.py" "$bundle/programs.tar.xz" "$programs"
export GOPHE_PROGRAMS=$programs OUT=${OUT:-out/gpu} PHE_DATA=${PHE_DATA:-$PWD/data/uci} PYTHONUNBUFFERED=1
exec python3 "$bundle/check.py" "$@"
