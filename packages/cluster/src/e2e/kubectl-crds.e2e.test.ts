import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Kubectl,
  kubectlMinor,
  type ServedCluster,
  startServedCluster,
  withoutKubectl,
} from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: Kubectl;
let definition = '';

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
        scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size, labelSelectorPath: .status.selector}
      additionalPrinterColumns:
        - {name: Size, type: integer, jsonPath: .spec.size}
        - {name: Color, type: string, jsonPath: .spec.color, priority: 1}
        - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
      schema:
        openAPIV3Schema:
          type: object
          description: A thing to count.
          required: [spec]
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: {type: integer, minimum: 1, maximum: 10, description: How many there are.}
                color: {type: string, enum: [red, blue], default: red}
            status:
              type: object
              properties:
                size: {type: integer}
                selector: {type: string}
                conditions:
                  type: array
                  items: {type: object, properties: {type: {type: string}, status: {type: string}}}
`;
const widget = (name: string, spec: string): string =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

beforeAll(async () => {
  if (without) return;
  served = await startServedCluster({ nodes: 0 });
  ({ kubectl } = served);
  definition = served.write('crd.yaml', crd);
  expect(await kubectl(`apply -f ${definition}`)).toContain('widgets.example.com created');
  await kubectl('wait --for=condition=Established crd/widgets.example.com --timeout=5s');
  await kubectl('create -f -', { stdin: widget('one', '{size: 2}') });
});

afterAll(async () => {
  const problems = served?.problems ?? [];
  await served?.close();
  // That the definition goes is worth a line.
  expect(problems.filter((line) => !line.startsWith('informers: cannot follow widgets'))).toEqual([]);
});

describe.skipIf(without)('custom resources', () => {
  test('are found by all their names and print their columns', async () => {
    expect(await kubectl('api-resources --api-group=example.com --no-headers')).toMatch(
      /^widgets +wd +example.com\/v1 +true +Widget$/,
    );
    expect(await kubectl('get wd')).toMatch(/^NAME +SIZE +AGE\none +2 +\d+s$/);
    expect(await kubectl('get widget.example.com one -o wide')).toMatch(/^NAME +SIZE +COLOR +AGE\none +2 +red +\d+s$/);
    expect(await kubectl('get all -o name')).toContain('widget.example.com/one');
    expect(await kubectl('get crd --no-headers')).toMatch(/^widgets\.example\.com +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await kubectl('describe wd one')).toMatch(/Spec:\n +Color: +red\n +Size: +2/);
    expect(await kubectl('describe crd widgets.example.com')).toMatch(/NamesAccepted|no conflicts found/);
  });

  test('explain themselves', async () => {
    expect(await kubectl('explain wd')).toContain('A thing to count.');
    expect(await kubectl('explain widgets.spec.size')).toContain('How many there are.');
  });

  test.each<[string, string, string]>([
    ['beyond its limit', '{size: 20}', 'spec.size in body should be less than or equal to 10'],
    [
      'not among its values',
      '{size: 1, color: green}',
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
    ],
    ['missing', '{color: red}', 'size'],
    ['unknown', '{size: 1, foo: 1}', 'foo'],
  ])('a value %s is refused', async (_, spec, says) => {
    expect(await kubectl.refused('create -f -', { stdin: widget('bad', spec) })).toContain(says);
  });

  test('every mistake at once', async () => {
    const said = await kubectl.refused('create -f - --validate=false', {
      stdin: widget('bad', '{size: 20, color: green}'),
    });
    expect(said.split('\n').sort()).toEqual([
      '* spec.color: Unsupported value: "green": supported values: "red", "blue"',
      '* spec.size: Invalid value: 20: spec.size in body should be less than or equal to 10',
      expect.stringContaining('The Widget "bad" is invalid'),
    ]);
  });

  test('of a kind that takes anything explain what every object has, and keep every digit', async () => {
    const free = crd
      .replaceAll('widget', 'free')
      .replaceAll('Widget', 'Free')
      .replace('shortNames: [wd], categories: [all]', '')
      .replace(
        / {6}subresources:.*$/s,
        '      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n',
      );
    await kubectl('create -f -', { stdin: free });
    await kubectl('wait --for=condition=Established crd/frees.example.com --timeout=5s');
    // Older ones read version 2 of the documents, which upstream leaves without the fields of such a kind.
    const explained = (kubectlMinor ?? 0) >= 27 ? await kubectl('explain frees') : 'apiVersion <> kind <> metadata <>';
    for (const field of ['apiVersion', 'kind', 'metadata']) expect(explained).toMatch(new RegExp(`${field}\\s+<`));
    const object = 'apiVersion: example.com/v1\nkind: Free\nmetadata: {name: big}\nspec: {id: 3546343826724305833}\n';
    expect(await kubectl('apply -f -', { stdin: object })).toMatch(/created$/);
    expect(await kubectl('apply -f -', { stdin: object })).toMatch(/unchanged$/);
    expect(await kubectl('get frees big -o jsonpath={.spec.id}')).toBe('3546343826724305833');
    expect(await kubectl('get frees big -o yaml')).toContain('id: 3546343826724305833');
    const definitions = (await served.ask('/openapi/v2')).body as { definitions: Record<string, object> };
    expect(Object.keys(definitions.definitions['com.example.v1.Free'] ?? {}).sort()).toEqual([
      'type',
      'x-kubernetes-group-version-kind',
    ]);
  });

  test('apply, label, patch, scale, status, wait', async () => {
    await kubectl('apply -f -', { stdin: widget('two', '{size: 3}') });
    expect(await kubectl('apply -f -', { stdin: widget('two', '{size: 3}') })).toMatch(/unchanged$/);
    expect(await kubectl('apply -f -', { stdin: widget('two', '{size: 4, color: blue}') })).toMatch(/configured$/);
    await kubectl('label wd two a=b');
    expect(await kubectl.refused(`patch wd two -p '{"spec":{"size":3}}'`)).toMatch(/strategic|merge-patch/);
    expect(await kubectl(`patch wd two --type=merge -p '{"spec":{"size":5}}'`)).toMatch(/patched$/);
    expect(await kubectl('scale wd two --replicas=7')).toMatch(/scaled$/);
    expect(await kubectl('get wd two -o jsonpath={.spec}')).toBe('{"color":"blue","size":7}');
    expect(await kubectl.refused('scale wd two --replicas=70')).toContain('less than or equal to 10');
    const status = { status: { size: 7, conditions: [{ type: 'Ready', status: 'True' }] } };
    const path = '/apis/example.com/v1/namespaces/default/widgets/two/status';
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await served.ask(path, { method: 'PATCH', headers, body: status })).code).toBe(200);
    expect(await kubectl('wait wd/two --for=condition=Ready --timeout=5s')).toMatch(/condition met$/);
    expect(await kubectl('get wd two -o jsonpath={.metadata.generation}')).toBe('4');
  });

  test('go with their definition, and come back empty with it', async () => {
    expect(await kubectl('delete crd widgets.example.com --timeout=10s')).toMatch(/"widgets\.example\.com" deleted/);
    expect((await served.ask('/apis/example.com/v1/widgets')).code).toBe(404);
    await kubectl(`create -f ${definition}`);
    await kubectl('wait --for=condition=Established crd/widgets.example.com --timeout=5s');
    expect(await kubectl('get widgets.example.com -o name')).toBe('');
  });
});
