import { freeze } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import type { PodMonitor } from '../resources/pod-monitor.ts';
import { createJobCache, type SourceVault } from './jobs.ts';

const monitor: PodMonitor = freeze({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata: { name: 'm', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: { selector: {} },
});
const vault = (source: object, text: string, path = '/x'): SourceVault => ({
  lookup: () => ({ state: 'found', bytes: Buffer.from(text) }),
  pathOf: () => path,
  sourceOf: () => source,
});

const expansion = { reloader: {}, agent: undefined };

function counted(): { readonly calls: () => number; readonly job: (at: SourceVault, settings?: object) => string } {
  const cache = createJobCache();
  let calls = 0;
  return {
    calls: () => calls,
    job(at, shards = { shards: 1 }) {
      const { texts } = cache.jobsOf(monitor, {
        settings: { ...shards, expansion },
        vault: at,
        render(_monitor, given, leaf) {
          calls += 1;
          return [
            { job_name: 'j', token: leaf.secretText({ name: 's', key: 'k' }, 'f'), given: JSON.stringify(given) },
          ];
        },
      });
      return texts.map(({ text }) => text).join('');
    },
  };
}

test('a job is rendered once while its monitor, settings and secrets stay the same', () => {
  const { job, calls } = counted();
  const source = {};
  expect(job(vault(source, 'one'))).toBe(job(vault(source, 'one'), { shards: 1 }));
  expect(calls()).toBe(1);
});

test.each<[string, SourceVault, object]>([
  ['another Secret object', vault({}, 'two'), { shards: 1 }],
  ['another path of the same Secret', vault(freeze({ same: true }), 'one', '/y'), { shards: 1 }],
  ['other settings', vault(freeze({ same: true }), 'one'), { shards: 2 }],
])('%s renders it anew', (_, at, settings) => {
  const { job, calls } = counted();
  job(vault({}, 'one'));
  job(at, settings);
  expect(calls()).toBe(2);
});

test('two roots with different settings do not throw each other’s jobs out', () => {
  const { job, calls } = counted();
  const at = vault({}, 'one');
  for (let round = 0; round < 3; round++) for (const shards of [1, 2]) job(at, { shards });
  expect(calls()).toBe(2);
});
