#!/bin/sh
# Lint and types in the moments in which tests wait: both cores have work until the end. What lint or the compiler says comes after the tests.
cd "$(dirname "$0")/.." || exit 1
said=$(mktemp)
trap 'rm -f "$said"' EXIT
nice -n 19 sh -c 'npm run --silent lint && npm run --silent typecheck' >"$said" 2>&1 &
beside=$!
# Larger new generations: what a test makes is mostly gone before it would be copied.
node --max-semi-space-size=32 node_modules/vitest/vitest.mjs run --project unit --project scenarios "$@"
tests=$?
if wait "$beside"; then exit "$tests"; fi
cat "$said"
exit 1
