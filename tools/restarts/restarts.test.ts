/** What a release before left is played by what this one leaves, edited. */
import { type KubeObject, type New, parseYamlDocuments } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { notCompared, restartNotes } from './notes.ts';
import { compareWith, recordOf } from './record.ts';

const declared = `
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: { name: main, namespace: monitoring }
spec: { shards: 2 }
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: { name: edge, namespace: monitoring }
spec: {}
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: monitoring }
spec: { logs: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: LogsInstance
metadata: { name: all, namespace: monitoring }
spec: {}
`;
const manifests = parseYamlDocuments(declared, { source: 'test' }).map(({ value }) => value as New<KubeObject>);
const record = recordOf(manifests);

/** The notes after a release that wrote some things otherwise. */
function notesAfter(edit: (text: string) => string): string {
  const before = JSON.parse(edit(JSON.stringify(record))) as readonly KubeObject[];
  return restartNotes([compareWith(before)]);
}

const head =
  '### Restarts\n\nPods restart by this upgrade. `signalbox diff` of this version says which of yours, before it does anything.\n\n';

test('a record has what is declared, and the workloads that come of it', () => {
  expect(record.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
    'DaemonSet agent-logs',
    'GrafanaAgent agent',
    'LogsInstance all',
    'Prometheus main',
    'PrometheusAgent edge',
    'StatefulSet prom-agent-edge',
    'StatefulSet prometheus-main',
    'StatefulSet prometheus-main-shard-1',
  ]);
});

test.each<[string, (text: string) => string]>([
  ['nothing', (text) => text],
  [
    'what only the version label of pods says',
    (text) => text.replaceAll(/"app.kubernetes.io\/version":"[^"]*"/g, '"app.kubernetes.io/version":"0.0.1"'),
  ],
  [
    'an annotation of a workload',
    (text) => text.replaceAll(/"signalbox.dev\/input-hash":"[^"]*"/g, '"signalbox.dev/input-hash":"0"'),
  ],
  [
    'a field beside the pods',
    (text) => text.replaceAll('"podManagementPolicy"', '"revisionHistoryLimit":7,"podManagementPolicy"'),
  ],
])('no pod restarts by %s', (_, edit) => {
  expect(notesAfter(edit)).toBe('### Restarts\n\nNo pod restarts by this upgrade.\n');
});

test('a new default image is told of the roots that take it, with both', () => {
  const image = /"(quay.io\/prometheus\/prometheus:v[^"]*)"/.exec(JSON.stringify(record))?.[1] ?? '';
  expect(image).not.toBe('');
  const notes = notesAfter((text) => text.replaceAll(image, 'prometheus:v1'));
  const line = (root: string, share: string): string =>
    `- ${root}, StatefulSet: restarts, one pod after the other (${share} in the examples)\n  - \`spec.template.spec.containers[prometheus].image\`: \`prometheus:v1\` → \`${image}\`\n`;
  expect(notes).toBe(`${head}${line('Prometheus', '2 of 2')}${line('PrometheusAgent', '1 of 1')}`);
});

test('one argument more is one, though it moves all that follow', () => {
  const first = /"args":\["([^"]*)",/.exec(JSON.stringify(record.find(({ kind }) => kind === 'DaemonSet')))?.[1] ?? '';
  const notes = notesAfter((text) => text.replaceAll(`"${first}",`, ''));
  expect(notes).toContain(`[config-reloader].args\`: with \`${first}\`\n`);
});

test('an argument less is told as well', () => {
  const notes = notesAfter((text) =>
    text.replaceAll('"args":["', '"args":["--old","').replaceAll(/(input-hash":)"[^"]*"/g, '$1"0"'),
  );
  expect(notes).toContain('containers[prometheus].args`: without `--old`\n');
});

test('values that are not the same everywhere are left out', () => {
  let count = 0;
  const notes = notesAfter((text) =>
    text.replaceAll(/"terminationGracePeriodSeconds":\d+/g, () => `"terminationGracePeriodSeconds":${++count}`),
  );
  expect(notes).toMatch(/- Prometheus, StatefulSet: .*\n {2}- `spec.template.spec.terminationGracePeriodSeconds`\n/);
  expect(notes).toMatch(
    /- PrometheusAgent, .*\n {2}- `spec.template.spec.terminationGracePeriodSeconds`: `\d` → `600`\n/,
  );
});

test('a workload that is called otherwise stops, and another starts', () => {
  const notes = notesAfter((text) => text.replaceAll('"agent-logs"', '"logs-of-agent"'));
  expect(notes).toBe(
    `${head}- GrafanaAgent, DaemonSet: is new (1 in the examples)\n- GrafanaAgent, DaemonSet: goes with its pods (1 of 1 in the examples)\n`,
  );
});

test('a selector that changes ends all pods at once', () => {
  const notes = notesAfter((text) =>
    text.replaceAll('"operator.prometheus.io/name":"edge"', '"operator.prometheus.io/name":"edge","more":"x"'),
  );
  expect(notes).toContain(
    '- PrometheusAgent, StatefulSet: ends all its pods, then starts new ones (1 of 1 in the examples)\n',
  );
});

test('without a record it is not known', () => {
  expect(notCompared).toContain('### Restarts\n\nNot known');
});
