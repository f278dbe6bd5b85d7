#!/bin/sh
# Emits the libraries, twice: as ES modules, and as CommonJS for Jest and whoever else requires them. Then bundles the command
# line. Each dist/ is made anew, so that what a package ships is what its entry points reach, and nothing that once was.
set -eu
cd "$(dirname "$0")/.."
tsc="node node_modules/typescript-7/bin/tsc"

for library in cluster telemetry; do
  dist=packages/$library/dist
  rm -rf "$dist"
  $tsc -p packages/$library
  node --import tsx tools/commonjs.ts "$dist"
  cp LICENSE packages/$library/LICENSE
done

$tsc -p packages/cli
rm -rf packages/cli/dist
# For --version; a copy without git does without.
commit=$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || true)
mkdir -p node_modules/.cache
node --import tsx tools/bundle.ts "$commit" packages/cli/dist/bundle node_modules/.cache/bundle.json
node --import tsx tools/notices.ts node_modules/.cache/bundle.json packages/cli/dist
cp LICENSE packages/cli/LICENSE
