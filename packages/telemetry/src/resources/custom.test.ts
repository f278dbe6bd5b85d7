import { resourceName } from '@signalbox/cluster';
import { expect, test } from 'vitest';
import { defaultComponents } from '../components.ts';
import { definitionNames } from './bare-crds.ts';
import { isCustom } from './custom.ts';

test('custom is what there is a definition of', () => {
  const names = new Set(definitionNames());
  for (const { rootType, reads, owns } of defaultComponents())
    for (const type of [rootType, ...reads, ...owns])
      expect([resourceName(type), isCustom(type)]).toEqual([resourceName(type), names.has(resourceName(type))]);
});
