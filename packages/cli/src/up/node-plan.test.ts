import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadServingPki } from '@signalbox/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeTerms } from '../io/node-terms.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';
import { agentArguments, planNode, writeNodeKubeconfigs } from './node-plan.ts';

let io: TestIo;
beforeEach(async () => {
  const made = await createTestIo();
  await made.file('rules', 'a=b');
  io = Object.assign(made, { realNodes: { ...made.realNodes, lacks: async () => [] } });
});
afterEach(() => io.remove());

const terms: NodeTerms = {
  ...{ name: undefined, labels: { disk: 'ssd' }, taints: [{ key: 'real', value: 'yes', effect: 'NoSchedule' }] },
  ...{ podsMax: 20, images: ['a=b'], imagesFile: 'rules', imagesFolder: undefined, egress: ['example.com'] },
  ...{ hostPaths: ['/var/log'], staticPods: undefined },
};

test('a machine that cannot says so before anything is done', async () => {
  const realNodes = { ...io.realNodes, lacks: async () => ['not installed: bwrap; install it', 'no luck'] };
  await expect(planNode(terms, '.signalbox', { ...io, realNodes })).rejects.toThrow(
    '--real is not possible here: not installed: bwrap; install it; no luck',
  );
});

test('a folder that is not there is named before anything is done', async () => {
  await expect(planNode({ ...terms, staticPods: 'nowhere' }, '.signalbox', io)).rejects.toThrow(
    'cannot use nowhere: there is no such folder; make it and put manifests of pods there (--static-pods)',
  );
  await expect(planNode({ ...terms, imagesFile: 'nowhere' }, '.signalbox', io)).rejects.toThrow(
    'cannot read nowhere: no such file or folder; check the path (--images-file)',
  );
});

test('its agent gets credentials of its own, for nobody else to read', async () => {
  const plan = await planNode(terms, '.signalbox', io);
  expect(plan).toMatchObject({ name: 'test', names: ['10.64.0.1'] });
  const pki = await loadServingPki({ further: plan.certificates });
  const names = plan.certificates.map(({ subject, usage }) => [usage, subject.commonName, ...subject.organizations]);
  expect(names).toEqual([
    ['client', 'system:node:test', 'system:nodes'],
    ['client', 'system:kube-proxy'],
    ['server', 'system:node:test', 'system:nodes'],
  ]);
  await writeNodeKubeconfigs(plan, { pki, server: 'https://127.0.0.1:1' });
  const path = join(io.cwd, '.signalbox/nodes/test/agent.kubeconfig');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const key = pki.current().further['kubelet_test']?.key ?? '';
  expect(await readFile(path, 'utf8')).toContain(Buffer.from(key).toString('base64'));
  expect(await readFile(join(io.cwd, '.signalbox/nodes/test/network.kubeconfig'), 'utf8')).toContain(':1');
});

test('its agent is told what `up` was told', async () => {
  const plan = await planNode({ ...terms, name: 'box' }, '.signalbox', io);
  const folder = join(io.cwd, '.signalbox');
  expect(agentArguments(plan, 'warn').join(' ').replaceAll(folder, 'DATA')).toBe(
    'node --kubeconfig DATA/nodes/box/agent.kubeconfig --network-kubeconfig DATA/nodes/box/network.kubeconfig' +
      ' --data DATA/nodes/box --tls-cert-file DATA/pki/kubelet-serving_box.crt' +
      ' --tls-private-key-file DATA/pki/kubelet-serving_box.key --log-level warn --log-format json' +
      ' --name=box --labels=disk=ssd --taints=real=yes:NoSchedule --max-pods=20 --image=a=b --images-file=rules' +
      ' --egress=example.com --host-path=/var/log',
  );
});
