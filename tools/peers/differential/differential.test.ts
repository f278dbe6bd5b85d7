import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, schemaOf } from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import { expect, test } from 'vitest';
import { saidBy } from './answers.ts';
import type { Played } from './kinds/played.ts';
import { playedKinds } from './kinds.ts';
import { compareCauses } from './known/causes.ts';
import { explain, knownRows } from './known.ts';
import { someEdit, withEdit } from './mutate.ts';
import { filled, nextStep, requestOf } from './steps.ts';
import { nextWatching } from './watching.ts';

const pod = { metadata: { name: 'a', uid: 'u' }, spec: { containers: [{ name: 'm', args: ['x', 'y'] }] } };

test('an edit changes one place, and nothing that a server chooses', () => {
  const random = seededRandom('edits');
  const schema = schemaOf('io.k8s.api.core.v1.Pod');
  const edited = Array.from({ length: 300 }, () => withEdit(pod, someEdit(pod, { random, schema })));
  for (const { metadata } of edited as (typeof pod)[]) expect(metadata).toMatchObject({ name: 'a', uid: 'u' });
  expect(new Set(edited.map((each) => JSON.stringify(each))).size).toBeGreaterThan(100);
  expect(pod.spec.containers[0]?.args).toEqual(['x', 'y']);
});

test('entries of lists are removed, repeated and replaced', () => {
  const path = ['spec', 'containers', 0, 'args', 0];
  const argsOf = (object: JsonObject): unknown => (object as typeof pod).spec.containers[0]?.args;
  expect(argsOf(withEdit(pod, { do: 'remove', path }))).toEqual(['y']);
  expect(argsOf(withEdit(pod, { do: 'repeat', path }))).toEqual(['x', 'y', 'x']);
  expect(argsOf(withEdit(pod, { do: 'put', path, value: 1 }))).toEqual([1, 'y']);
});

test('the same chance asks the same, and every way to write is asked', () => {
  const all = (seed: string): readonly string[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 400 }, () => {
      const played = playedKinds[random.below(playedKinds.length)];
      if (played === undefined) throw new Error('no kinds');
      const current = random.below(3) === 0 ? undefined : pod;
      return JSON.stringify(requestOf(nextStep(played, 'o', { random, current }), current));
    });
  };
  expect(all('1')).toEqual(all('1'));
  const types = new Set(all('1').map((text) => (JSON.parse(text) as { headers: JsonObject }).headers['content-type']));
  const json = ['application/json', 'application/json-patch+json'];
  const merges = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];
  // As YAML and as text by one twist each.
  const twisted = ['application/yaml', 'text/plain'];
  for (const type of [undefined, ...json, ...merges, 'application/apply-patch+yaml'])
    expect([...types]).toContain(type);
  for (const type of types)
    expect([undefined, ...json, ...merges, ...twisted, 'application/apply-patch+yaml']).toContain(type);
});

test('of an answer counts what nobody has chosen', () => {
  const text = JSON.stringify({ metadata: { uid: 'u', name: 'a', resourceVersion: '7' }, spec: { nodePort: 1, b: 2 } });
  expect(saidBy({ code: 200, headers: {}, text })).toEqual({
    ...{ code: 200, warnings: '' },
    body: { metadata: { name: 'a' }, spec: { b: 2 } },
  });
});

test('what is known is no news', () => {
  const parted = (there: string, here: string) => ({
    called: 'Pod merge',
    asked: { method: 'PATCH', path: '/x', headers: {} },
    there: { code: 422, warnings: '', body: { message: there } },
    here: { code: 400, warnings: '', body: { message: here } },
    differences: [{ of: 'Pod merge', path: 'code', there: '422', here: '400' }],
  });
  const unreadable = 'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string';
  expect(explain(parted(' "" is invalid: patch: Invalid value: "{}"', unreadable))).toEqual({
    news: [],
    rows: [expect.any(String)],
  });
  const news = ['Pod merge: code: upstream 422, here 400'];
  expect(explain(parted('Pod "a" is invalid', unreadable)).news).toEqual(news);
  // Both sides of a class have to be as it says.
  expect(explain(parted(' "" is invalid: patch: Invalid value: "{}"', 'something else')).news).toEqual(news);
});

const refusal = (...causes: readonly (readonly [field: string, message: string])[]) => ({
  ...{ code: 422, warnings: '' },
  body: {
    message: causes.join(),
    details: { causes: causes.map(([field, message]) => ({ reason: 'FieldValueInvalid', field, message })) },
  },
});

test('of two refusals every mistake has to be told by both, or to follow from what both tell', () => {
  const compared = (there: ReturnType<typeof refusal>, here: ReturnType<typeof refusal>) =>
    compareCauses({
      called: 'Pod create',
      asked: { method: 'POST', path: '/x', headers: {} },
      there,
      here,
      differences: [],
    });
  const [a, b] = [['spec.a', 'Required value'] as const, ['spec.b', 'Invalid value: "x": must be y'] as const];
  expect(compared(refusal(a, b), refusal(b, a))).toEqual({
    rows: [expect.stringContaining('in the order of')],
    open: [],
  });
  expect(compared(refusal(a, ['spec.a.c', 'Required value']), refusal(a))?.open).toEqual([]);
  expect(compared(refusal(a, b), refusal(a))?.open).toEqual(['there spec.b: Invalid value: "x": must be y']);
  expect(compared(refusal(a), refusal(a, b))?.open).toEqual(['here spec.b: Invalid value: "x": must be y']);
  const [go, sent] = [
    ['spec', 'Invalid value: {"A":1}: must be y'] as const,
    ['spec', 'Invalid value: {"a":1}: must be y'] as const,
  ];
  expect(compared(refusal(go), refusal(sent))).toEqual({ rows: [expect.stringContaining('Go’s fields')], open: [] });
});

test('what is known stands in the list of differences', () => {
  const listed = readFileSync(join(import.meta.dirname, '../../../docs/differences.md'), 'utf8');
  expect(knownRows.filter((row) => !listed.includes(`| ${row} |`))).toEqual([]);
});

test('a list, a watch and a deletion name what the server has', () => {
  const current = { metadata: { resourceVersion: '7', uid: 'u' } };
  expect(filled('resourceVersion={rv}', current)).toBe('resourceVersion=7');
  expect(filled('{"uid":"{uid}"}', current)).toBe('{"uid":"u"}');
  const random = seededRandom('watches');
  const watchings = Array.from({ length: 100 }, () => nextWatching(playedKinds[0] as Played, random));
  expect(new Set(watchings.map(({ query }) => query)).size).toBeGreaterThan(50);
  for (const { deeds } of watchings) expect([deeds[0]?.method, deeds.at(-1)?.method]).toEqual(['POST', 'DELETE']);
});
