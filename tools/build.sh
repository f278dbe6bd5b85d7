#!/bin/sh
# Type-checks and emits the packages, then bundles the command line into one file, which starts faster than many.
set -eu
cd "$(dirname "$0")/.."
node node_modules/typescript-7/bin/tsc -b packages/cli
node_modules/.bin/esbuild packages/cli/src/main.ts --bundle --platform=node --target=node20 --format=esm \
  --conditions=source --outfile=packages/cli/dist/main.js --allow-overwrite --log-level=warning \
  --external:lmdb --external:@peculiar/x509 --external:reflect-metadata --external:undici \
  --banner:js="import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"
