import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { createTestIo, type TestIo } from '../testing/io.ts';

const folder = new URL('../../../telemetry/src/testdata/left-by-agent-operator/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const root = 'metadata:\n  name: agent\n  namespace: monitoring\n';
const declared = read('declared.yaml').replace(root, `${root}  uid: of-agent\n`);
const configuration = JSON.stringify('server: {}\nmetrics:\n  token: hidden\n');
const made = read('made.yaml')
  .replaceAll('OWNER', 'of-agent')
  .replace(/METRICS|LOGS/g, () => configuration);

let io: TestIo;
beforeEach(async () => {
  io = await createTestIo({ stdin: '' });
  await io.file('cluster.yaml', `${declared}---\n${made}`);
});
afterEach(() => io.remove());

const diff = (...words: string[]): Promise<number> => run(['diff', ...words], io);

test('what a take-over would change is told, and that nothing restarts', async () => {
  expect(await diff('-f', 'cluster.yaml')).toBe(3);
  const text = io.out();
  expect(text).toContain('~ StatefulSet monitoring/agent (marked, and nothing else)\n');
  expect(text).toContain('~ Secret monitoring/agent-config\n      data[agent.yml]\n');
  expect(text).toContain('Configuration monitoring/agent-config/agent.yml: changed');
  expect(text).not.toMatch(/hidden|sesame/);
  expect(text.trimEnd().split('\n').at(-1)).toBe('0 to create, 7 to change, 0 to delete; nothing restarts.');
  expect(io.err()).toBe('');
});

test('labels that the old operator had and the new one has not would make workloads anew', async () => {
  const labelled = made.replaceAll('app.kubernetes.io/instance: agent', 'app.kubernetes.io/instance: agent, team: a');
  await io.file('labelled.yaml', `${declared}---\n${labelled}`);
  expect(await diff('-f', 'labelled.yaml', '-o', 'json', '--labels', 'team=a')).toBe(3);
  expect((JSON.parse(io.out()) as { readonly workloads: unknown }).workloads).toEqual([]);
  const without = await createTestIo({ stdin: labelled });
  await without.file('declared.yaml', declared);
  expect(await run(['diff', '-f', '-', '-f', 'declared.yaml'], without)).toBe(3);
  expect(without.out()).toContain('± StatefulSet monitoring/agent (deleted and created anew)');
  expect(without.out()).toMatch(/3 workloads restart\.\n$/);
  await without.remove();
});

test('where nothing is looked after nothing changes', async () => {
  await io.file('nothing.yaml', '{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
  expect(await diff('-f', 'nothing.yaml')).toBe(0);
  expect(io.out()).toBe('Nothing would change.\n');
});

test('what belongs to a root that is not among the files is left alone, and named', async () => {
  await io.file('made.yaml', made);
  expect(await diff('-f', 'made.yaml')).toBe(0);
  expect(io.out()).toBe('Nothing would change.\n');
  expect(io.err()).toMatch(
    /^warning: GrafanaAgent monitoring\/agent is not among the files: \d+ objects that belong to it are left out\n$/,
  );
});

test.each(['{ a: {} }', '{ a: 1 }', '7'])('stringData %s is refused with its place', async (stringData) => {
  await io.file('secret.yaml', `{apiVersion: v1, kind: Secret, metadata: {name: x}, stringData: ${stringData}}`);
  expect(await diff('-f', 'secret.yaml')).toBe(1);
  expect(io.err()).toMatch(/^error: secret.yaml:1 Secret x: stringData.*cannot unmarshal/);
});

test('a file that is not there is named', async () => {
  expect(await diff('-f', 'none.yaml')).toBe(1);
  expect(io.err()).toContain('none.yaml');
});
