import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldEffects } from '../../packages/telemetry/src/resources/generated/effects.ts';
import { effectsModule } from './effects.ts';

test('the committed effects are those of the tables: `npm run gen` writes them', () => {
  expect(readFileSync('packages/telemetry/src/resources/generated/effects.ts', 'utf8')).toBe(effectsModule());
});

test('an effect says with which roots there is none, and which version the first line needs', () => {
  expect(fieldEffects['ServiceMonitor.spec.endpoints.trackTimestampsStaleness']).toEqual({
    none: ['GrafanaAgent'],
    since: 'Prometheus 2.48',
  });
  expect(fieldEffects['Prometheus.spec.thanos']).toEqual({ none: 'everywhere' });
  expect(fieldEffects['Prometheus.spec.shardingStrategy.mode']?.only).toEqual({
    values: ['Address'],
    roots: 'everywhere',
  });
});

test('what all versions have that are taken at all is told of no field', () => {
  const since = Object.values(fieldEffects).map((effect) => effect.since);
  expect(since).not.toContain('Prometheus 2.45');
  // A line of one version and another of all others: the field is always read.
  expect(fieldEffects['Prometheus.spec.retention']).toBeUndefined();
});
