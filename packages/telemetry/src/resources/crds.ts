import type { CustomResourceDefinition, New } from '@signalbox/cluster';
import { parseDefinitions } from './bare-crds.ts';
import { described } from './texts/described.ts';

/**
 * The definitions of all custom resources that the operator reads, as they are installed: upstream's with our additions
 * (`bare-crds.ts`), and every field says what it means, which is what `kubectl explain` prints. Made on first use.
 */
export function customResourceDefinitions(): readonly New<CustomResourceDefinition>[] {
  made ??= parseDefinitions().map(described);
  return made;
}

let made: readonly New<CustomResourceDefinition>[] | undefined;
