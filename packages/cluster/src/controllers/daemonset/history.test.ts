import { describe, expect, test } from 'vitest';
import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { daemonset, line, meta, podSpec } from '../../testing/plan-world.ts';
import { newRevision } from '../../workloads/history/revision.ts';
import { planCleanup, planHistory } from './history.ts';
import { hashLabel } from './pod.ts';

const set = daemonset('ds');
const naming = { name: 'ds-new', hash: 'new', collisionCount: 0, existing: undefined };

function revision(hash: string, number: number, image = 'app:1'): ControllerRevision {
  const template = { ...set.spec.template, spec: { containers: [{ name: 'app', image }] } };
  const labels = { [hashLabel]: hash };
  const made = newRevision({ owner: set, name: `ds-${hash}`, revision: number, template, labels });
  return { ...made, metadata: meta(`ds-${hash}`, made.metadata) };
}

function pod(name: string, hash: string): Pod {
  const metadata = meta(name, { labels: { app: 'ds', [hashLabel]: hash } });
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec, status: {} };
}

describe('history', () => {
  test('starts with the first revision', () => {
    const { hash, actions, relabels } = planHistory(set, { pods: () => [], revisions: [], naming });
    expect([hash, relabels]).toEqual(['new', false]);
    expect(actions).toMatchObject([
      {
        do: 'create',
        object: { metadata: { name: 'ds-new', labels: { app: 'ds', [hashLabel]: 'new' } }, revision: 1 },
      },
    ]);
  });

  test('carries the annotations, so that a rollout tells its cause', () => {
    const annotated = {
      ...set,
      metadata: { ...set.metadata, annotations: { 'kubernetes.io/change-cause': 'because' } },
    };
    const [create] = planHistory(annotated, { pods: () => [], revisions: [], naming }).actions;
    expect(create).toMatchObject({
      object: { metadata: { annotations: { 'kubernetes.io/change-cause': 'because' } } },
    });
  });

  test('remembers a collision in the status', () => {
    const taken = { ...naming, collisionCount: 2 };
    expect(planHistory(set, { pods: () => [], revisions: [], naming: taken }).collisionCount).toBe(2);
    expect(
      planHistory(set, { pods: () => [], revisions: [revision('a', 1)], naming: taken }).collisionCount,
    ).toBeUndefined();
  });

  test('keeps the collisions that the status tells of, whether there is a revision or not', () => {
    const counted = { ...set, status: { ...set.status, collisionCount: 3 } } as typeof set;
    const none = { ...naming, collisionCount: 0 };
    const [known, anew] = [[revision('a', 1)], []].map((revisions) =>
      planHistory(counted, { pods: () => [], revisions, naming: none }),
    );
    expect([known?.collisionCount, anew?.collisionCount]).toEqual([3, 3]);
  });

  test('waits for a revision of an earlier owner of the same name to go, under the same hash', () => {
    const existing = revision('new', 1);
    const { hash, actions } = planHistory(set, { pods: () => [], revisions: [], naming: { ...naming, existing } });
    expect([hash, actions]).toEqual(['new', []]);
  });

  test('merges revisions of the same template and takes their pods along', () => {
    const revisions = [revision('a', 1), revision('b', 2)];
    const { hash, actions, relabels } = planHistory(set, {
      pods: () => [pod('p', 'a'), pod('q', 'b')],
      revisions,
      naming,
    });
    expect([hash, relabels]).toEqual(['b', true]);
    expect(actions.map(line)).toEqual(['patch pods p', 'delete controllerrevisions ds-a']);
    expect(actions[0]).toMatchObject({ body: { metadata: { labels: { [hashLabel]: 'b' } } } });
  });

  test('a revision made by hand goes by its own name', () => {
    const bare = revision('a', 1);
    const { [hashLabel]: _, ...labels } = bare.metadata.labels ?? {};
    const revisions = [{ ...bare, metadata: { ...bare.metadata, labels } }];
    const { hash, actions } = planHistory(set, { pods: () => [], revisions, naming });
    expect(hash).toBe('ds-a');
    expect(actions).toMatchObject([{ do: 'patch', body: { metadata: { labels: { [hashLabel]: 'ds-a' } } } }]);
  });
});

describe('cleanup', () => {
  const previous = ['a', 'b', 'c'].map((hash, index) => revision(hash, index + 1, `old:${index}`));
  test.each([
    [10, [], []],
    [1, [], ['delete controllerrevisions ds-a', 'delete controllerrevisions ds-b']],
    [1, ['a'], ['delete controllerrevisions ds-b', 'delete controllerrevisions ds-c']],
    [0, ['a', 'b'], ['delete controllerrevisions ds-c']],
  ])('keeps %i and what pods %j still run', (revisionHistoryLimit, hashes, expected) => {
    const limited = daemonset('ds', { revisionHistoryLimit });
    const pods = hashes.map((hash) => pod(hash, hash));
    expect(planCleanup(limited, { previous, pods: () => pods }).map(line)).toEqual(expected);
  });
});
