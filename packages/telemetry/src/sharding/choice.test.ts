import type { KubeObject } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { shardingChoice } from './choice.ts';

function root(annotations?: Readonly<Record<string, string>>): KubeObject {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'Prometheus',
    metadata: { name: 'main', namespace: 'default', ...(annotations !== undefined && { annotations }) },
  } as KubeObject;
}

test.each<[Readonly<Record<string, string>> | undefined, string]>([
  [undefined, 'hashmod 512'],
  [{ 'signalbox.dev/sharding': 'hashmod' }, 'hashmod 512'],
  [{ 'signalbox.dev/handover': 'true' }, 'hashmod 512 hands over'],
  [{ 'signalbox.dev/sharding': 'slots' }, 'slots 512 hands over, balances'],
  [{ 'signalbox.dev/sharding': 'slots', 'signalbox.dev/balance': 'false' }, 'slots 512 hands over'],
  [{ 'signalbox.dev/balance': 'true' }, 'hashmod 512'],
  [{ 'signalbox.dev/sharding': 'slots', 'signalbox.dev/slots': '510' }, 'slots 510 hands over, balances'],
  [{ 'signalbox.dev/sharding': 'slots', 'signalbox.dev/handover': 'false' }, 'slots 512 hands over, balances'],
])('%j: %s', (annotations, expected) => {
  const { choice, findings } = shardingChoice(root(annotations));
  expect(
    `${choice.by} ${choice.slots}${choice.handsOver ? ' hands over' : ''}${choice.balances ? ', balances' : ''}`,
  ).toBe(expected);
  expect(findings).toEqual([]);
});

test.each([
  ['signalbox.dev/sharding', 'Slots', '"Slots" is no way to share: write slots or hashmod'],
  ['signalbox.dev/slots', '8', '"8" is no whole number from 16 to 4096'],
  ['signalbox.dev/slots', 'many', '"many" is no whole number from 16 to 4096'],
  ['signalbox.dev/handover', 'yes', '"yes" is neither true nor false'],
  ['signalbox.dev/balance', 'off', '"off" is neither true nor false'],
])('%s: %s is refused', (annotation, value, message) => {
  const { choice, findings } = shardingChoice(root({ [annotation]: value }));
  expect(choice).toEqual({ by: 'hashmod', slots: 512, handsOver: false, balances: false });
  expect(findings).toMatchObject([{ severity: 'error', field: `metadata.annotations[${annotation}]`, message }]);
});
