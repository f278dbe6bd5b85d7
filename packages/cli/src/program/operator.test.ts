import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

let io: TestIo;
beforeEach(async () => {
  io = await createTestIo();
});
afterEach(() => io.remove());

test.each([
  [['--namespace', 'UPPER'], "argument 'UPPER' is invalid. It must be the name of a namespace"],
  [['--namespace', 'a', '--namespace', 'b,c'], "argument 'b,c' is invalid"],
  [['--lease-namespace', 'a/b'], "argument 'a/b' is invalid"],
  [['--kubelet-service', 'kubelet'], 'It must be a namespace and a name'],
  [['--namespace', 'a', '--namespace', 'b', '--kubelet-service', 'c/kubelet'], 'add --namespace c'],
  [['--once'], '--once needs --dry-run'],
  [['--listen', ':0', '--tls-cert-file', 'x'], '--tls-cert-file and --tls-private-key-file go together'],
  [['--metrics-token-file', 'x'], 'need --listen'],
  [['--dry-run', '--install-crds'], 'cannot be used with'],
])('%j is refused before anything is asked', async (args, message) => {
  expect(await run(['operator', ...args], io)).not.toBe(0);
  expect(io.err()).toContain(message);
});
