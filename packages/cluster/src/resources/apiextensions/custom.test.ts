import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../api/issue.ts';
import type { KubeObject } from '../../api/meta.ts';
import { crdBody, version } from '../../testing/resources/crd-bodies.ts';
import { type Body, created, lines, made, row } from '../../testing/resources/judge.ts';
import type { ResourceDefinition } from '../resource.ts';
import { definitionsOfCrd } from './custom.ts';
import { customresourcedefinitionDefinition } from './customresourcedefinition.ts';
import { establish } from './establish.ts';
import { ruleLanguage } from './rules/language.ts';
import { scaledIssues } from './scale.ts';

beforeAll(ruleLanguage.load);

function definitions(spec: object = {}): readonly ResourceDefinition[] {
  return definitionsOfCrd(establish(created(customresourcedefinitionDefinition, crdBody(spec)), []));
}

function definitionOf(particulars: object): ResourceDefinition {
  const [definition] = definitions({ versions: [version('v1', particulars)] });
  if (definition === undefined) throw new Error('one version is served');
  return definition;
}

test('what is not established is not served', () => {
  expect(definitionsOfCrd(created(customresourcedefinitionDefinition, crdBody({})))).toEqual([]);
});

test('names, scope and doors come from the definition', () => {
  const names = { plural: 'agents', kind: 'Agent', shortNames: ['ag'], categories: ['all'] };
  const [definition] = definitions({ names, versions: [version('v1', { subresources: { status: {} } })] });
  expect(definition).toMatchObject({
    group: 'example.com',
    version: 'v1',
    resource: 'agents',
    kind: 'Agent',
    namespaced: true,
    singular: 'agent',
    shortNames: ['ag'],
    categories: ['all'],
    hasStatus: true,
    subresources: [],
    columns: [
      { name: 'Name', type: 'string' },
      { name: 'Age', type: 'date' },
    ],
    columnsComplete: true,
  });
});

test('objects are defaulted and judged by the schema', () => {
  const definition = definitionOf({});
  const object = made(definition, { spec: { color: 'red' } });
  expect(definition.defaults?.(object)).toMatchObject({ spec: { color: 'red', size: 1 } });
  const wrong = made(definition, { spec: { size: 'big' } });
  expect(lines(definition.validateCreate?.(wrong, root) ?? [])).toEqual([
    'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
  ]);
});

describe('versions', () => {
  const served = definitions({
    versions: [
      version('v1alpha1', { storage: false, deprecated: true }),
      version('v1'),
      version('v0', { served: false, storage: false }),
    ],
  });

  test('each one that is served has a definition', () => {
    expect(served.map(({ version }) => version)).toEqual(['v1alpha1', 'v1']);
  });

  test('a deprecated one says so', () => {
    const [old, current] = served;
    const warnings = (definition: ResourceDefinition | undefined): readonly string[] =>
      definition === undefined ? [] : [...(definition.warnings?.(made(definition, {})) ?? [])];
    expect(warnings(old)).toEqual(['example.com/v1alpha1 Agent is deprecated']);
    expect(warnings(current)).toEqual([]);
  });
});

describe('columns', () => {
  const column = (type: string, jsonPath: string): object => ({ name: 'X', type, jsonPath });
  const body = {
    spec: {
      size: 3,
      ratio: 0.5,
      on: true,
      color: 'red',
      list: ['a', 'b'],
      map: { a: 1 },
      since: '2026-01-01T00:00:00Z',
    },
  };

  test.each([
    ['integer', '.spec.size', 3],
    ['integer', '.spec.color', ''],
    ['number', '.spec.ratio', 0.5],
    ['boolean', '.spec.on', true],
    ['string', '.spec.color', 'red'],
    ['string', '.spec.size', '3'],
    ['string', '.spec.list[*]', 'a b'],
    ['string', '.spec.map', '{"a":1}'],
    ['string', '.spec.none', ''],
    ['date', '.spec.since', '5m'],
    ['date', '.spec.color', '<invalid>'],
    ['date', '.metadata.creationTimestamp', '5m'],
  ])('%s %s shows %j', (type, jsonPath, expected) => {
    const definition = definitionOf({ additionalPrinterColumns: [column(type, jsonPath)] });
    expect(row(definition, body)).toEqual({ Name: 'web', X: expected });
  });

  test('are the whole table, in their order', () => {
    const columns = [{ ...column('string', '.a'), name: 'A', priority: 1, description: 'an a' }];
    const definition = definitionOf({ additionalPrinterColumns: columns });
    expect(definition.columnsComplete).toBe(true);
    expect(definition.columns.map(({ name, priority }) => [name, priority])).toEqual([
      ['Name', undefined],
      ['A', 1],
    ]);
  });
});

test('selectable fields read as text', () => {
  const selectableFields = [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }];
  const definition = definitionOf({ selectableFields });
  const values = (body: Body): readonly string[] =>
    definition.selectableFields.map(({ path, of }) => `${path}=${of(made(definition, body))}`);
  expect(values({ spec: { color: 'red', size: 2 } })).toEqual(['spec.color=red', 'spec.size=2']);
  expect(values({})).toEqual(['spec.color=', 'spec.size=']);
});

function fault(path: string, text: string, type: string): string {
  return `${path} accessor error: ${text} is of the type ${type}, expected int64`;
}

describe('scale', () => {
  const scale = {
    specReplicasPath: '.spec.size',
    statusReplicasPath: '.status.shards',
    labelSelectorPath: '.status.selector',
  };
  const definition = definitionOf({ subresources: { scale, status: {} } });
  const [door] = definition.subresources;
  const agent = made(definition, { spec: { size: 3, color: 'red' }, status: { shards: 2, selector: 'a=b' } });
  const scaleOf = (spec: object): KubeObject =>
    ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: agent.metadata, spec }) as unknown as KubeObject;

  test('shows the replicas and the selector', () => {
    expect(door?.read?.(agent)).toEqual({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: {
        name: 'web',
        namespace: 'default',
        uid: 'u1',
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: 'a=b' },
    });
  });

  test('an object without the fields has no replicas yet, which cannot be read but written', () => {
    expect(door?.unreadable?.(agent)).toBeUndefined();
    expect(door?.unreadable?.(made(definition, {}))).toBe('the spec replicas field ".spec.size" does not exist');
    expect(door?.read?.(made(definition, {}))).toMatchObject({ spec: {}, status: { replicas: 0 } });
  });

  test('sets one field and leaves the rest', () => {
    expect(door?.write?.(agent, scaleOf({ replicas: 5 }))).toEqual({
      ...agent,
      spec: { size: 5, color: 'red' },
    });
    expect(door?.write?.(made(definition, {}), scaleOf({ replicas: 5 }))).toMatchObject({ spec: { size: 5 } });
  });

  test.each<[string, object, readonly string[]]>([
    ['a number', { spec: { size: 3 } }, []],
    [
      'a whole one',
      { spec: { size: 1.5 } },
      [`.spec.size: Invalid value: 0: ${fault('.spec.size', '1.5', 'float64')}`],
    ],
    ['not below none', { spec: { size: -1 } }, ['.spec.size: Invalid value: -1: should be a non-negative integer']],
    [
      'not beyond what can be counted',
      { spec: {}, status: { shards: 2 ** 31 } },
      ['.status.shards: Invalid value: 2147483648: should be less than or equal to 2147483647'],
    ],
    [
      'in an object',
      { spec: 'a' },
      [
        '.spec.size: Invalid value: 0: .spec.size accessor error: a is of the type string, expected map[string]interface{}',
      ],
    ],
    [
      'with a selector that is a text',
      { status: { selector: { a: ['b', null, true] } } },
      [
        '.status.selector: Invalid value: "": .status.selector accessor error: map[a:[b <nil> true]] is of the type map[string]interface {}, expected string',
      ],
    ],
  ])('what is scaled has %s', (_, parts, expected) =>
    expect(lines(scaledIssues(made(definition, parts as never), scale))).toEqual(expected),
  );
});

describe('updates', () => {
  const spec = {
    type: 'object',
    properties: {
      color: { type: 'string', maxLength: 3 },
      wait: { type: 'string', format: 'duration' },
      ports: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, port: { type: 'integer', maximum: 9 } },
        },
      },
      size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0', message: 'must be positive' }] },
    },
  };
  const definition = definitionOf({ schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } });
  const issuesOf = (before: object, after: object): readonly string[] => {
    const [current, next] = [before, after].map((body) => made(definition, { spec: body }));
    if (current === undefined || next === undefined) throw new Error('two objects were made');
    return lines(definition.validateUpdate?.(next, current, root) ?? []);
  };

  test('let be what they do not touch', () => {
    expect(issuesOf({ color: 'green' }, { color: 'green', size: 1 })).toEqual([]);
    const ports = [
      { name: 'a', port: 10 },
      { name: 'b', port: 1 },
    ];
    expect(issuesOf({ ports }, { ports: [...ports].reverse() })).toEqual([]);
  });

  test('are judged by what they change', () => {
    expect(issuesOf({ color: 'green' }, { color: 'black' })).toEqual([
      'spec.color: Too long: may not be more than 3 bytes',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
    // What is no duration is of another type.
    expect(issuesOf({ size: 1 }, { size: 0, wait: '5' })).toEqual([
      'spec.wait: Invalid value: "5": spec.wait in body must be of type duration: "5"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
    expect(issuesOf({ size: 1 }, { size: 0 })).toEqual(['spec.size: Invalid value: "integer": must be positive']);
  });
});
