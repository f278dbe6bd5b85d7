import type { CustomResourceDefinition, New } from '@signalbox/cluster';
import { parseDefinitions } from './bare-crds.ts';
import { described } from './texts/described.ts';

/**
 * The definitions of all custom resources that the operator reads, as they are installed: upstream's with our additions
 * (`bare-crds.ts`), and every field says what it means, which is what `kubectl explain` prints. Made on demand, and kept no
 * longer than somebody holds them: a cluster that has them installed has no use for a second copy.
 */
export function customResourceDefinitions(): readonly New<CustomResourceDefinition>[] {
  const held = made?.deref();
  if (held !== undefined) return held;
  const definitions = parseDefinitions().map(described);
  made = new WeakRef(definitions);
  return definitions;
}

let made: WeakRef<readonly New<CustomResourceDefinition>[]> | undefined;
