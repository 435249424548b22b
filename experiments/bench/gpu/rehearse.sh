#!/usr/bin/env bash
# Run all four parts of the check in a copy of the checkout, with neither Go nor the module cache in reach. A machine
# with a GPU is like that. PLUGIN is XLA's processor plugin, BUNDLE the bundle.
set -euo pipefail
root=$(git rev-parse --show-toplevel)
temp=$(mktemp -d); trap 'rm -rf "$temp"' EXIT
mkdir -p "$temp/checkout" "$temp/home" "$temp/tmp" "$temp/cache/xla"
git -C "$root" ls-files -z | (cd "$root" && xargs -0 tar -cf - --) | tar -xf - -C "$temp/checkout"
mkdir -p "$temp/checkout/out"
cp -r "$BUNDLE" "$temp/checkout/out/gpu-bundle"
ln -s "$PLUGIN" "$temp/cache/xla/"
cd "$temp/checkout"
for part in a b c d; do
	env -i PATH=/usr/bin:/bin HOME="$temp/home" TMPDIR="$temp/tmp" GOPHE_CACHE="$temp/cache" GOPHE_CHECK_BACKEND=xla:cpu GOPHE_CHECK_SIZE=tiny \
		OUT="out/gpu/$part" bash out/gpu-bundle/check.sh $part
done
# Only rivals may be skipped. The other steps must end well, and their scores agree; a call may leave eight files.
python3 - <<'PYTHON'
import glob, json, os
lines = [json.loads(line) for path in sorted(glob.glob("out/gpu/*/*.jsonl")) for line in open(path)]
rivals = ("jax", "torch")
bad = [l for l in lines if not l["step"].startswith(rivals) and (
    l["status"] != "ok" or l.get("failed") or l.get("passed") == 0 or l["step"].startswith("gophe") and not l["scores"].startswith("agree"))]
bad += [l for l in lines if l["step"].startswith(rivals) and l["status"] not in ("ok", "skipped")]
for line in bad:
    print(json.dumps(line, indent=1))
files = {part: sum(len(names) for _, _, names in os.walk(os.path.join("out", "gpu", part))) for part in "abcd"}
print(f"{len(lines)} steps, {len(bad)} bad; files by part: {files}")
raise SystemExit(1 if bad or len(lines) < 12 or max(files.values()) > 8 else 0)
PYTHON
