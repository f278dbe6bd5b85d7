#!/bin/sh
# Emits the libraries, twice: as ES modules, and as CommonJS for Jest and whoever else requires them. Then bundles the command
# line: few files start faster than many, and what a command needs is split off, so that it is loaded only when that command
# runs; libraries are taken as ES modules, because those leave out what nobody asks for. Each dist/ is made anew, so that what
# a package ships is what its entry points reach, and nothing that once was.
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
# The process inside a real node's namespaces is a program of its own beside the command line: `inside.js`.
node_modules/.bin/esbuild main=packages/cli/src/main.ts inside=packages/node/src/inside/main.ts --bundle --splitting --platform=node --target=node20 --format=esm \
  --conditions=signalbox-source --outdir=packages/cli/dist/bundle --chunk-names=chunk-[hash] --minify-syntax --minify-whitespace --line-limit=240 --log-level=warning \
  --define:__SIGNALBOX_COMMIT__="\"$commit\"" \
  --main-fields=module,main --external:lmdb --external:undici \
  --metafile=node_modules/.cache/bundle.json \
  --banner:js="import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
node --import tsx tools/notices.ts node_modules/.cache/bundle.json packages/cli/dist
cp LICENSE packages/cli/LICENSE
