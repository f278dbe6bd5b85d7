/** What stands in `deploy/` as it is committed, for tests. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeObject, type New, type PolicyRule, parseYamlDocuments } from '@signalbox/cluster';

const folder = join(import.meta.dirname, '../../deploy');

export function deployed(file: string): readonly New<KubeObject>[] {
  return objectsIn(readFileSync(join(folder, file), 'utf8'), file);
}

export function objectsIn(text: string, source: string): readonly New<KubeObject>[] {
  return parseYamlDocuments(text, { source })
    .map(({ value }) => value as New<KubeObject> | null)
    .filter((object) => object !== null);
}

/** All rules of all roles. */
export function rulesIn(objects: readonly New<KubeObject>[]): readonly PolicyRule[] {
  return objects
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .flatMap((role) => (role as { readonly rules?: readonly PolicyRule[] }).rules ?? []);
}
