import { describe, expect, test } from 'vitest';
import { schemaOf } from '../schema/node.ts';
import { compare } from './compare.ts';
import { shapeOf } from './shape.ts';

const api = 'io.k8s.api.';

/** What is taken by who makes the second of the first. */
function taken(definition: string, before: object, after: object): unknown {
  const { touched, removed } = compare(before, after, shapeOf(schemaOf(definition)));
  return Object.keys(removed).length === 0 ? touched : { touched, removed };
}

describe('what Go writes though nobody gave it, nobody takes', () => {
  test.each<[what: string, definition: string, before: object, after: object, taken: object]>([
    ['an empty selector', `${api}networking.v1.NetworkPolicy`, {}, { spec: { podSelector: {} } }, {}],
    [
      'a struct with lists in it',
      `${api}resource.v1.ResourceClaim`,
      {},
      { spec: { devices: { requests: [{ name: 'a' }] } } },
      { 'f:spec': { 'f:devices': { 'f:requests': {} } } },
    ],
    [
      'a pointer is taken whole',
      `${api}networking.v1.IPAddress`,
      {},
      { spec: { parentRef: { name: 'a' } } },
      { 'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {} } } },
    ],
    [
      'a list that is null: what is put into it is all that is new',
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
      {},
      { status: { conditions: [{ type: 'A' }] } },
      {
        'f:status': {
          'f:conditions': {
            'k:{"type":"A"}': {
              '.': {},
              'f:lastTransitionTime': {},
              'f:status': {},
              'f:type': {},
            },
          },
        },
      },
    ],
    [
      'a time that is left out at its zero is not there',
      `${api}core.v1.ReplicationController`,
      {},
      { spec: { template: { metadata: { labels: { a: 'b' } } } } },
      {
        'f:spec': {
          'f:template': {
            '.': {},
            'f:metadata': { '.': {}, 'f:labels': { '.': {}, 'f:a': {} } },
            'f:spec': { '.': {}, 'f:containers': {} },
          },
        },
      },
    ],
  ])('%s', (_, definition, before, after, fields) => {
    expect(sorted(taken(definition, before, after))).toEqual(sorted(fields));
  });
});

test('an empty list in the place of null is something, and becomes null again', () => {
  const role = `${api}rbac.v1.Role`;
  expect(taken(role, {}, { rules: [] })).toEqual({ 'f:rules': {} });
  expect(taken(role, { rules: [] }, {})).toEqual({});
});

test('what Go keeps as bytes is owned as one', () => {
  const data = (value: unknown): object => ({ data: { spec: value } });
  expect(taken(`${api}apps.v1.ControllerRevision`, data(1), data(2))).toEqual({ 'f:data': {} });
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
