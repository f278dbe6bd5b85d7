import fc from 'fast-check';
import type { KubeObject } from '../../api/meta.ts';
import type { View } from './history.ts';

const label = ({ metadata }: KubeObject, key: string): string | undefined => metadata.labels?.[key];

/** Selectors and what they mean, written down twice on purpose. */
const selections: readonly Omit<View, 'namespace'>[] = [
  { has: () => true },
  { labelSelector: 'color=red', has: (object) => label(object, 'color') === 'red' },
  { labelSelector: 'color!=red', has: (object) => label(object, 'color') !== 'red' },
  {
    labelSelector: 'color in (red,blue),size',
    has: (object) => ['red', 'blue'].includes(label(object, 'color') ?? '') && label(object, 'size') !== undefined,
  },
  { labelSelector: '!size', has: (object) => label(object, 'size') === undefined },
  { labelSelector: 'size notin (1)', has: (object) => label(object, 'size') !== '1' },
  { fieldSelector: 'metadata.name=a', has: ({ metadata }) => metadata.name === 'a' },
  { fieldSelector: 'metadata.name!=a', has: ({ metadata }) => metadata.name !== 'a' },
  { fieldSelector: 'metadata.namespace=other', has: ({ metadata }) => metadata.namespace === 'other' },
  {
    fieldSelector: 'metadata.name=a',
    labelSelector: 'color=red',
    has: (object) => object.metadata.name === 'a' && label(object, 'color') === 'red',
  },
];

export const views: fc.Arbitrary<View> = fc
  .tuple(fc.constantFrom(undefined, 'default', 'other'), fc.constantFrom(...selections))
  .map(([namespace, selection]) => ({ namespace, ...selection }));

export function selectorsOf({ labelSelector, fieldSelector }: View): {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
} {
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  };
}
