import { beforeEach, describe, expect, test } from 'vitest';
import {
  configmaps,
  deployments,
  mutatingadmissionpolicies,
  mutatingadmissionpolicybindings,
  mutatingwebhookconfigurations,
  namespaces,
  pods,
} from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { StatusError } from '../../api/status.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createTestServer, type TestServer } from '../../testing/api-server.ts';

const rule = (resources: readonly string[], apiGroups: readonly string[] = ['']): object => ({
  ...{ apiGroups, resources, apiVersions: ['*'], operations: ['CREATE', 'UPDATE'] },
});
const matchConstraints = { resourceRules: [rule(['configmaps', 'pods']), rule(['deployments'], ['apps'])] };
const applying = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patching = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer({ definitions: builtinDefinitions });
  await server.create(namespaces, { metadata: { name: 'shop', labels: { tier: 'front' } } });
});

interface Given {
  readonly name?: string;
  readonly bound?: false;
}

async function policy(spec: object, { name = 'p', bound }: Given = {}): Promise<void> {
  const body = { metadata: { name }, spec: { reinvocationPolicy: 'Never', matchConstraints, ...spec } };
  await server.create(mutatingadmissionpolicies, body);
  if (bound === undefined)
    await server.create(mutatingadmissionpolicybindings, { metadata: { name }, spec: { policyName: name } });
}

async function refused(asking: Promise<unknown>): Promise<string> {
  try {
    await asking;
    return '';
  } catch (error) {
    const { status } = error as StatusError;
    return `${status.code} ${status.reason}: ${status.message}`;
  }
}

async function made(data: object = {}, metadata: object = {}): Promise<KubeObject & { readonly data?: unknown }> {
  const body = { metadata: { name: 'c', ...metadata }, data };
  return (await server.create(configmaps, body, { namespace: 'shop' })).object as KubeObject;
}

describe('an apply configuration', () => {
  test('is laid over the object', async () => {
    await policy({
      mutations: [
        applying(
          "Object{metadata: Object.metadata{labels: {'from': object.data.origin, 'tier': dyn(namespaceObject.metadata.labels.tier)}}}",
        ),
      ],
    });
    const { metadata } = await made({ origin: 'here' }, { labels: { mine: 'yes' } });
    expect(metadata.labels).toEqual({ mine: 'yes', from: 'here', tier: 'front' });
  });

  test('merges lists by their keys', async () => {
    const expression = `Object{spec: Object.spec{initContainers: [
      Object.spec.initContainers{name: 'mesh', image: 'mesh:1', restartPolicy: 'Always'}]}}`;
    await policy({ mutations: [applying(expression)] });
    const containers = [{ name: 'a', image: 'a:1' }];
    const spec = { containers, initContainers: [{ name: 'mine', image: 'b:1' }] };
    const { object } = await server.create(pods, { metadata: { name: 'a' }, spec }, { namespace: 'shop' });
    expect(object).toMatchObject({
      spec: {
        containers,
        initContainers: [
          { name: 'mine', image: 'b:1' },
          { name: 'mesh', restartPolicy: 'Always', terminationMessagePolicy: 'File' },
        ],
      },
    });
  });

  test.each([
    [
      "Object{metadata: Object.metadata{finalizers: ['example.com/x']}, data: {'n': 'x'}, spec: Object.spec{}}",
      'error applying patch: failed to convert patch object to typed object: .spec: field not declared in schema',
    ],
    [
      'Object{metadata: Object.spec{}}',
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      "Object{data: {'a': null}}",
      'error applying patch: failed to convert patch object to typed object: .data.a: expected a value, got null',
    ],
    [
      "Object{binaryData: {'a': b'x'}}",
      'error applying patch: failed to convert patch object to typed object: .binaryData.a: expected string, got bytes',
    ],
    ["Object{data: {'n': object.data.none}}", "expression '…' resulted in error: no such key: none"],
  ])('%s is refused', async (expression, words) => {
    await policy({ mutations: [applying(expression)] });
    expect(await refused(made({ a: 'b' }))).toBe(
      `403 Invalid: policy 'p' with binding 'p' denied request: ${words.replace('…', expression)}`,
    );
  });

  test('may not set a part of what is kept as one', async () => {
    const expression =
      "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', args: ['x']}]}}}}";
    await policy({ mutations: [applying(expression)] });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const asking = server.create(deployments, { metadata: { name: 'a' }, spec }, { namespace: 'shop' });
    expect(await refused(asking)).toContain(
      'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args',
    );
  });
});

describe('a JSON patch', () => {
  test('is made of what the expression gives', async () => {
    await policy({
      variables: [{ name: 'key', expression: "'example.com/a'" }],
      mutations: [
        patching(`[
          JSONPatch{op: 'test', path: '/data/a', value: 'b'},
          JSONPatch{op: 'add', path: '/metadata/labels', value: {}},
          JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey(variables.key), value: string(size(object.data))},
          JSONPatch{op: 'move', from: '/data/a', path: '/data/c'}]`),
      ],
    });
    expect(await made({ a: 'b' })).toMatchObject({
      data: { c: 'b' },
      metadata: { labels: { 'example.com/a': '1' } },
    });
  });

  test('whose test fails changes nothing', async () => {
    await policy({
      mutations: [
        patching(
          "[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'add', path: '/data/n', value: 'y'}]",
        ),
      ],
    });
    expect((await made({ a: 'b' })).data).toEqual({ a: 'b' });
  });

  test('may set whole objects', async () => {
    await policy({
      mutations: [
        patching(
          "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'b', image: 'b:1'}}]",
        ),
      ],
    });
    const spec = { containers: [{ name: 'a', image: 'a:1' }] };
    const { object } = await server.create(pods, { metadata: { name: 'a' }, spec }, { namespace: 'shop' });
    expect(object).toMatchObject({
      spec: { containers: [{ name: 'a' }, { name: 'b', imagePullPolicy: 'IfNotPresent' }] },
    });
  });

  test('that does not fit refuses, or is passed over', async () => {
    const mutations = [patching("[JSONPatch{op: 'remove', path: '/data/none'}]")];
    await policy({ mutations });
    expect(await refused(made({ a: 'b' }))).toContain(
      "403 Invalid: policy 'p' with binding 'p' denied request: JSON Patch: ",
    );
    await server.merge(mutatingadmissionpolicies, 'p', { body: { spec: { failurePolicy: 'Ignore' } } });
    expect((await made({ a: 'b' })).data).toEqual({ a: 'b' });
  });
});

const counts = (by: string): object =>
  applying(`Object{data: {'seen': (has(object.data.seen) ? object.data.seen : '') + '${by}'}}`);

describe('a JSON patch that leaves no object of the kind', () => {
  const add = (path: string, value: string): readonly object[] => [
    patching(`[JSONPatch{op: 'add', path: '${path}', value: ${value}}]`),
  ];
  test.each<[string, string, string, string]>([
    ['has a field that nobody knows', '/bogus', '1', 'strict decoding error: unknown field "bogus"'],
    [
      'has a field that nobody knows far down',
      '/metadata/ownerReferences',
      '[{"nope": true}]',
      'strict decoding error: unknown field "metadata.ownerReferences[0].nope"',
    ],
    [
      'has a value of the wrong type',
      '/data/x',
      '1',
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
  ])('it %s: nothing is dropped in silence', async (_, path, value, message) => {
    await policy({ mutations: add(path, value) });
    expect(await refused(made({ a: 'b' }))).toBe(`500 InternalError: Internal error occurred: ${message}`);
  });

  test('it is told also where failures are ignored, as upstream', async () => {
    await policy({ failurePolicy: 'Ignore', mutations: add('/bogus', '1') });
    expect(await refused(made({ a: 'b' }))).toContain('500 InternalError');
  });
});

describe('a policy that wants to be asked again', () => {
  const never = 'Never';
  const again = 'IfNeeded';
  test.each<[string, readonly (readonly [letter: string, reinvocationPolicy: string])[], string]>([
    ['is, after its own change', [['a', again]], 'aa'],
    ['is not when it does not want to', [['a', never]], 'a'],
    [
      'is once, whoever changed the object',
      [
        ['a', again],
        ['b', again],
      ],
      'abab',
    ],
    [
      'is, and the others are not',
      [
        ['a', again],
        ['b', never],
      ],
      'aba',
    ],
    [
      'is, also when it was the last',
      [
        ['a', never],
        ['b', again],
      ],
      'abb',
    ],
  ])('%s', async (_, policies, expected) => {
    for (const [letter, reinvocationPolicy] of policies)
      await policy({ mutations: [counts(letter)], reinvocationPolicy }, { name: letter });
    expect((await made({ x: '1' })).data).toEqual({ x: '1', seen: expected });
  });
});

describe('a policy', () => {
  test('is about what it matches, with conditions and parameters', async () => {
    await server.create(configmaps, { metadata: { name: 'settings' }, data: { by: 'param' } }, { namespace: 'shop' });
    await policy(
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'named', expression: "object.metadata.name.startsWith('c')" }],
        mutations: [applying("Object{data: {'by': params.data.by}}")],
      },
      { bound: false },
    );
    const paramRef = { name: 'settings', parameterNotFoundAction: 'Deny' };
    const matchResources = { objectSelector: { matchLabels: { wanted: 'yes' } } };
    const spec = { policyName: 'p', paramRef, matchResources };
    await server.create(mutatingadmissionpolicybindings, { metadata: { name: 'b' }, spec });
    const labels = { wanted: 'yes' };
    expect((await made({}, { labels })).data).toEqual({ by: 'param' });
    expect((await made({}, { name: 'd', labels })).data ?? {}).toEqual({});
    expect((await made({}, { name: 'c2' })).data ?? {}).toEqual({});
    await server.delete(configmaps, 'settings', { namespace: 'shop' });
    expect(await refused(made({}, { name: 'c3', labels }))).toBe(
      "403 Forbidden: policy 'p' with binding 'b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    );
  });

  test('refuses all that it is about while nobody serves its parameters', async () => {
    const paramKind = { apiVersion: 'example.com/v1', kind: 'Limit' };
    await policy({ paramKind, mutations: [applying("Object{data: {'a': 'b'}}")] }, { bound: false });
    await server.create(mutatingadmissionpolicybindings, {
      metadata: { name: 'b' },
      spec: { policyName: 'p', matchResources: { objectSelector: { matchLabels: { wanted: 'yes' } } } },
    });
    expect(await refused(made({}))).toBe(
      `403 Forbidden: policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`,
    );
  });

  test('sees what those before it left, and once more what came after it where it wants to', async () => {
    await policy({ mutations: [counts('a')], reinvocationPolicy: 'IfNeeded' }, { name: 'a' });
    await policy({ mutations: [counts('b')] }, { name: 'b' });
    expect((await made({ x: '1' })).data).toEqual({ x: '1', seen: 'aba' });
  });

  test('is forgotten with its binding', async () => {
    await policy({ mutations: [counts('a')] });
    await server.delete(mutatingadmissionpolicybindings, 'p');
    expect((await made()).data ?? {}).toEqual({});
  });

  test('holds for updates, and never for deletes', async () => {
    const made1 = await made({ a: 'b' });
    await policy({ mutations: [counts('u')] });
    const { object } = await server.merge(configmaps, 'c', { namespace: 'shop', body: { data: { a: 'c' } } });
    expect(object).toMatchObject({ data: { a: 'c', seen: 'u' } });
    await server.delete(configmaps, made1.metadata.name, { namespace: 'shop' });
  });

  test('is not asked about webhooks, which must stay to be mended', async () => {
    const resourceRules = [rule(['*'], ['*'])];
    await policy({ matchConstraints: { resourceRules }, mutations: [applying("Object{kind: 'x', spec: 1}")] });
    await server.create(mutatingwebhookconfigurations, { metadata: { name: 'w' } });
  });

  test('is left out where nobody is to be asked', async () => {
    server = await createTestServer({ definitions: builtinDefinitions, withoutAdmission: ['MutatingAdmissionPolicy'] });
    await server.create(namespaces, { metadata: { name: 'shop' } });
    await policy({ mutations: [counts('a')] });
    expect((await made()).data ?? {}).toEqual({});
  });
});

describe('what is wrong with a policy is told when it is written', () => {
  const issues = async (spec: object): Promise<string> => refused(policy(spec, { bound: false }));

  test.each([
    [
      { mutations: [applying("[JSONPatch{op: 'add', path: '/x'}]")] },
      "spec.mutations[0].applyConfiguration.expression: Invalid value: \"[JSONPatch{op: 'add', path: '/x'}]\": must evaluate to Object but got list(JSONPatch)",
    ],
    [
      { mutations: [patching("[JSONPatch{do: 'add'}]")] },
      "compilation failed: ERROR: <input>:1:14: undefined field 'do'",
    ],
    [{ mutations: [applying('Object{spec: nothing}')] }, "undeclared reference to 'nothing'"],
    [
      { mutations: [applying("Object{data: {'x': variables.nope}}")] },
      "compilation failed: ERROR: <input>:1:29: undefined field 'nope'",
    ],
    [
      { mutations: [{ ...applying('Object{}'), ...patching('[]') }] },
      '[spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch, spec.mutations[0].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)]',
    ],
    [{ mutations: [] }, 'spec.mutations: Required value: mutations must contain at least one item'],
    [
      { mutations: [{ patchType: 'JSONPatch' }] },
      'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
    ],
    [
      { mutations: [{ ...applying('Object{}'), ...patching('[]'), patchType: 'ApplyConfiguration' }] },
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
    [
      { mutations: [{ patchType: 'Merge' }] },
      'spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
    ],
    [{ mutations: [applying('Object{}')], reinvocationPolicy: '' }, 'spec.reinvocationPolicy: Required value'],
    [
      {
        mutations: [applying('Object{}')],
        matchConstraints: { resourceRules: [{ ...rule(['pods']), operations: ['DELETE'] }] },
      },
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ])('%j', async (spec, words) => expect(await issues(spec)).toContain(words));
});

test('both versions show the same policy', async () => {
  await policy({ mutations: [counts('a')] });
  const alpha = { ...mutatingadmissionpolicies, version: 'v1alpha1' };
  const shown = await server.get(alpha, 'p');
  const stored = await server.get(mutatingadmissionpolicies, 'p');
  expect(shown).toEqual({ ...stored, apiVersion: 'admissionregistration.k8s.io/v1alpha1' });
});
