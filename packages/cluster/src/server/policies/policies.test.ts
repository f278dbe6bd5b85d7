import { beforeEach, describe, expect, test } from 'vitest';
import {
  configmaps,
  namespaces,
  validatingadmissionpolicies,
  validatingadmissionpolicybindings,
} from '../../api/generated/kinds.ts';
import type { StatusError } from '../../api/status.ts';
import { clusterOwner } from '../../api/system-identities.ts';
import { validatingadmissionpolicyDefinition } from '../../resources/admissionregistration/validatingadmissionpolicy.ts';
import { validatingadmissionpolicybindingDefinition } from '../../resources/admissionregistration/validatingadmissionpolicybinding.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { createTestServer, type TestServer } from '../../testing/api-server.ts';

const own = [validatingadmissionpolicyDefinition, validatingadmissionpolicybindingDefinition];
const rule = {
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
};

let server: TestServer;
beforeEach(async () => {
  server = await createTestServer({ definitions: own as unknown as readonly ResourceDefinition[] });
  await server.create(namespaces, { metadata: { name: 'shop', labels: { tier: 'front' } } });
});

async function policy(spec: object, name = 'p'): Promise<void> {
  const matchConstraints = { resourceRules: [rule] };
  await server.create(validatingadmissionpolicies, { metadata: { name }, spec: { matchConstraints, ...spec } });
}

async function bind(spec: object = {}, name = 'b'): Promise<void> {
  const body = { metadata: { name }, spec: { policyName: 'p', validationActions: ['Deny'], ...spec } };
  await server.create(validatingadmissionpolicybindings, body);
}

/** What becomes of a ConfigMap that somebody creates: nothing, warnings, or the refusal. */
async function created(data: object, metadata: object = { name: 'c' }): Promise<string> {
  try {
    const { warnings } = await server.create(configmaps, { metadata, data }, { namespace: 'shop' });
    return warnings.join('\n');
  } catch (error) {
    const { status } = error as StatusError;
    return `${status.code} ${status.reason}: ${status.message}`;
  }
}

const refused = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request:";

describe('a policy', () => {
  const small = { validations: [{ expression: "object.data.size < '5'" }] };

  test('refuses what it is bound to', async () => {
    await policy(small);
    expect(await created({ size: '7' }, { name: 'before' })).toBe('');
    await bind();
    expect(await created({ size: '7' })).toBe(
      `422 Invalid: configmaps "c" is forbidden: ${refused} failed expression: object.data.size < '5'`,
    );
    expect(await created({ size: '3' })).toBe('');
  });

  test('is forgotten with its binding', async () => {
    await policy(small);
    await bind();
    await server.delete(validatingadmissionpolicybindings, 'b');
    expect(await created({ size: '7' })).toBe('');
  });

  test('is told in its own words, with a code for its reason', async () => {
    await policy({
      validations: [
        {
          expression: "object.data.size < '5'",
          reason: 'Forbidden',
          message: 'too large',
          messageExpression: "'too large: ' + object.data.size",
        },
      ],
    });
    await bind();
    expect(await created({ size: '7' })).toBe(`403 Forbidden: configmaps "c" is forbidden: ${refused} too large: 7`);
  });

  test('warns where its binding says so', async () => {
    await policy(small);
    await bind({ validationActions: ['Warn', 'Audit'] });
    expect(await created({ size: '7' })).toBe(
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: object.data.size < '5'",
    );
  });

  test('sees the change, the request and the namespace', async () => {
    await policy({
      validations: [
        { expression: 'oldObject == null || oldObject.data == object.data', message: 'data is for good' },
        { expression: "request.operation != 'CREATE' || namespaceObject.metadata.labels['tier'] == 'front'" },
        { expression: "authorizer.group('').resource('configmaps').namespace('shop').check('create').allowed()" },
      ],
    });
    await bind();
    expect(await created({ a: '1' })).toBe('');
    const changed = server.update(configmaps, { metadata: { name: 'c' }, data: { a: '2' } }, { namespace: 'shop' });
    await expect(changed).rejects.toThrow(`${refused} data is for good`);
  });

  test('reads its variables when they are needed, each once', async () => {
    await policy({
      variables: [
        { name: 'size', expression: 'int(object.data.size)' },
        { name: 'double', expression: 'variables.size * 2' },
      ],
      validations: [
        {
          expression: '!has(object.data.size) || variables.double < 10',
          messageExpression: 'string(variables.double)',
        },
      ],
    });
    await bind();
    expect(await created({ a: '1' }, { name: 'a' })).toBe('');
    expect(await created({ size: '7' })).toContain(`${refused} 14`);
    expect(await created({ size: 'x' })).toContain('composited variable "size" fails to evaluate');
  });

  test('that fails refuses, or is passed over', async () => {
    const failing = { validations: [{ expression: "object.data.nothing == 'x'" }] };
    await policy({ ...failing, failurePolicy: 'Ignore' });
    await bind();
    expect(await created({ a: '1' })).toBe('');
    await server.delete(validatingadmissionpolicies, 'p');
    await policy(failing);
    expect(await created({ a: '1' }, { name: 'd' })).toContain(
      `${refused} expression 'object.data.nothing == 'x'' resulted in error: no such key: nothing`,
    );
  });

  test('is asked where its conditions and constraints hold', async () => {
    await policy({
      ...small,
      matchConditions: [{ name: 'sized', expression: 'has(object.data.size)' }],
      matchConstraints: {
        resourceRules: [rule],
        excludeResourceRules: [{ ...rule, resourceNames: ['free'] }],
        objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
      },
    });
    await bind({ matchResources: { namespaceSelector: { matchLabels: { tier: 'front' } } } });
    expect(await created({ a: '1' }, { name: 'unsized' })).toBe('');
    expect(await created({ size: '7' }, { name: 'free' })).toBe('');
    expect(await created({ size: '7' }, { name: 'skipped', labels: { skip: '' } })).toBe('');
    expect(await created({ size: '7' })).toContain('422');
    await server.create(namespaces, { metadata: { name: 'back' } });
    await server.create(configmaps, { metadata: { name: 'c' }, data: { size: '7' } }, { namespace: 'back' });
  });
});

describe('parameters', () => {
  const limited = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: 'params == null || !has(object.data.size) || object.data.size <= params.data.max' }],
  };

  test('come from the object that a binding names', async () => {
    await policy(limited);
    expect(await created({ max: '5' }, { name: 'limits' })).toBe('');
    await bind({ paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } });
    expect(await created({ size: '7' })).toContain('422');
    expect(await created({ size: '3' })).toBe('');
  });

  test('come from all that a binding selects', async () => {
    await policy(limited);
    for (const max of ['9', '5']) await created({ max }, { name: `limits-${max}`, labels: { limits: '' } });
    await bind({ paramRef: { selector: { matchLabels: { limits: '' } }, parameterNotFoundAction: 'Deny' } });
    expect(await created({ size: '7' })).toContain('422');
    expect(await created({ size: '4' })).toBe('');
  });

  test('that nobody serves refuse all that the policy is about', async () => {
    await policy({ ...limited, paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' } });
    await bind({ paramRef: { name: 'limits', parameterNotFoundAction: 'Allow' } });
    expect(await created({ size: '7' })).toContain(
      "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'",
    );
  });

  test('that are missing refuse, or are passed over', async () => {
    await policy(limited);
    await bind({ paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } });
    expect(await created({ size: '7' })).toContain(
      `${refused} failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    await server.delete(validatingadmissionpolicybindings, 'b');
    await bind({ paramRef: { name: 'limits', parameterNotFoundAction: 'Allow' } });
    expect(await created({ size: '7' })).toBe('');
  });
});

describe('mistakes are refused when a policy is written', () => {
  test.each<[string, object, string]>([
    [
      'no boolean',
      { validations: [{ expression: '1' }] },
      'spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int',
    ],
    ['an unknown name', { validations: [{ expression: 'params.x' }] }, "undeclared reference to 'params'"],
    ['an unknown variable', { validations: [{ expression: 'variables.x' }] }, "undeclared reference to 'variables'"],
    [
      'nothing to judge',
      {},
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
    ],
    [
      'an annotation of a wrong type',
      { auditAnnotations: [{ key: 'a', valueExpression: '1' }] },
      'must evaluate to one of [string null_type] but got int',
    ],
    [
      'an annotation whose key does not stand behind the name of the policy',
      { auditAnnotations: [{ key: 'a b', valueExpression: 'null' }] },
      'spec.auditAnnotations[0].key: Invalid value: "p/a b": name part must consist of',
    ],
    [
      'a variable that is called as a word of the language',
      { variables: [{ name: 'in', expression: '1' }], validations: [{ expression: 'true' }] },
      'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
    ],
    [
      'more than one thing, of the form and of what it says',
      { failurePolicy: 'Never', validations: [{ expression: '1' }, {}] },
      '[spec.failurePolicy: Unsupported value: "Never": supported values: "Fail", "Ignore", spec.validations[1].expression: Required value: expression is not specified, spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int]',
    ],
    [
      'an end in the middle',
      { validations: [{ expression: 'object.' }] },
      "ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'",
    ],
  ])('%s', async (_, spec, message) => {
    await expect(policy(spec)).rejects.toThrow(message);
  });

  test('a parameter that is named and selected', async () => {
    const paramRef = { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' };
    const words = 'Forbidden: name and selector are mutually exclusive';
    await expect(bind({ paramRef })).rejects.toThrow(
      `[spec.paramRef.name: ${words}, spec.paramRef.selector: ${words}]`,
    );
  });

  test('a binding that warns of what it refuses', async () => {
    await expect(bind({ validationActions: ['Deny', 'Warn'] })).rejects.toThrow('must not contain both Deny and Warn');
  });
});

test('who is refused is told the warnings as well', async () => {
  await policy({ validations: [{ expression: "object.data.size < '5'", message: 'too large' }] });
  await bind({ validationActions: ['Warn'] }, 'a');
  await bind({ validationActions: ['Deny'] });
  const body = { metadata: { name: 'c' }, data: { size: '7' } };
  const { status, warnings } = (await server
    .create(configmaps, body, { namespace: 'shop' })
    .catch((error: unknown) => error)) as StatusError;
  expect(status.message).toBe(`configmaps "c" is forbidden: ${refused} too large`);
  expect(warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'a': too large"]);
});

test('what a binding wants audited is noted with the request, and what the policy adds', async () => {
  await policy({
    validations: [{ expression: "object.data.size < '5'", message: 'too large' }],
    auditAnnotations: [{ key: 'size', valueExpression: "'of ' + object.data.size" }],
  });
  await bind({ validationActions: ['Audit'] });
  await bind({ validationActions: ['Audit'] }, 'again');
  const notes: [string, string][] = [];
  await server.server.perform(
    {
      ...{ verb: 'create', resource: configmaps, namespace: 'shop', user: clusterOwner.user, options: {} },
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { size: '7' } },
      annotate: (key, value) => notes.push([key, value]),
    },
    { signal: new AbortController().signal },
  );
  const failure = (binding: string): string =>
    `[{"message":"too large","policy":"p","binding":"${binding}","expressionIndex":0,"validationActions":["Audit"]}]`;
  expect(notes.filter(([key]) => !key.startsWith('authorization.'))).toEqual([
    ['validation.policy.admission.k8s.io/validation_failure', failure('b')],
    ['validation.policy.admission.k8s.io/validation_failure', failure('again')],
    ['p/size', 'of 7'],
  ]);
});
