import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ControllerRevision } from '../../api/generated/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/generated/core-v1.ts';
import { daemonset, meta, podSpec } from '../../testing/plan-world.ts';
import { advance, surplusRevisions } from './advance.ts';
import { canonicalText } from './canonical.ts';
import { templateHash } from './hash.ts';
import { keepsTemplate, newRevision, revisionName, templateOf } from './revision.ts';

const template = (image: string): PodTemplateSpec => ({
  metadata: { labels: { app: 'ds' } },
  spec: { ...podSpec, containers: [{ name: 'app', image }] },
});

function revision(name: string, number: number, image: string): ControllerRevision {
  const made = newRevision({ owner: daemonset('ds'), name, revision: number, template: template(image), labels: {} });
  return { ...made, metadata: meta(name, made.metadata) };
}

describe('canonical text', () => {
  test('does not depend on the order of keys nor on null fields', () => {
    expect(canonicalText({ b: 1, a: { d: null, c: [{ y: 1, x: undefined }] } })).toBe('{"a":{"c":[{"y":1}]},"b":1}');
  });

  test('differs when the meaning does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = canonicalText({ a }) === canonicalText({ a: b });
        const plain = JSON.stringify(a) === JSON.stringify(b);
        return !plain || same;
      }),
    );
    expect(canonicalText({ a: [1, 2] })).not.toBe(canonicalText({ a: [2, 1] }));
    expect(canonicalText({ a: '1' })).not.toBe(canonicalText({ a: 1 }));
  });
});

describe('template hash', () => {
  test('is a short text of the safe alphabet, the same for the same meaning', () => {
    const hash = templateHash(template('app:1'));
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(templateHash(template('app:1'))).toBe(hash);
    expect(templateHash({ ...template('app:1'), metadata: { labels: { app: 'ds' }, creationTimestamp: null } })).toBe(
      hash,
    );
    expect(templateHash(template('app:2'))).not.toBe(hash);
  });

  test('changes with the collision count', () => {
    const hashes = [0, 1, 2].map((count) => templateHash(template('app:1'), count));
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('revisions', () => {
  test('keep the template as the strategic merge patch that brings it back', () => {
    const made = revision('ds-1', 1, 'app:1');
    expect(made.data).toEqual({ spec: { template: { ...template('app:1'), $patch: 'replace' } } });
    expect(templateOf(made)).toEqual(template('app:1'));
    expect(made.metadata.labels).toEqual({ app: 'ds' });
  });

  test('are equal by meaning: a null creationTimestamp of an older writer does not matter', () => {
    const old = revision('ds-1', 1, 'app:1');
    const { metadata, ...rest } = template('app:1');
    const data = {
      spec: { template: { $patch: 'replace', metadata: { ...metadata, creationTimestamp: null }, ...rest } },
    };
    expect(keepsTemplate({ ...old, data }, template('app:1'))).toBe(true);
    expect(keepsTemplate({ ...old, data }, template('app:2'))).toBe(false);
    expect(keepsTemplate({ ...old, data: { by: 'hand' } }, template('app:1'))).toBe(false);
  });

  test('a name that another template has taken is passed over', () => {
    const hashes = [0, 1].map((count) => templateHash(template('app:1'), count));
    const stored = new Map([[`default/ds-${hashes[0]}`, revision(`ds-${hashes[0]}`, 1, 'other')]]);
    const naming = { prefix: 'ds', template: template('app:1'), namespace: 'default', collisionCount: 0 };
    const revisions = { get: (key: string) => stored.get(key) };
    expect(revisionName({ ...naming, revisions })).toMatchObject({
      name: `ds-${hashes[1]}`,
      collisionCount: 1,
      existing: undefined,
    });
    const own = revision(`ds-${hashes[0]}`, 1, 'app:1');
    stored.set(`default/ds-${hashes[0]}`, own);
    expect(revisionName({ ...naming, revisions })).toMatchObject({ hash: hashes[0], collisionCount: 0, existing: own });
  });
});

describe('advancing', () => {
  const one = revision('ds-1', 1, 'app:1');
  const two = revision('ds-2', 2, 'app:2');

  test('a new template gets the next number', () => {
    expect(advance([], template('app:1'))).toMatchObject({ current: undefined, revision: 1, previous: [] });
    expect(advance([two, one], template('app:3'))).toMatchObject({
      current: undefined,
      revision: 3,
      previous: [one, two],
    });
  });

  test('the newest stays as it is', () => {
    expect(advance([one, two], template('app:2'))).toMatchObject({ current: two, revision: 2, actions: [] });
  });

  test('an older one moves to the end', () => {
    const step = advance([one, two], template('app:1'));
    expect(step).toMatchObject({ current: one, revision: 3, previous: [two] });
    expect(step.actions).toMatchObject([{ do: 'update', object: { metadata: { name: 'ds-1' }, revision: 3 } }]);
  });

  test('of several that keep the template the highest counts', () => {
    const copy = revision('ds-copy', 3, 'app:1');
    expect(advance([one, two, copy], template('app:1'))).toMatchObject({
      current: copy,
      duplicates: [one],
      previous: [two],
    });
  });
});

describe('trimming', () => {
  const revisions = [1, 2, 3, 4].map((number) => revision(`ds-${number}`, number, `app:${number}`));
  test.each([
    [10, [], []],
    [2, [], ['ds-1', 'ds-2']],
    [2, ['ds-1'], ['ds-2', 'ds-3']],
    [0, ['ds-1', 'ds-2', 'ds-3'], ['ds-4']],
  ])('a limit of %i with %j in use removes %j', (limit, live, removed) => {
    const isLive = ({ metadata }: ControllerRevision): boolean => live.some((name) => name === metadata.name);
    expect(surplusRevisions(revisions, { limit, isLive }).map(({ metadata }) => metadata.name)).toEqual(removed);
  });
});
