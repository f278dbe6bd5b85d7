#!/bin/sh
# Type-checks and emits the packages, then bundles the command line: few files start faster than many, and what a command
# needs is split off, so that it is loaded only when that command runs.
set -eu
cd "$(dirname "$0")/.."
node node_modules/typescript-7/bin/tsc -b packages/cli
rm -rf packages/cli/dist/bundle
node_modules/.bin/esbuild packages/cli/src/main.ts --bundle --splitting --platform=node --target=node20 --format=esm \
  --conditions=source --outdir=packages/cli/dist/bundle --chunk-names=chunk-[hash] --minify-syntax --log-level=warning \
  --external:lmdb --external:@peculiar/x509 --external:reflect-metadata --external:undici \
  --banner:js="import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
