/** Who is told of a pod, by what is known of those who count it before anybody is asked. */
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import type { PodAffinityTerm } from '../../api/generated/core-v1.ts';
import { makeNode, makePod, type PodParts } from '../../testing/makers.ts';
import { selector } from '../../testing/scheduler/worlds.ts';
import type { NodeView } from '../node-view.ts';
import { type PodView, podView } from '../pod-view.ts';
import { createSnapshot } from '../snapshot.ts';
import { type Aimed, createAudience } from './audience.ts';
import type { Counted } from './live-count.ts';
import { LivePodCounts, type PodCounts } from './pod-counts.ts';
import { type AffinityTerm, matchesTerm, podTermsOf } from './pod-terms.ts';

const teams: Readonly<Record<string, Readonly<Record<string, string>>>> = { a: { team: 'blue' }, b: { team: 'red' } };
const labelsOf = (namespace: string): Readonly<Record<string, string>> | undefined => teams[namespace];

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

const terms = fc
  .record({
    labelSelector: selector,
    namespaces: maybe(fc.subarray(['a', 'b'])),
    namespaceSelector: maybe(fc.constantFrom({}, { matchLabels: { team: 'blue' } })),
  })
  .map(({ namespaces, namespaceSelector, labelSelector }): AffinityTerm => {
    const given: PodAffinityTerm = {
      ...{ topologyKey: 'rack', labelSelector },
      ...(namespaces !== undefined && { namespaces }),
      ...(namespaceSelector !== undefined && { namespaceSelector }),
    };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [given] } };
    const [term] = podTermsOf(makePod('owner', { namespace: 'a', spec: { affinity } }))?.near ?? [];
    if (term === undefined) throw new Error('it has a term');
    return term;
  });

const podParts = fc
  .record({
    namespace: fc.constantFrom('a', 'b', 'c'),
    app: maybe(fc.constantFrom('x', 'y', 'z')),
    tier: maybe(fc.constantFrom('front', 'back')),
  })
  .map(({ namespace, app, tier }): PodParts => {
    return { namespace, labels: { ...(app !== undefined && { app }), ...(tier !== undefined && { tier }) } };
  });

test('whoever is about a pod is found, also when others have come and gone', () => {
  fc.assert(
    fc.property(fc.array(terms, { maxLength: 6 }), fc.array(terms, { maxLength: 3 }), podParts, (stay, go, parts) => {
      const audience = createAudience<AffinityTerm>();
      for (const term of [...go, ...stay]) audience.add(term);
      for (const term of go) audience.remove(term);
      const pod = podView(makePod('p', parts));
      const found = new Set<Aimed>(audience.mayConcern(pod));
      for (const term of stay) if (matchesTerm(term, pod, labelsOf)) expect(found).toContain(term);
      for (const term of go) expect(found).not.toContain(term);
      expect(audience.size).toBe(stay.length);
    }),
    { numRuns: 200 * inject('thoroughness') },
  );
});

function countedBy(term: AffinityTerm): Counted {
  const { id, topologyKey, namespace, label } = term;
  const countsPod = (pod: PodView): boolean => matchesTerm(term, pod, labelsOf);
  return { id, topologyKey, looksAtNamespaces: false, namespace, label, countsPod };
}

const kinds = ['forbids', 'needs', 'prefers'] as const;

/** What placed pods say of some others, in any order. */
function toldOf(counts: PodCounts): readonly string[] {
  const others = ['a', 'b'].map((namespace) => podView(makePod('asking', { namespace, labels: { app: 'x' } })));
  return others
    .flatMap((pod) => kinds.flatMap((kind) => counts.about(pod, { kind, namespaceLabels: labelsOf })))
    .map(
      ({ kind, term, domains }) =>
        `${kind} ${term.id} ${JSON.stringify([...domains].sort(([a], [b]) => (a < b ? -1 : 1)))}`,
    )
    .sort();
}

function carriedAnew(nodes: readonly NodeView[]): PodCounts {
  const counts = new LivePodCounts(() => nodes);
  for (const node of nodes) counts.nodeJoined(node);
  return counts;
}

/** Some pods say something of others. */
const saying = fc.constantFrom<PodParts['spec']>(
  {},
  ...(['podAffinity', 'podAntiAffinity'] as const).flatMap((how) => {
    const term = { topologyKey: 'rack', labelSelector: { matchLabels: { app: 'x' } } };
    return [
      { affinity: { [how]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
      {
        affinity: {
          [how]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: term }] },
        },
      },
    ];
  }),
);

test('a count that is followed step by step is one that is taken anew', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ pod: fc.nat(5), node: fc.nat(3), parts: podParts, spec: saying }) },
      { weight: 2, arbitrary: fc.record({ gone: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ node: fc.nat(3), rack: maybe(fc.constantFrom('1', '2')) }) },
      { weight: 1, arbitrary: fc.record({ left: fc.nat(3) }) },
    ),
    { minLength: 5, maxLength: 30, size: 'max' },
  );
  fc.assert(
    fc.property(fc.array(terms, { minLength: 1, maxLength: 3 }), steps, (asked, story) => {
      const snapshot = createSnapshot();
      const counts = asked.map(countedBy);
      const pods = new Map<number, string>();
      for (const step of story) {
        for (const counted of counts) snapshot.counts.count(counted);
        if ('pod' in step) {
          const spec = { ...step.spec, nodeName: `n${step.node}` };
          const pod = makePod(`p${step.pod}`, { ...step.parts, spec });
          const before = pods.get(step.pod);
          if (before !== undefined && before !== pod.metadata.uid) snapshot.removePod(before);
          pods.set(step.pod, pod.metadata.uid);
          snapshot.setPod(pod);
        } else if ('gone' in step) snapshot.removePod(pods.get(step.gone) ?? '');
        else if ('left' in step) snapshot.removeNode(`n${step.left}`);
        else
          snapshot.setNode(makeNode(`n${step.node}`, step.rack === undefined ? {} : { labels: { rack: step.rack } }));
        const anew = new LivePodCounts(() => snapshot.nodes);
        for (const counted of counts) {
          const [followed, fresh] = [snapshot.counts.count(counted), anew.count(counted)];
          expect(new Map(followed.domains)).toEqual(new Map(fresh.domains));
          expect(new Map(followed.levels)).toEqual(new Map(fresh.levels));
          expect(followed.podsTotal).toBe(fresh.podsTotal);
        }
        expect(toldOf(snapshot.counts)).toEqual(toldOf(carriedAnew(snapshot.nodes)));
      }
    }),
    { numRuns: 50 * inject('thoroughness') },
  );
});
