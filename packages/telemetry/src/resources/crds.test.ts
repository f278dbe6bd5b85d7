import { expect, test } from 'vitest';
import { customResourceDefinitions } from './crds.ts';

const byKind = new Map(customResourceDefinitions().map((definition) => [definition.spec.names.kind, definition]));

test.each(['GrafanaAgent', 'MetricsInstance', 'LogsInstance', 'PodLogs', 'Integration'])(
  '%s has a status door and tells its age, which upstream’s definition does not',
  (kind) => {
    const [version] = byKind.get(kind)?.spec.versions ?? [];
    expect(version?.subresources).toHaveProperty('status');
    expect(version?.additionalPrinterColumns?.at(-1)?.name).toBe('Age');
    expect(version?.schema?.openAPIV3Schema?.properties).toHaveProperty('spec');
    expect(version?.schema?.openAPIV3Schema?.properties).toHaveProperty('status');
  },
);

test.each(['Prometheus', 'PrometheusAgent'])('%s tells its shards between what one wants and what all have', (kind) => {
  const [version] = byKind.get(kind)?.spec.versions ?? [];
  expect(version?.additionalPrinterColumns?.map(({ name }) => name)).toEqual([
    ...['Version', 'Desired', 'Shards', 'Ready', 'Reconciled', 'Available', 'Age', 'Paused'],
  ]);
});

test('the definitions of the Prometheus Operator are as they were published', () => {
  const [version] = byKind.get('PrometheusAgent')?.spec.versions ?? [];
  expect(version?.subresources?.scale).toEqual({
    labelSelectorPath: '.status.selector',
    specReplicasPath: '.spec.shards',
    statusReplicasPath: '.status.shards',
  });
});

test('parsing happens once', () => expect(customResourceDefinitions()).toBe(customResourceDefinitions()));
