import { describe, expect, test } from 'vitest';
import type { TokenRequest } from '../../api/generated/authentication-v1.ts';
import { configmaps, endpoints, secrets, serviceaccounts } from '../../api/generated/kinds.ts';
import type { User } from '../../api/operation.ts';
import { endpointsDefinition } from '../../resources/core/endpoints.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { createTestServer, type TestServer } from '../../testing/api-server.ts';
import type { AuditEvent } from './event.ts';
import type { AuditPolicy } from './policy.ts';

interface World {
  readonly server: TestServer;
  readonly events: AuditEvent[];
}

const jane: User = { name: 'jane', groups: ['devs'], uid: '7', extra: { team: ['a'] } };

async function audited(policy: AuditPolicy): Promise<World> {
  const events: AuditEvent[] = [];
  const server = await createTestServer({
    audit: { policy, sink: (event) => events.push(event) },
    definitions: [endpointsDefinition as unknown as ResourceDefinition],
  });
  events.length = 0;
  return { server, events };
}

const everything: AuditPolicy = { rules: [{ level: 'RequestResponse' }] };
const map = { metadata: { name: 'a' }, data: { a: 'b' } };

describe('what is asked in process', () => {
  test('is written down twice: when it comes, and when it is done', async () => {
    const { server, events } = await audited(everything);
    await server.create(configmaps, map);
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(Object.keys(events[0] ?? {})).not.toContain('requestObject');
    expect(events[1]).toMatchObject({
      ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'RequestResponse', verb: 'create' },
      requestURI: '/api/v1/namespaces/default/configmaps',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { data: { a: 'b' } },
      responseObject: { metadata: { name: 'a', resourceVersion: expect.any(String) } },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
    });
    expect(events[0]?.auditID).toBe(events[1]?.auditID);
  });

  test('with what is deprecated of it, and which token came of it', async () => {
    const { server, events } = await audited({ omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
    await server.list(endpoints);
    await server.create(serviceaccounts, { metadata: { name: 'robot' } });
    const issued = await server.create(serviceaccounts, { spec: {} }, { name: 'robot', subresource: 'token' });
    const [listed, made, token] = events.map(({ annotations }) => annotations);
    expect(listed).toMatchObject({ 'k8s.io/deprecated': 'true' });
    expect(made).not.toHaveProperty(['k8s.io/deprecated']);
    const { status } = issued.object as unknown as TokenRequest;
    const { jti } = JSON.parse(Buffer.from(status.token.split('.')[1] ?? '', 'base64url').toString()) as {
      jti: string;
    };
    expect(token).toMatchObject({ 'authentication.kubernetes.io/issued-credential-id': `JTI=${jti}` });
  });

  test('and so is a refusal, with who was refused and why', async () => {
    const { server, events } = await audited({ omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
    await server.get(configmaps, 'a', { user: jane }).catch(() => undefined);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      user: { username: 'jane', uid: '7', groups: ['devs'], extra: { team: ['a'] } },
      responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    });
    expect(events[0]).not.toHaveProperty('responseObject');
  });

  test('a deletion shows its options, and managers of fields where they are wanted', async () => {
    const { server, events } = await audited({ omitManagedFields: true, rules: [{ level: 'Request' }] });
    await server.create(configmaps, { ...map, metadata: { name: 'a', managedFields: [] } });
    await server.delete(configmaps, 'a', { gracePeriodSeconds: 1 } as never).catch(() => undefined);
    expect(events[1]?.requestObject).toEqual({ ...map, metadata: { name: 'a' } });
    expect(events[3]).toMatchObject({ verb: 'delete', objectRef: { name: 'a' } });
    expect(events[3]).not.toHaveProperty('responseObject');
  });
});

test('no secret is written down, at whatever level', async () => {
  const { server, events } = await audited(everything);
  await server.create(secrets, { metadata: { name: 's' }, stringData: { a: 'hunter2' } });
  await server.create(secrets, { metadata: { name: 't' }, stringData: 'hunter2' }).catch(() => undefined);
  await server.list(secrets);
  const text = JSON.stringify(events);
  expect(text).toContain('"***"');
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain(Buffer.from('hunter2').toString('base64'));
});

test('long lists are left out of their event', async () => {
  const { server, events } = await audited({ rules: [{ level: 'RequestResponse', verbs: ['list'] }] });
  for (let index = 0; index < 501; index++) await server.create(configmaps, { metadata: { name: `m-${index}` } });
  await server.list(configmaps);
  expect(events.at(-1)).toMatchObject({ annotations: { 'audit.k8s.io/truncated': 'true' } });
  expect(events.at(-1)).not.toHaveProperty('responseObject');
});

test('who takes events and fails costs nobody an answer', async () => {
  const problems: string[] = [];
  const server = await createTestServer({
    audit: {
      policy: everything,
      sink() {
        throw new Error('full');
      },
    },
    report: ({ message }) => problems.push(message),
  });
  await server.create(configmaps, map);
  expect(problems).toEqual(['what is audited cannot be told']);
});
