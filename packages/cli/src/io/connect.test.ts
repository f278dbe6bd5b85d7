import { mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createTestIo, type TestIo } from '../testing/io.ts';
import { connect } from './connect.ts';

const kubeconfig = (context: string): string => `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "https://${context}.example.com", certificate-authority-data: "" } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: ${context}, context: { cluster: c, user: u } }]
current-context: ${context}
`;

let io: TestIo;
afterEach(() => io.remove());

interface Asked {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly prefersLocal?: boolean;
}

/** Files: what `up` wrote here, what KUBECONFIG names, what kubectl takes without being told, one more. */
async function serverFor(asked: Asked, { names }: { readonly names?: string }): Promise<string> {
  io = await createTestIo();
  const env = { HOME: io.cwd, ...(names !== undefined && { KUBECONFIG: names === '' ? '' : join(io.cwd, names) }) };
  await mkdir(join(io.cwd, '.signalbox'));
  await mkdir(join(io.cwd, '.kube'));
  await io.file('.signalbox/kubeconfig', kubeconfig('signalbox'));
  await io.file('.kube/config', kubeconfig('home'));
  await io.file('named', kubeconfig('named'));
  await io.file('option', kubeconfig('option'));
  const wanted = { kubeconfig: undefined, context: undefined, prefersLocal: true, ...asked };
  const connected = await connect(wanted, { ...io, env });
  await connected.close();
  return connected.server;
}

test('of two clusters of this folder the one that was started last counts', async () => {
  io = await createTestIo();
  await mkdir(join(io.cwd, '.signalbox'));
  await io.file('.signalbox/memory.kubeconfig', kubeconfig('memory'));
  const server = async (): Promise<string> => {
    const connected = await connect({ kubeconfig: undefined, context: undefined, prefersLocal: true }, io);
    await connected.close();
    return connected.server;
  };
  expect(await server()).toBe('https://memory.example.com');
  await io.file('.signalbox/kubeconfig', kubeconfig('kept'));
  await utimes(join(io.cwd, '.signalbox/kubeconfig'), 1, 1);
  expect(await server()).toBe('https://memory.example.com');
  await utimes(join(io.cwd, '.signalbox/memory.kubeconfig'), 0, 0);
  expect(await server()).toBe('https://kept.example.com');
});

test.each<[string, Asked, string | undefined, string]>([
  ['what `up` wrote here', {}, undefined, 'signalbox'],
  ['that too with an empty variable', {}, '', 'signalbox'],
  ['and with its own context', { context: 'signalbox' }, undefined, 'signalbox'],
  ['an explicit variable before it', {}, 'named', 'named'],
  ['an option before both', { kubeconfig: 'option' }, 'named', 'option'],
  ['a context of elsewhere where kubectl looks', { context: 'home' }, undefined, 'home'],
  ['what kubectl takes for commands that are not about this folder', { prefersLocal: false }, undefined, 'home'],
])('%s', async (_, asked, names, expected) => {
  expect(await serverFor(asked, names === undefined ? {} : { names })).toBe(`https://${expected}.example.com`);
});
