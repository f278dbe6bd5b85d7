import type { Cache, CacheEvent, Informers, KubeObject, ResourceType } from '@signalbox/cluster';
import { keyOf, resourceId } from '@signalbox/cluster';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { podmonitors } from '../resources/pod-monitor.ts';
import { createCacheWorld } from './cache-world.ts';
import { byNamespaceAndName } from './world.ts';

/** Caches that a test fills by hand; only what a world asks of them. */
function handFilled(): { informers: Informers; put(object: KubeObject): void; remove(object: KubeObject): void } {
  const objects = new Map<string, KubeObject>();
  const listeners = new Set<(event: CacheEvent) => void>();
  const cache = { get: (key: string) => objects.get(key), values: () => objects.values() };
  const informers = {
    of: () => cache as unknown as Cache,
    listen(_type: ResourceType, handle: (event: CacheEvent) => void) {
      for (const object of objects.values()) handle({ type: 'added', object, previous: undefined });
      listeners.add(handle);
      return () => listeners.delete(handle);
    },
  } as unknown as Informers;
  const tell = (event: CacheEvent): void => {
    for (const listener of listeners) listener(event);
  };
  return {
    informers,
    put(object) {
      const previous = objects.get(keyOf(object));
      objects.set(keyOf(object), object);
      tell(previous === undefined ? { type: 'added', object, previous } : { type: 'updated', object, previous });
    },
    remove(object) {
      if (objects.delete(keyOf(object))) tell({ type: 'deleted', object, previous: object });
    },
  };
}

const monitor = (name: string, version = '1'): KubeObject => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PodMonitor',
  metadata: { name, namespace: name.slice(0, 1), uid: name, resourceVersion: version, creationTimestamp: '' },
});

test('the list stays sorted and up to date through any changes', () => {
  const steps = fc.array(fc.record({ name: fc.stringMatching(/^[abc][a-e]$/), goes: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (changes) => {
      const caches = handFilled();
      const { world } = createCacheWorld(caches.informers);
      const expected = new Map<string, KubeObject>();
      changes.forEach(({ name, goes }, step) => {
        const object = monitor(name, String(step));
        if (goes) caches.remove(object);
        else caches.put(object);
        if (goes) expected.delete(name);
        else expected.set(name, object);
        expect(world.list(podmonitors)).toEqual([...expected.values()].sort(byNamespaceAndName));
      });
    }),
  );
});

test('a list that was handed out stays as it was', () => {
  const caches = handFilled();
  const { world } = createCacheWorld(caches.informers);
  caches.put(monitor('a1'));
  const before = world.list(podmonitors);
  caches.put(monitor('a0'));
  expect(before.map(({ metadata }) => metadata.name)).toEqual(['a1']);
  expect(world.list(podmonitors).map(({ metadata }) => metadata.name)).toEqual(['a0', 'a1']);
});

test('closing stops following the caches', () => {
  const caches = handFilled();
  const { world, close } = createCacheWorld(caches.informers);
  const listed = world.list(podmonitors);
  close();
  caches.put(monitor('a1'));
  expect(listed).toEqual([]);
  expect(resourceId(podmonitors)).toBe('monitoring.coreos.com/v1/podmonitors');
});
