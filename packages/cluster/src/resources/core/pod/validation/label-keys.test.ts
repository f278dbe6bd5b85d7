import { describe, expect, test } from 'vitest';
import type { Pod, PodAffinityTerm, PodTemplateSpec } from '../../../../api/generated/core-v1.ts';
import { root } from '../../../../api/issue.ts';
import type { LabelSelector } from '../../../../api/meta.ts';
import { defaultPod, defaultPodTemplate } from '../defaults.ts';
import { podDefinition } from '../pod.ts';
import { validatePodTemplate } from '../template.ts';

type Keys = Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>;

const labels = { app: 'web', hash: '1' };
const metadata = { name: 'web', namespace: 'd', labels };
const app: LabelSelector = { matchLabels: { app: 'web' } };
const either: LabelSelector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db'] }] };
const inBoth = (place: string, key = 'app'): string =>
  `${place}: Invalid value: "${key}": exists in both matchLabelKeys and labelSelector`;

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

function specOf(place: string, keys: Keys): Pod['spec'] {
  const term = { topologyKey: 'zone', ...keys };
  const containers = [{ name: 'web', image: 'nginx:1' }];
  if (place === 'spec.topologySpreadConstraints[0]')
    return { containers, topologySpreadConstraints: [{ ...term, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] };
  const kind = place.includes('podAntiAffinity') ? 'podAntiAffinity' : 'podAffinity';
  const terms = place.includes(required)
    ? { [required]: [term] }
    : { [preferred]: [{ weight: 1, podAffinityTerm: term }] };
  return { containers, affinity: { [kind]: terms } };
}

/** What is said of a pod that comes in, whose selectors have got their keys by then. */
function ofNew(place: string, keys: Keys): readonly string[] {
  const given = defaultPod({ apiVersion: 'v1', kind: 'Pod', metadata, spec: specOf(place, keys) } as unknown as Pod);
  const pod = podDefinition.prepareForCreate?.(given, { nowMs: 0 }) ?? given;
  return [...(podDefinition.validate?.(pod, root) ?? [])].map(({ field, message }) => `${field}: ${message}`);
}

function ofTemplate(place: string, keys: Keys): readonly string[] {
  const template = { metadata: { labels }, spec: specOf(place, keys) } as unknown as PodTemplateSpec;
  return [...validatePodTemplate(defaultPodTemplate(template), root)].map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

describe.each([
  'spec.topologySpreadConstraints[0]',
  `spec.affinity.podAffinity.${required}[0]`,
  `spec.affinity.podAffinity.${preferred}[0].podAffinityTerm`,
  `spec.affinity.podAntiAffinity.${required}[0]`,
  `spec.affinity.podAntiAffinity.${preferred}[0].podAffinityTerm`,
])('%s', (place) => {
  test.each<[string, Keys, readonly string[]]>([
    ['another key than the selector’s', { labelSelector: app, matchLabelKeys: ['hash'] }, []],
    ['a key among its labels', { labelSelector: app, matchLabelKeys: ['hash', 'app'] }, [inBoth(`${place}[1]`)]],
    ['a key among its expressions', { labelSelector: either, matchLabelKeys: ['app'] }, [inBoth(`${place}[0]`)]],
    [
      'a key among both',
      { labelSelector: { ...app, ...either }, matchLabelKeys: ['app'] },
      [inBoth(`${place}[0]`), inBoth(`${place}[0]`)],
    ],
    ['the same key twice', { labelSelector: {}, matchLabelKeys: ['hash', 'hash'] }, [inBoth(`${place}[1]`, 'hash')]],
    [
      'a key that the pod has no label of',
      { labelSelector: { matchLabels: { other: 'x' } }, matchLabelKeys: ['other'] },
      [],
    ],
  ])('of a new pod: %s', (_, keys, issues) => expect(ofNew(place, keys)).toEqual(issues));

  test('of a template, which has no pod’s values yet, only what its selector itself says twice', () => {
    expect(ofTemplate(place, { labelSelector: app, matchLabelKeys: ['app'] })).toEqual([]);
    expect(ofTemplate(place, { labelSelector: either, matchLabelKeys: ['app'] })).toEqual([]);
    expect(ofTemplate(place, { labelSelector: { ...app, ...either }, matchLabelKeys: ['app'] })).toEqual([
      inBoth(`${place}[0]`),
    ]);
  });
});

describe('keys of which pods must differ', () => {
  const place = `spec.affinity.podAntiAffinity.${required}[0]`;

  test('may be the selector’s as well', () => {
    expect(ofNew(place, { labelSelector: app, mismatchLabelKeys: ['app'] })).toEqual([]);
    expect(ofNew(place, { labelSelector: either, mismatchLabelKeys: ['app'] })).toEqual([]);
  });

  test('are not those in which they must be the same', () => {
    const keys = { labelSelector: {}, matchLabelKeys: ['hash', 'app'], mismatchLabelKeys: ['app'] };
    expect(ofNew(place, keys)).toEqual([
      inBoth(`${place}[1]`),
      `${place}.matchLabelKeys[1]: Invalid value: "app": exists in both matchLabelKeys and mismatchLabelKeys`,
    ]);
  });
});
