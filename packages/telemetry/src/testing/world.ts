import { freeze, type KubeObject, type New } from '@signalbox/cluster';
import { loadAll } from 'js-yaml';
import { type World, worldOf } from '../world/world.ts';

/** The objects of a YAML text as a server would hold them: with uid, version and time, frozen. */
export function objectsOf(yaml: string): readonly KubeObject[] {
  return loadAll(yaml).map((value) => stored(value as New<KubeObject>));
}

/** The objects of a YAML text as a client sends them: with nothing that a server gives out. */
export function freshManifests(yaml: string): readonly New<KubeObject>[] {
  return loadAll(yaml) as readonly New<KubeObject>[];
}

export function worldOfYaml(yaml: string): World {
  return worldOf(objectsOf(yaml));
}

function stored(object: New<KubeObject>): KubeObject {
  const { metadata, ...rest } = object;
  const place = `${metadata.namespace ?? ''}/${metadata.name}`;
  const identity = { name: '', uid: `uid of ${object.kind} ${place}`, resourceVersion: '1', generation: 1 };
  return freeze({ ...rest, metadata: { ...identity, creationTimestamp: '2030-01-01T00:00:00Z', ...metadata } });
}
