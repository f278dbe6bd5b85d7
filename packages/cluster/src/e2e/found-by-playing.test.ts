/** What `npm run differ` found that upstream takes, and what it makes of it. */
import { expect, test } from 'vitest';
import { builtinDefinitions } from '../resources/builtin.ts';
import { createTestServer } from '../testing/api-server.ts';
import { type AskWire, createWire } from '../testing/wire.ts';

async function plane(): Promise<AskWire> {
  const { server } = await createTestServer({ definitions: builtinDefinitions });
  return createWire(server);
}

const pods = '/api/v1/namespaces/default/pods';
const maps = '/api/v1/namespaces/default/configmaps';
const merge = 'application/merge-patch+json';

test('a limit range may say nothing', async () => {
  const ask = await plane();
  const ranges = '/api/v1/namespaces/default/limitranges';
  expect((await ask('POST', ranges, { body: { metadata: { name: 'empty' }, spec: {} } })).code).toBe(201);
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'b' }] } };
  expect((await ask('POST', pods, { body: pod })).code).toBe(201);
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
  expect((await ask('POST', claims, { body: { metadata: { name: 'a' }, spec: claim } })).code).toBe(201);
});

test('when an object was made is nobody’s to change, and trying is no mistake', async () => {
  const ask = await plane();
  const made = await ask('POST', maps, { body: { metadata: { name: 'a' } } });
  const { creationTimestamp } = (made.json as { readonly metadata: { readonly creationTimestamp: string } }).metadata;
  const body = { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } };
  const changed = await ask('PATCH', `${maps}/a`, { body, contentType: merge });
  expect(changed).toMatchObject({ code: 200, json: { metadata: { creationTimestamp } } });
});

test('a binding that is not there is made by a PUT', async () => {
  const ask = await plane();
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' };
  const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/a';
  expect((await ask('PUT', path, { body: { metadata: { name: 'a' }, roleRef } })).code).toBe(201);
});

test('what a node has it can give out, unless it says less', async () => {
  const ask = await plane();
  const node = { metadata: { name: 'a' }, status: { capacity: { cpu: '4' } } };
  expect((await ask('POST', '/api/v1/nodes', { body: node })).json).toMatchObject({
    status: { allocatable: { cpu: '4' } },
  });
});

test('changes of a pod template are counted', async () => {
  const ask = await plane();
  const path = '/api/v1/namespaces/default/podtemplates';
  const template = { spec: { containers: [{ name: 'a', image: 'b' }] } };
  expect((await ask('POST', path, { body: { metadata: { name: 'a' }, template } })).json).toMatchObject({
    metadata: { generation: 1 },
  });
  const body = { template: { metadata: { labels: { a: 'b' } } } };
  expect((await ask('PATCH', `${path}/a`, { body, contentType: merge })).json).toMatchObject({
    metadata: { generation: 2 },
  });
});

test('an event of the newer form stays what it was', async () => {
  const ask = await plane();
  const path = '/apis/events.k8s.io/v1/namespaces/default/events';
  const event = {
    ...{ metadata: { name: 'a' }, eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'example.com/a' },
    ...{
      reportingInstance: 'a',
      action: 'A',
      reason: 'B',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace: 'default' },
    },
  };
  expect((await ask('POST', path, { body: event })).code).toBe(201);
  const changed = await ask('PATCH', `${path}/a`, { body: { action: 'C' }, contentType: merge });
  expect(changed).toMatchObject({ code: 422, json: { details: { causes: [{ field: 'action' }] } } });
});

test('a pod of nothing is refused, whatever limits there are', async () => {
  const ask = await plane();
  const spec = { limits: [{ type: 'Container', default: { cpu: '1' } }] };
  const ranges = '/api/v1/namespaces/default/limitranges';
  expect((await ask('POST', ranges, { body: { metadata: { name: 'a' }, spec } })).code).toBe(201);
  expect((await ask('POST', pods, { body: { metadata: { name: 'a' } } })).code).toBe(422);
});
