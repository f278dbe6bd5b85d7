import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { daemonsets, pods } from '../api/generated/kinds.ts';
import { isEmptySelector } from '../api/selector/selector.ts';
import { daemonset, meta, podSpec, ready, startMs, terminating, unready } from '../testing/plan-world.ts';
import { statusIfChanged } from './actions.ts';
import { scaledValue } from './budget.ts';
import { claim, claimActions, orphanIndex } from './claim.ts';
import { controllerReference } from './owner.ts';
import { nextAvailableInMs, readySinceMs, sooner } from './phase.ts';
import { selects } from './selecting.ts';
import { podFromTemplate } from './template.ts';

const owner = daemonset('ds');

function pod(name: string, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta(name, { labels: { app: 'ds' }, ...metadata }),
    spec: podSpec,
    status: {},
  };
}

describe('claiming', () => {
  const kept = pod('kept', { ownerReferences: [controllerReference(owner)] });
  const strange = pod('strange', { labels: {}, ownerReferences: [controllerReference(owner)] });
  const orphan = pod('orphan');
  const leaving = terminating(pod('leaving'));
  const other = pod('other', { labels: { app: 'x' } });

  test('keeps, adopts and releases by the selector', () => {
    const claims = claim(owner, { owned: [kept, strange], orphans: [orphan, leaving, other] });
    expect(claims).toEqual({ claimed: [kept, orphan], adopted: [orphan], released: [strange] });
    const onBehalfOf = { type: daemonsets, object: owner };
    expect(claimActions(onBehalfOf, { type: pods, claims })).toEqual([
      {
        do: 'patch',
        type: pods,
        target: orphan,
        patchType: 'strategic',
        body: { metadata: { uid: 'uid-of-orphan', ownerReferences: [controllerReference(owner)] } },
        onBehalfOf,
      },
      {
        do: 'patch',
        type: pods,
        target: strange,
        patchType: 'strategic',
        body: { metadata: { uid: 'uid-of-strange', ownerReferences: [{ $patch: 'delete', uid: 'uid-of-ds' }] } },
      },
    ]);
  });

  test('shares the list when nothing changes hands', () => {
    const owned = [kept];
    expect(claim(owner, { owned, orphans: [other] }).claimed).toBe(owned);
  });

  test('an owner on its way out neither takes nor gives', () => {
    const claims = claim(terminating(owner), { owned: [strange], orphans: [orphan] });
    expect(claims).toEqual({ claimed: [strange], adopted: [], released: [] });
  });

  test('a further condition restricts both', () => {
    const claims = claim(owner, {
      owned: [kept],
      orphans: [orphan],
      accepts: ({ metadata }) => metadata.name === 'kept',
    });
    expect(claims).toEqual({ claimed: [kept], adopted: [], released: [] });
  });

  test('the index of orphans leaves out what somebody controls', () => {
    const index = orphanIndex<Pod>('x');
    expect([...index.valuesOf(orphan)]).toEqual(['default']);
    expect([...index.valuesOf(kept)]).toEqual([]);
    const { controller: _, ...reference } = controllerReference(owner);
    expect([...index.valuesOf(pod('loose', { ownerReferences: [reference] }))]).toEqual(['default']);
  });
});

describe('selectors', () => {
  test('an empty one selects nothing', () => {
    expect(isEmptySelector({})).toBe(true);
    expect(isEmptySelector({ matchLabels: {}, matchExpressions: [] })).toBe(true);
    expect(isEmptySelector({ matchExpressions: [{ key: 'a', operator: 'Exists' }] })).toBe(false);
    expect(selects(daemonset('ds', { selector: {} }), pod('any'))).toBe(false);
  });

  test('labels and expressions both have to hold', () => {
    const selector = { matchLabels: { app: 'ds' }, matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }] };
    const set = daemonset('ds', { selector });
    expect(selects(set, pod('a'))).toBe(true);
    expect(selects(set, pod('b', { labels: { app: 'ds', old: '' } }))).toBe(false);
    expect(selects(set, { metadata: meta('c') })).toBe(false);
  });
});

describe('budgets', () => {
  test.each([
    [3, 10, 'up', 3],
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    ['29%', 100, 'down', 29],
    ['0%', 10, 'up', 0],
    ['100%', 7, 'down', 7],
    [undefined, 10, 'up', 0],
    ['a few', 10, 'up', 0],
  ] as const)('%s of %i rounded %s is %i', (value, of, round, expected) => {
    expect(scaledValue(value, { of, round })).toBe(expected);
  });

  test('a percentage is never further than one from the exact share', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(10_000), (percent, of) => {
        const down = scaledValue(`${percent}%`, { of, round: 'down' });
        const up = scaledValue(`${percent}%`, { of, round: 'up' });
        expect(down * 100).toBeLessThanOrEqual(percent * of);
        expect(up * 100).toBeGreaterThanOrEqual(percent * of);
        expect(up - down).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('availability', () => {
  const options = { minReadySeconds: 10, nowMs: startMs + 4_000 };

  test('the next pod to become available decides when to look again', () => {
    const young = ready(pod('young'), { sinceMs: startMs + 2_000 });
    const older = ready(pod('older'));
    expect(nextAvailableInMs([young, older, unready(pod('x')), pod('y')], options)).toBe(6_000);
    expect(nextAvailableInMs([young], options)).toBe(8_000);
  });

  test('what is available already, is ending, or needs no time is not waited for', () => {
    const done = ready(pod('done'), { sinceMs: startMs - 6_000 });
    expect(nextAvailableInMs([done, terminating(ready(pod('ending')))], options)).toBeUndefined();
    expect(nextAvailableInMs([ready(pod('a'))], { ...options, minReadySeconds: 0 })).toBeUndefined();
  });

  test('a pod that is not ready has not been so since any time', () => {
    expect(readySinceMs(unready(pod('x')))).toBeUndefined();
    expect(readySinceMs(ready(pod('x'), { sinceMs: 5_000 }))).toBe(5_000);
  });

  test.each([
    [undefined, undefined, undefined],
    [1, undefined, 1],
    [undefined, 2, 2],
    [3, 2, 2],
  ])('of %s and %s the sooner is %s', (a, b, expected) => {
    expect(sooner(a, b)).toBe(expected);
  });
});

describe('pods from templates', () => {
  const template = {
    metadata: { labels: { a: '1', b: '1' }, annotations: { note: 'x' }, finalizers: ['f/x'] },
    spec: podSpec,
  };

  test('carry what the template says, the owner, and more labels', () => {
    expect(podFromTemplate(template, { owner, labels: { b: '2' } })).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        generateName: 'ds-',
        namespace: 'default',
        labels: { a: '1', b: '2' },
        annotations: { note: 'x' },
        finalizers: ['f/x'],
        ownerReferences: [controllerReference(owner)],
      },
      spec: podSpec,
    });
  });

  test('share the spec and take a given name', () => {
    const made = podFromTemplate(template, { owner, name: 'web-0' });
    expect(made.spec).toBe(podSpec);
    expect(made.metadata.name).toBe('web-0');
    expect(made.metadata.generateName).toBe('ds-');
  });
});

test('a status is written only when it says something new', () => {
  expect(statusIfChanged(daemonsets, { object: owner, status: { ...owner.status } })).toEqual([]);
  const status = { ...owner.status, numberReady: 1 };
  expect(statusIfChanged(daemonsets, { object: owner, status })).toEqual([
    { do: 'setStatus', type: daemonsets, object: { ...owner, status } },
  ]);
});
