import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Kubectl,
  kubectlMinor,
  type ServedCluster,
  startServedCluster,
  withoutKubectl,
} from './served-cluster.ts';

const without = withoutKubectl();
/** Before 1.21 they are always shown. */
const hides = (kubectlMinor ?? 0) >= 21;
let served: ServedCluster;
let kubectl: Kubectl;

beforeAll(async () => {
  if (without) return;
  served = await startServedCluster();
  ({ kubectl } = served);
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  expect(problems).toEqual([]);
});

const deployment = (more: string, replicas = 1): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {a: b}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: nginx, ports: [{containerPort: 80}]}${more}
`;

const owners = async (): Promise<unknown> => {
  const shown = await kubectl(`get deploy web -o json${hides ? ' --show-managed-fields' : ''}`);
  const { metadata } = JSON.parse(shown) as {
    readonly metadata: {
      readonly managedFields: readonly { manager: string; operation: string; subresource?: string }[];
    };
  };
  return metadata.managedFields
    .filter(({ manager }) => manager !== 'kube-controller-manager')
    .map(({ manager, operation, subresource = '' }) => `${manager} ${operation}${subresource}`);
};

describe.skipIf(without)('apply --server-side', () => {
  test('makes what is not there, and nothing anew', async () => {
    const apply = 'apply --server-side -f -';
    expect(await kubectl(apply, { stdin: deployment('') })).toBe('deployment.apps/web serverside-applied');
    const version = await kubectl('get deploy web -o jsonpath={.metadata.generation}');
    await kubectl(apply, { stdin: deployment('') });
    expect(await kubectl('get deploy web -o jsonpath={.metadata.generation}')).toBe(version);
    expect(await owners()).toEqual(['kubectl Apply']);
  });

  test('what others own is a conflict with the advice of kubectl; force takes it', async () => {
    await kubectl('scale deploy web --replicas=2');
    const said = await kubectl.refused('apply --server-side -f -', { stdin: deployment('') });
    expect(said).toContain(
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
    expect(said).toContain('--force-conflicts');
    await kubectl('apply --server-side --force-conflicts -f -', { stdin: deployment('') });
    expect(await kubectl('get deploy web -o jsonpath={.spec.replicas}')).toBe('1');
    const other = await kubectl.refused('apply --server-side --field-manager=other -f -', { stdin: deployment('', 3) });
    expect(other).toContain('conflict with "kubectl": .spec.replicas');
  });

  test('what is left out goes, and what others added stays', async () => {
    await kubectl('label deploy web kept=yes');
    await kubectl('apply --server-side -f -', { stdin: deployment('\n      hostNetwork: true') });
    expect(await kubectl('get deploy web -o jsonpath={.spec.template.spec.hostNetwork}')).toBe('true');
    await kubectl('apply --server-side -f -', { stdin: deployment('') });
    expect(await kubectl('get deploy web -o jsonpath={.spec.template.spec.hostNetwork}')).toBe('');
    expect(await kubectl('get deploy web -o jsonpath={.metadata.labels.kept}')).toBe('yes');
  });

  test('shows the difference first', async () => {
    const { code, out } = await kubectl.run('diff --server-side -f -', {
      stdin: deployment('').replace('nginx', 'nginx:2'),
    });
    expect(code).toBe(1);
    expect(out).toContain('image: nginx:2');
    expect((await kubectl.run('diff --server-side -f -', { stdin: deployment('') })).code).toBe(0);
  });

  test('owners are shown to who asks', async () => {
    expect((await kubectl('get deploy web -o yaml')).includes('managedFields')).toBe(!hides);
    if (hides) expect(await kubectl('get deploy web -o yaml --show-managed-fields')).toContain('f:replicas');
  });

  test('an unknown field is told of', async () => {
    const said = await kubectl.refused('apply --server-side --validate=false -f -', {
      stdin: deployment('\n      foo: 1'),
    });
    expect(said).toContain('.spec.template.spec.foo: field not declared in schema');
  });
});

describe.skipIf(without)('definitions of custom resources', () => {
  test('are applied as their own pages say, and again', async () => {
    const folder = process.env['CRDS'] ?? join(import.meta.dirname, '../../../../deploy/chart/crds');
    const apply = `apply --server-side -f ${folder}`;
    const lines = (await kubectl(apply)).split('\n');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !line.endsWith(' serverside-applied'))).toEqual([]);
    const versions = (): Promise<string> => kubectl('get crd -o jsonpath={.items[*].metadata.generation}');
    const before = await versions();
    await kubectl(apply);
    expect(await versions()).toBe(before);
  });
});

describe.skipIf(without)('from one way to the other', () => {
  const map = (data: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: moved}\ndata: ${data}\n`;

  test('what was applied by hand is taken over, and goes when it is left out', async () => {
    await kubectl('apply -f -', { stdin: map('{a: "1", b: "1"}') });
    expect(await kubectl('apply view-last-applied cm moved')).toContain('a: "1"');
    await kubectl('apply --server-side -f -', { stdin: map('{a: "2"}') });
    // Only newer releases say of the server that what they had applied by hand is theirs.
    expect(await kubectl('get cm moved -o jsonpath={.data}')).toBe(
      (kubectlMinor ?? 0) >= 26 ? '{"a":"2"}' : '{"a":"2","b":"1"}',
    );
    expect(await kubectl('apply view-last-applied cm moved')).toContain('a: "2"');
    await kubectl('apply -f -', { stdin: map('{a: "3"}') });
    expect(await kubectl('get cm moved -o jsonpath={.data.a}')).toBe('3');
  });

  test('what was last applied can be edited', async () => {
    const env = { KUBE_EDITOR: 'sed -i s/fresh/edited/', EDITOR: 'sed -i s/fresh/edited/' };
    await kubectl('apply -f -', { stdin: map('{word: fresh}') });
    await kubectl('apply edit-last-applied cm moved', { env });
    expect(await kubectl('apply view-last-applied cm moved')).toContain('word: edited');
  });
});
