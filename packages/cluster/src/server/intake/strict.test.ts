import { describe, expect, test } from 'vitest';
import { createTestServer } from '../../testing/api-server.ts';
import { type AskWire, createWire, type WireAnswer } from '../../testing/wire.ts';

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const template = '{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","foo":1}]}}';
const json = `{"metadata":{"name":"d"},"spec":{"replicas":1,"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":${template}},"bar":1}`;
const yaml = `apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  replicas: 1
  replicas: 2
  selector: {matchLabels: {a: b}}
  template: ${template}
`;
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = '/apis/example.com/v1/namespaces/default/things';
const crd = {
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
      },
    ],
  },
};

async function wired(): Promise<AskWire> {
  const { server } = await createTestServer();
  return createWire(server);
}

function message({ json: body }: WireAnswer): string {
  return (body as { readonly message: string }).message;
}

const unknown = 'unknown field "spec.template.spec.containers[0].foo"';

describe('strictly, a body is refused for all that is unknown or stands twice', () => {
  test('as JSON', async () => {
    const ask = await wired();
    const answer = await ask('POST', `${deployments}?fieldValidation=Strict`, { body: json });
    expect([answer.code, message(answer)]).toEqual([
      400,
      `Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: duplicate field "spec.replicas", ${unknown}, unknown field "bar"`,
    ]);
  });

  test('as YAML, by its lines', async () => {
    const ask = await wired();
    const contentType = 'application/yaml';
    const answer = await ask('POST', `${deployments}?fieldValidation=Strict`, { body: yaml, contentType });
    expect([answer.code, message(answer)]).toEqual([
      400,
      `Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: yaml: unmarshal errors:\n  line 6: key "replicas" already set in map, ${unknown}`,
    ]);
  });

  test('of a custom resource', async () => {
    const ask = await wired();
    await ask('POST', crds, { body: crd });
    const body =
      '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"a":1},"spec":{"b":1,"b":2}}';
    const answer = await ask('POST', `${things}?fieldValidation=Strict`, { body });
    expect([answer.code, message(answer)]).toEqual([
      400,
      'Thing in version "v1" cannot be handled as a Thing: strict decoding error: duplicate field "spec", duplicate field "spec.b", unknown field "spec.b"',
    ]);
  });

  test('of a patch the object that it makes is shown, of a strategic one the patch', async () => {
    const ask = await wired();
    await ask('POST', `${deployments}?fieldValidation=Ignore`, { body: json });
    const target = `${deployments}/d?fieldValidation=Strict`;
    const merge = await ask('PATCH', target, {
      body: '{"spec":{"paused":true,"paused":true,"nope":1}}',
      contentType: 'application/merge-patch+json',
    });
    expect(merge.code).toBe(422);
    expect(message(merge)).toMatch(/^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"apps\/v1\\",/);
    expect(message(merge)).toMatch(
      /: strict decoding error: duplicate field "spec.paused", unknown field "spec.nope"$/,
    );
    // Of a text whose fields are not known yet, all that stands twice is told.
    const twice = await ask('PATCH', target, {
      body: '{"spec":{"nope":1,"nope":2}}',
      contentType: 'application/strategic-merge-patch+json',
    });
    expect(message(twice)).toBe(
      ' "" is invalid: patch: Invalid value: "map[spec:map[nope:2]]": strict decoding error: duplicate field "spec.nope", unknown field "spec.nope"',
    );
    const patch = await ask('PATCH', target, {
      body: '[{"op":"add","op":"add","path":"/spec/paused","value":true}]',
      contentType: 'application/json-patch+json',
    });
    expect(message(patch)).toMatch(/: strict decoding error: json patch duplicate field "\[0\].op"$/);
    const odd = await ask('PATCH', target, {
      body: '[{"op":"add","path":"/spec/paused","value":true,"why":1}]',
      contentType: 'application/json-patch+json',
    });
    expect(message(odd)).toMatch(/: strict decoding error: json patch unknown field "\[0\].why"$/);
  });

  test('keys stand in paths as they are', async () => {
    const ask = await wired();
    const answer = await ask('POST', '/api/v1/namespaces/default/configmaps?fieldValidation=Strict', {
      body: '{"metadata":{"name":"x","annotations":{"a.b/c":"1","a.b/c":"2"},"x-y":2},"x.y/z":1}',
    });
    expect(message(answer)).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "metadata.annotations.a.b/c", unknown field "metadata.x-y", unknown field "x.y/z"',
    );
  });

  test('what nobody knows is not also told to be there twice', async () => {
    const ask = await wired();
    const answer = await ask('POST', '/api/v1/namespaces/default/configmaps?fieldValidation=Strict', {
      body: '{"metadata":{"name":"x"},"nope":1,"nope":2,"data":{"a":"1","a":"2"}}',
    });
    expect(message(answer)).toMatch(/: strict decoding error: duplicate field "data.a", unknown field "nope"$/);
  });

  test('of a status all of the object is looked at', async () => {
    const ask = await wired();
    await ask('POST', `${deployments}?fieldValidation=Ignore`, { body: json });
    const body = { metadata: { name: 'd' }, spec: { nope: 1 }, status: { replicas: 0, odd: 1 } };
    const refused = await ask('PUT', `${deployments}/d/status?fieldValidation=Strict`, { body });
    expect(message(refused)).toMatch(/: strict decoding error: unknown field "spec.nope", unknown field "status.odd"$/);
    const told = await ask('PUT', `${deployments}/d/status?fieldValidation=Warn`, { body });
    expect(told.warnings).toHaveLength(2);
  });

  test('validation of another kind is refused', async () => {
    const ask = await wired();
    const answer = await ask('POST', `${deployments}?fieldValidation=Harsh`, { body: json });
    expect([answer.code, message(answer)]).toEqual([
      422,
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Harsh": supported values: "", "Ignore", "Strict", "Warn"',
    ]);
  });
});

describe('otherwise the last one counts', () => {
  test.each(['application/json', 'application/yaml'])('%s, with warnings', async (contentType) => {
    const ask = await wired();
    const body = contentType === 'application/json' ? json : yaml;
    const { code, text, warnings } = await ask('POST', deployments, { body, contentType });
    expect(code).toBe(201);
    expect(text).toContain('"replicas":2');
    expect(warnings.join()).toContain(
      contentType === 'application/json' ? 'duplicate field' : 'line 6: key \\"replicas\\" already set in map',
    );
    expect(warnings.join()).toContain('unknown field');
    expect(warnings.join()).not.toContain('unmarshal');
  });

  test('or without', async () => {
    const ask = await wired();
    const contentType = 'application/yaml';
    const answer = await ask('POST', `${deployments}?fieldValidation=Ignore`, { body: yaml, contentType });
    expect([answer.code, answer.warnings]).toEqual([201, []]);
  });
});
