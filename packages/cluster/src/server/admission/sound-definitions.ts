import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import type { KubeObject, New } from '../../api/meta.ts';
import { isObject } from '../../api/record.ts';
import { equal } from '../../base/equal.ts';
import { noteGood } from '../../base/known-good.ts';

/** Whether the schemas of a definition are those of one that is known to be good. */
export type IsSound = (definition: Schemas) => boolean;

interface Schemas {
  readonly metadata: { readonly name?: string };
  readonly spec: Pick<CustomResourceDefinition['spec'], 'versions'>;
}

export function soundAmong(known: readonly New<KubeObject>[]): IsSound {
  const byName = new Map(known.map((each) => [each.metadata.name, each as unknown as Schemas]));
  for (const { spec } of byName.values()) for (const schema of schemasIn(spec)) if (isObject(schema)) noteGood(schema);
  return ({ metadata, spec }) => {
    const same = byName.get(metadata.name);
    return same !== undefined && equal(schemasIn(spec), schemasIn(same.spec));
  };
}

export function schemasIn({ versions }: Schemas['spec']): readonly unknown[] {
  return versions.map(({ schema }) => schema?.openAPIV3Schema);
}
