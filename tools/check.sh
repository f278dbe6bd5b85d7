#!/bin/sh
# Lint and types beside the tests: both cores have work until the end. What lint or the compiler says comes after the tests.
cd "$(dirname "$0")/.." || exit 1
said=$(mktemp)
trap 'rm -f "$said"' EXIT
{ npm run --silent lint && npm run --silent typecheck; } >"$said" 2>&1 &
beside=$!
node_modules/.bin/vitest run --project unit --project scenarios "$@"
tests=$?
if wait "$beside"; then exit "$tests"; fi
cat "$said"
exit 1
