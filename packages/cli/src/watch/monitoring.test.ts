/** deploy/monitoring and docs/operating.md, held to what the operator serves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYamlDocuments } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { repository } from '../testing/process.ts';
import { formatMeterTable, type Meter, meterTable } from './meter-table.ts';

const read = (...path: readonly string[]): string => readFileSync(join(repository, ...path), 'utf8');
const operating = read('docs', 'operating.md');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const [rules] = parseYamlDocuments(read('deploy', 'monitoring', 'rules.yaml'), { source: 'rules.yaml' });
const { groups = [] } = (rules?.value ?? {}) as { readonly groups?: readonly { readonly rules: readonly Alert[] }[] };
const alerts = groups.flatMap((group) => group.rules);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(read('deploy', 'monitoring', 'dashboard.json')) as {
  readonly panels: readonly Panel[];
};
const asked = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** What every target has. */
const ofTargets = ['job', 'instance', 'namespace', 'pod', 'le'];

test('the document has the metrics as they are served: put what is expected here in the place of its table', () => {
  const [table] = /^\| metric \| type [\s\S]*?(?=\n\n)/m.exec(operating) ?? [];
  expect(table).toBe(formatMeterTable());
});

test('rules and dashboard ask for something', () => {
  expect(alerts.length).toBeGreaterThan(10);
  expect(asked.length).toBeGreaterThan(alerts.length + 20);
});

test.each(asked)('%s asks for metrics that are served, by labels that they have: %s', (_, expr) => {
  const names = [...expr.matchAll(/\b((?:signalbox|process|nodejs)_\w+)(\{[^}]*\})?/g)];
  expect(names.length).toBeGreaterThan(0);
  const known = new Set<string>(ofTargets);
  for (const [, name = '', matchers = ''] of names) {
    const meter = meterOf(name);
    expect(meter, name).toBeDefined();
    for (const label of meter?.labels ?? []) known.add(label);
    for (const [, label] of matchers.matchAll(/(\w+)[=!]/g))
      expect([...ofTargets, ...(meter?.labels ?? [])]).toContain(label);
  }
  for (const [, list = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
    for (const label of list.split(', ')) expect([...known]).toContain(label);
});

/** Of histograms only their parts can be asked for. */
function meterOf(name: string): Meter | undefined {
  const table: Readonly<Record<string, Meter>> = meterTable;
  const part = /^(.*)_(bucket|sum|count)$/.exec(name);
  const histogram = part === null ? undefined : table[part[1] ?? ''];
  if (histogram?.type === 'histogram') return histogram;
  return table[name]?.type === 'histogram' ? undefined : table[name];
}

test.each(alerts)('$alert says what is wrong, and where the mend stands', ({ alert, labels, annotations }) => {
  const { summary = '', description = '', runbook_url: url = '' } = annotations;
  expect(['critical', 'warning']).toContain(labels['severity']);
  expect(summary.length).toBeGreaterThan(10);
  expect(description.length).toBeGreaterThan(20);
  expect(url).toBe(`https://github.com/signalbox-dev/signalbox/blob/main/docs/operating.md#${alert.toLowerCase()}`);
  expect(operating).toMatch(new RegExp(`^### ${alert}\n\n[\\s\\S]{80,}?`, 'm'));
  expect(operating.split(`### ${alert}\n`)[1]?.split('###')[0]).toMatch(/\bMend: |\bmend: /);
});

test('the document explains no alert that there is not', () => {
  const explained = [...operating.matchAll(/^### (Signalbox\w+)$/gm)].map(([, name]) => name);
  expect(explained).toEqual(alerts.map(({ alert }) => alert));
});
