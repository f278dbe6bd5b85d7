import { expect, test } from 'vitest';
import type { NodeSelectorTerm, Pod, PodSpec } from '../../../../api/generated/core-v1.ts';
import { root } from '../../../../api/issue.ts';
import { validatePodStatusUpdate, validatePodUpdate } from './update.ts';

function gated(spec: Partial<PodSpec>): Pod {
  const containers = [{ name: 'web', image: 'nginx:1' }];
  return {
    metadata: { name: 'web' },
    spec: { containers, schedulingGates: [{ name: 'g' }], ...spec },
  } as unknown as Pod;
}

const needing = (...nodeSelectorTerms: readonly NodeSelectorTerm[]): Partial<PodSpec> => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const [a, b] = ['a', 'b'].map((key): NodeSelectorTerm => ({ matchExpressions: [{ key, operator: 'Exists' }] }));
const both: NodeSelectorTerm = { matchExpressions: [...(a?.matchExpressions ?? []), ...(b?.matchExpressions ?? [])] };
const terms = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
const selector = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
const count = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
const onlyMore = 'only additions are allowed (no mutations or deletions)';
const podAffinity = {};
const onlyFree = expect.stringMatching(/^spec: Forbidden: .*\nspec\.affinity$/) as unknown;

test.each<[string, Partial<PodSpec>, Partial<PodSpec>, readonly unknown[]]>([
  [
    'another value',
    { nodeSelector: { a: 'b' } },
    { nodeSelector: { a: 'c' } },
    [`spec.nodeSelector: Invalid value: {"a":"c"}: ${selector}`],
  ],
  [
    'less, and another field',
    { nodeSelector: { a: 'b' } },
    { hostname: 'h' },
    [
      `spec.nodeSelector: Invalid value: null: ${selector}`,
      expect.stringMatching(/^spec: Forbidden: .*\nspec\.hostname$/),
    ],
  ],
  ['no terms any more', needing(a ?? {}), {}, [`${terms}: Invalid value: null: ${count}`]],
  ['a term more', needing(a ?? {}), needing(a ?? {}, b ?? {}), [expect.stringMatching(`${count}$`)]],
  [
    'another term',
    needing(a ?? {}),
    needing(b ?? {}),
    [expect.stringMatching(/nodeSelectorTerms\[0\]: Invalid.*only additions are allowed/)],
  ],
  ['a requirement more', needing(a ?? {}), needing(both), []],
  ['a requirement where none was', needing({}), needing(a ?? {}), [expect.stringContaining(onlyMore)]],
  ['terms where none were', {}, needing(a ?? {}), []],
  ['an affinity that says nothing', {}, { affinity: {} }, [onlyFree]],
  ['an affinity to no nodes', {}, { affinity: { nodeAffinity: {} } }, []],
  ['no affinity where one said nothing', { affinity: {} }, {}, [onlyFree]],
  ['terms where an affinity said nothing', { affinity: {} }, needing(a ?? {}), []],
  ['no affinity where one preferred nodes', { affinity: { nodeAffinity: {} } }, {}, []],
  ['an affinity to pods that says nothing', {}, { affinity: { podAffinity } }, [onlyFree]],
  [
    'another term, and affinity to pods',
    needing(a ?? {}),
    { affinity: { ...needing(b ?? {}).affinity, podAffinity } },
    [expect.stringContaining(onlyMore), expect.stringMatching(/^spec: Forbidden: .*\nspec\.affinity$/)],
  ],
])('behind a gate: %s', (_, current, next, issues) => {
  const found = [...validatePodUpdate(gated(next), gated(current), root)];
  expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(issues);
});

test('nobody has seen a version below nothing', () => {
  const current = gated({});
  const ready = { type: 'Ready', status: 'False' } as const;
  const seen = (generation: number): Pod => ({
    ...current,
    status: { observedGeneration: generation, conditions: [ready, { ...ready, observedGeneration: generation }] },
  });
  const issues = (next: Pod): readonly string[] =>
    [...validatePodStatusUpdate(next, current, root)].map(({ field, message }) => `${field}: ${message}`);
  const refusal = 'Invalid value: -1: must be a non-negative integer';
  expect(issues(seen(-1))).toEqual([
    `status.conditions[1].observedGeneration: ${refusal}`,
    `status.observedGeneration: ${refusal}`,
  ]);
  expect(issues(seen(0))).toEqual([]);
});
