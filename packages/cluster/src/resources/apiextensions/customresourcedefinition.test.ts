import { describe, expect, test } from 'vitest';
import { root } from '../../api/issue.ts';
import { crdBody, version } from '../../testing/resources/crd-bodies.ts';
import { created, createIssues, lines, updateIssues } from '../../testing/resources/judge.ts';
import { customresourcedefinitionDefinition as definition } from './customresourcedefinition.ts';

const issuesOf = (spec: object, name = 'agents.example.com'): readonly string[] =>
  createIssues(definition, crdBody(spec, name));

test('a plain definition is fine', () => expect(issuesOf({})).toEqual([]));

test('names and conversion are filled in', () => {
  const { spec, status } = created(definition, crdBody({ names: { plural: 'agents', kind: 'GrafanaAgent' } }));
  expect(spec.names).toEqual({
    plural: 'agents',
    singular: 'grafanaagent',
    kind: 'GrafanaAgent',
    listKind: 'GrafanaAgentList',
  });
  expect(spec.conversion).toEqual({ strategy: 'None' });
  expect(status.storedVersions).toEqual(['v1']);
});

test('the port of a service that converts is filled in', () => {
  const service = { namespace: 'a', name: 'b' };
  const webhook = { clientConfig: { service }, conversionReviewVersions: ['v1'] };
  const { spec } = created(definition, crdBody({ conversion: { strategy: 'Webhook', webhook } }));
  expect(spec.conversion?.webhook?.clientConfig?.service).toEqual({ ...service, port: 443 });
});

describe('refused', () => {
  test('a name that is not plural.group', () => {
    expect(issuesOf({}, 'agents.example.org')).toEqual([
      'metadata.name: Invalid value: "agents.example.org": must be spec.names.plural+"."+spec.group',
    ]);
  });

  test.each([
    [{ type: 'object', nullable: true }, 'spec.validation.openAPIV3Schema: Invalid value: '],
    [
      { type: 'array', items: { type: 'string' } },
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": only',
    ],
  ])('a root that says more than it may while the status has a door: %j', (openAPIV3Schema, start) => {
    const named = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
    const of = (subresources: object): readonly string[] => issuesOf({ versions: [{ ...named, subresources }] });
    const [told, others] = [of({ status: {} }), of({})];
    expect(told.filter((issue) => !others.includes(issue)).map((issue) => issue.startsWith(start))).toEqual([true]);
  });

  test('a group without a dot', () => {
    expect(issuesOf({ group: 'example' }, 'agents.example')).toEqual([
      'spec.group: Invalid value: "example": should be a domain with at least one dot',
    ]);
  });

  test("Kubernetes' own groups without approval", () => {
    expect(issuesOf({ group: 'x.k8s.io' }, 'agents.x.k8s.io')[0]).toMatch(
      /^metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value: protected groups must have approval/,
    );
    const body = crdBody({ group: 'x.k8s.io' }, 'agents.x.k8s.io');
    const metadata = { ...body.metadata, annotations: { 'api-approved.kubernetes.io': 'https://example.com' } };
    expect(createIssues(definition, { ...body, metadata })).toEqual([]);
  });

  test.each([
    ['no storage version', [version('v1', { storage: false })]],
    ['two storage versions', [version('v1'), version('v2')]],
  ])('%s', (_, versions) => {
    expect(issuesOf({ versions })[0]).toMatch(
      /^spec\.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
    );
  });

  test('one version twice', () => {
    expect(issuesOf({ versions: [version('v1'), version('v1', { storage: false })] })[0]).toContain(
      'must contain unique version names',
    );
  });

  test('no schema', () => {
    const { schema: _none, ...bare } = version('v1');
    expect(issuesOf({ versions: [bare] })).toEqual(['spec.versions[0].schema.openAPIV3Schema: Required value']);
  });

  test('a schema that is not structural, at its place', () => {
    const broken = { type: 'object', properties: { spec: { properties: { a: { type: 'string' } } } } };
    expect(issuesOf({ versions: [version('v1', { schema: { openAPIV3Schema: broken } })] })[0]).toMatch(
      /^spec\.validation\.openAPIV3Schema\.properties\[spec\]\.type: Required value/,
    );
  });

  test.each([
    [{ scope: 'Everywhere' }, 'spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", "Namespaced"'],
    [
      { conversion: { strategy: 'Magic' } },
      'spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
    ],
    [
      { names: { plural: 'agents', kind: 'Agent', listKind: 'Agent' } },
      'spec.names.listKind: Invalid value: "Agent": kind and listKind may not be the same',
    ],
    [{ preserveUnknownFields: true }, 'spec.preserveUnknownFields: Invalid value: true: cannot set to true'],
  ])('%j', (spec, start) => {
    const [issue, ...more] = issuesOf(spec);
    expect(issue?.startsWith(start)).toBe(true);
    expect(more).toEqual([]);
  });

  test.each<[object, readonly string[]]>([
    [
      { strategy: 'Webhook' },
      [
        'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
        'spec.conversion.conversionReviewVersions: Required value',
      ],
    ],
    [
      { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } },
      ['spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v2'] } },
      ['spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
    ],
    [
      { strategy: 'None', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] } },
      [
        'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
        'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
      ],
    ],
    [
      { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v2', 'v1'] } },
      [],
    ],
  ])('conversion %j', (conversion, expected) => expect(issuesOf({ conversion })).toEqual(expected));

  test('a kind that would be no label in lower case', () => {
    expect(issuesOf({ names: { plural: 'agents', kind: 'Ag_ent', listKind: 'AgentList' } }).join('\n')).toMatch(
      /spec\.names\.kind: Invalid value: "Ag_ent": may have mixed case, but should otherwise match: a DNS-1035 label/,
    );
  });

  test.each([
    [
      { specReplicasPath: '.status.n', statusReplicasPath: '.status.n' },
      'specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
    ],
    [
      { specReplicasPath: '.spec.n', statusReplicasPath: '.spec.n' },
      'statusReplicasPath: Invalid value: ".spec.n": should be a json path under .status',
    ],
    [
      { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.metadata.x' },
      'labelSelectorPath: Invalid value: ".metadata.x": should be a json path under either .status or .spec',
    ],
    [
      { specReplicasPath: '.spec.n[0]', statusReplicasPath: '.status.n' },
      'specReplicasPath: Invalid value: ".spec.n[0]": should be a simple json path',
    ],
    [{ statusReplicasPath: '.status.n' }, 'specReplicasPath: Required value'],
  ])('scale %j', (scale, start) => {
    const [issue, ...more] = issuesOf({ versions: [version('v1', { subresources: { scale } })] });
    expect(issue?.startsWith(`spec.versions[0].subresources.scale.${start}`)).toBe(true);
    expect(more).toEqual([]);
  });

  test.each([
    [{ name: 'A', jsonPath: '.a' }, 'type: Required value: must be one of boolean,date,integer,number,string'],
    [{ name: 'A', type: 'text', jsonPath: '.a' }, 'type: Invalid value: "text": must be one of boolean,date,integer'],
    [
      { name: 'A', type: 'string', format: 'int3', jsonPath: '.a' },
      'format: Invalid value: "int3": must be one of byte,date,date-time,double,float,int32,int64,password',
    ],
    [{ name: 'A', type: 'string', jsonPath: 'a' }, 'JSONPath: Invalid value: "a": must be a simple json path starting'],
    [{ name: 'A', type: 'string' }, 'JSONPath: Required value'],
    [{ type: 'string', jsonPath: '.a' }, 'name: Required value'],
  ])('column %j', (column, start) => {
    const [issue, ...more] = issuesOf({ versions: [version('v1', { additionalPrinterColumns: [column] })] });
    expect(issue?.startsWith(`spec.additionalPrinterColumns[0].${start}`)).toBe(true);
    expect(more).toEqual([]);
  });

  test('columns of one version are told of there', () => {
    const columns = [{ name: 'A', type: 'string', jsonPath: 'a' }];
    const versions = [version('v1'), version('v2', { storage: false, additionalPrinterColumns: columns })];
    expect(issuesOf({ versions })).toEqual([
      'spec.versions[1].additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
    ]);
  });

  test.each([true, false, { type: 'string' }])('the root has fields, and no others: %j', (additionalProperties) => {
    const schema = { openAPIV3Schema: { type: 'object', additionalProperties } };
    expect(issuesOf({ versions: [version('v1', { schema })] })).toEqual([
      'spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root',
    ]);
  });

  test.each([
    ['.metadata.name', 'is an invalid path: does not refer to a valid field'],
    ['.spec.missing', 'is an invalid path: does not refer to a valid field'],
    [
      '.spec',
      'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
    ],
    ['.spec.list[0]', 'is an invalid path'],
  ])('selectable field %s', (jsonPath, words) => {
    const [issue] = issuesOf({ versions: [version('v1', { selectableFields: [{ jsonPath }] })] });
    expect(issue).toMatch(/^spec\.versions\[0\]\.selectableFields\[0\]\.jsonPath: Invalid value/);
    expect(issue).toContain(words);
  });
});

test('selectable fields are none of the metadata, stand once, and in a schema', () => {
  const metadata = { type: 'object', properties: { name: { type: 'string' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { metadata, a: { type: 'string' } } } };
  const of = (...paths: readonly string[]): object => ({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
  const at = 'spec.versions[0].selectableFields';
  expect(issuesOf({ versions: [version('v1', { schema, ...of('.metadata.name', '.a', '.a') })] })).toEqual([
    `${at}[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata`,
    `${at}[2].jsonPath: Duplicate value: ".a"`,
  ]);
  expect(issuesOf({ versions: [version('v1', { schema: undefined, ...of('.a') })] })).toContain(
    `${at}: Invalid value: "": may only be set when \`version.schema.openAPIV3Schema\` is not included`,
  );
});

describe('updates', () => {
  test('group and plural stay, scope and kind once established', () => {
    const before = crdBody({});
    const status = { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] };
    const after = crdBody({ scope: 'Cluster', names: { plural: 'agents', kind: 'Other' } });
    expect(updateIssues(definition, { before, after, status })).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
    ]);
    expect(updateIssues(definition, { before, after })).toEqual([]);
  });

  test('a version that objects are stored in cannot go', () => {
    const before = crdBody({ versions: [version('v1alpha1')] });
    const after = crdBody({ versions: [version('v1')] });
    expect(updateIssues(definition, { before, after })).toEqual([
      expect.stringContaining(
        'status.storedVersions[0]: Invalid value: "v1alpha1": missing from spec.versions; v1alpha1 was',
      ),
    ]);
  });

  test('which versions are stored whoever moved the objects says, and it is judged with the next change', () => {
    const stored = created(definition, crdBody({}));
    const said = { ...stored, status: { ...stored.status, storedVersions: ['v0'] } };
    expect(lines(definition.validateStatusUpdate?.(said, stored, root) ?? [])).toEqual([]);
    expect(lines(definition.validateUpdate?.(said, said, root) ?? [])).toEqual([
      expect.stringContaining('status.storedVersions[0]: Invalid value: "v0": missing from spec.versions'),
      expect.stringContaining('status.storedVersions: Invalid value: ["v0"]: must have the storage version v1'),
    ]);
  });
});
