import { freeze, type KubeObject } from '@signalbox/cluster';
import { loadAll } from 'js-yaml';
import { type World, worldOf } from '../hierarchy/world.ts';

/** The objects of a YAML text as a server would hold them: with uid, version and time, frozen. */
export function objectsOf(yaml: string): readonly KubeObject[] {
  return loadAll(yaml).map((value) => stored(value as KubeObject));
}

export function worldOfYaml(yaml: string): World {
  return worldOf(objectsOf(yaml));
}

function stored(object: KubeObject): KubeObject {
  const { metadata, ...rest } = object;
  const place = `${metadata.namespace ?? ''}/${metadata.name}`;
  return freeze({
    ...rest,
    metadata: {
      uid: `uid of ${object.kind} ${place}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...metadata,
    },
  });
}
