import { mkdir } from 'node:fs/promises';
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
