import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  configmaps,
  deployments,
  endpointslices,
  events,
  eventsEvents,
  mutatingwebhookconfigurations,
  namespaces,
  nodes,
  pods,
  selfsubjectaccessreviews,
  serviceaccounts,
  services,
  validatingwebhookconfigurations,
} from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Passed } from '../../api/passing.ts';
import { endpointsliceDefinition } from '../../resources/discovery/endpointslice.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { admin, configMap, pod, refusalOf } from '../../testing/api-server.ts';
import { type AskedReview, patchOf } from '../../testing/server/fake-hooks.ts';
import { createWebhookWorld, everyConfigMap, type WebhookWorld } from '../../testing/server/webhook-world.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';

const yes = { allowed: true };
const addLabel = (name: string): object => ({ op: 'add', path: `/metadata/labels/${name}`, value: 'yes' });
const labelled = (name: string): object => configMap(name, { labels: { app: 'a' } });
const asked = ({ hooks }: WebhookWorld): string[] => hooks.calls.map(({ at }) => at.replace(/^[^/]*\/|\?.*$/g, ''));

async function labelsOf(world: WebhookWorld, name: string): Promise<unknown> {
  return (await world.get(configmaps, name)).metadata.labels;
}

describe('what a webhook is told', () => {
  test('of a create', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/m', () => yes).set('/v', () => yes);
    await world.mutating('m', { name: 'm' });
    await world.validating('v', { name: 'v', timeoutSeconds: 3 });
    await world.create(configmaps, configMap('a', { data: { x: '1' } }), { dryRun: true });
    const [first, second] = world.hooks.calls;
    expect(first?.at).toBe('hooks.example.com:443/m?timeout=10s');
    expect(second?.at).toBe('hooks.example.com:443/v?timeout=3s');
    const group = { group: '', version: 'v1' };
    expect(first?.review).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { ...group, kind: 'ConfigMap' },
        resource: { ...group, resource: 'configmaps' },
        requestKind: { ...group, kind: 'ConfigMap' },
        requestResource: { ...group, resource: 'configmaps' },
        name: 'a',
        namespace: 'default',
        operation: 'CREATE',
        userInfo: { username: expect.any(String), groups: expect.arrayContaining(['system:masters']) },
        object: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          // As upstream, owners are noted before anybody is asked.
          metadata: {
            name: 'a',
            namespace: 'default',
            managedFields: [expect.objectContaining({ operation: 'Update' })],
          },
          data: { x: '1' },
        },
        oldObject: null,
        dryRun: true,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] },
      },
    });
    // What is judged is what would be stored.
    expect(second?.review.request['object']).toMatchObject({
      metadata: { name: 'a', uid: expect.any(String), creationTimestamp: expect.any(String) },
    });
    expect(second?.review.request.uid).not.toBe(first?.review.request.uid);
  });

  test('of a name that the server makes up: nothing, before it is judged', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/m', () => patchOf(addLabel('seen'))).set('/v', () => yes);
    await world.mutating('m', { name: 'm' });
    await world.validating('v', { name: 'v' });
    const body = { metadata: { generateName: 'a-', labels: { app: 'a' } } };
    const { object } = await world.create(configmaps, body);
    const told = world.hooks.calls.map(({ review: { request } }) => [
      request['name'],
      (request['object'] as KubeObject).metadata.name,
    ]);
    const { name } = (object as KubeObject).metadata;
    expect(told).toEqual([
      [undefined, undefined],
      [name, name],
    ]);
    expect(object).toMatchObject({
      metadata: { labels: { app: 'a', seen: 'yes' }, name: expect.stringMatching(/^a-.{5}$/) },
    });
  });

  test('of what is sent, by those who may change it, and of what would be stored, by those who judge it', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/m', () => yes).set('/v', () => yes);
    await world.create(configmaps, configMap('a'));
    await world.mutating('m', { name: 'm' });
    await world.validating('v', { name: 'v' });
    await world.update(configmaps, configMap('a', { data: { x: '1' } }));
    const [first, second] = world.hooks.calls.map(
      ({ review: { request } }) => (request['object'] as KubeObject).metadata,
    );
    expect(first).toEqual({ name: 'a', namespace: 'default' });
    expect(second).toMatchObject({ uid: expect.any(String), resourceVersion: expect.any(String) });
  });

  test('of updates, patches, parts and ends', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => yes);
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments/*'] }];
    await world.validating('v', { name: 'v', rules });
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const spec = { selector: { matchLabels: { app: 'a' } }, template };
    await world.create(deployments, { metadata: { name: 'web' }, spec });
    await world.merge(deployments, 'web', { body: { spec: { replicas: 2 } } });
    await world.merge(deployments, 'web', { subresource: 'scale', body: { spec: { replicas: 3 } } });
    await world.merge(deployments, 'web', { subresource: 'status', body: { status: { replicas: 3 } } });
    await world.delete(deployments, 'web', { delete: { gracePeriodSeconds: 7, propagationPolicy: 'Orphan' } });
    const told = world.hooks.calls.map(({ review: { request } }) => {
      const { operation, kind, subResource = '', object, oldObject, options } = request;
      const kinds = [object, oldObject].map((each) => (each as KubeObject | null)?.kind ?? 'nothing');
      return [
        operation,
        (kind as { readonly kind: string }).kind,
        subResource,
        ...kinds,
        (options as { readonly kind: string }).kind,
      ].join(' ');
    });
    expect(told).toEqual([
      'CREATE Deployment  Deployment nothing CreateOptions',
      'UPDATE Deployment  Deployment Deployment UpdateOptions',
      'UPDATE Scale scale Scale Scale UpdateOptions',
      'UPDATE Deployment status Deployment Deployment UpdateOptions',
      'DELETE Deployment  nothing Deployment DeleteOptions',
    ]);
    expect(world.hooks.calls.at(-1)?.review.request['options']).toMatchObject({
      gracePeriodSeconds: 7,
      propagationPolicy: 'Orphan',
    });
  });

  test('of the end of a collection: of each object', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => yes);
    for (const name of ['a', 'b']) await world.create(configmaps, configMap(name));
    await world.validating('v', { name: 'v' });
    const user = { name: 'admin', groups: ['system:masters'] };
    await world.server.perform(
      { verb: 'deletecollection', resource: configmaps, namespace: 'default', user, options: {}, list: {} },
      { signal: new AbortController().signal },
    );
    const names = new Set(world.hooks.calls.map(({ review: { request } }) => request['name']));
    expect(names).toEqual(new Set(['a', 'b']));
  });

  test('in the first version of reviews, where it knows no other', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/m', () => ({ ...patchOf(addLabel('old')), patchType: undefined }));
    await world.mutating('m', { name: 'm', admissionReviewVersions: ['v2', 'v1beta1', 'v1'] });
    await world.create(configmaps, labelled('a'));
    expect(world.hooks.calls[0]?.review.apiVersion).toBe('admission.k8s.io/v1beta1');
    expect(await labelsOf(world, 'a')).toEqual({ app: 'a', old: 'yes' });
  });
});

describe('who is asked', () => {
  test('nobody about configurations of webhooks, whatever the rules say', async () => {
    const world = await createWebhookWorld();
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
    await world.validating('v', { name: 'v', rules });
    await world.mutating('m', { name: 'm', rules });
    await world.delete(mutatingwebhookconfigurations, 'm');
    await world.delete(validatingwebhookconfigurations, 'v');
    await world.create(configmaps, configMap('a'));
    expect(world.hooks.calls).toEqual([]);
  });

  test('who chooses the labels of object and namespace', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/o', () => yes).set('/n', () => yes);
    await world.create(namespaces, { metadata: { name: 'shop', labels: { team: 'a' } } });
    await world.validating(
      'v',
      { name: 'o', objectSelector: { matchLabels: { app: 'a' } } },
      { name: 'n', namespaceSelector: { matchLabels: { team: 'a' } } },
    );
    await world.create(configmaps, labelled('labelled'));
    await world.create(configmaps, configMap('in-shop'), { namespace: 'shop' });
    await world.create(configmaps, configMap('neither'));
    expect(asked(world)).toEqual(['o', 'n']);
  });

  test('a namespace is looked at itself, and what is in none is never left out', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => yes);
    const rules = [{ ...everyConfigMap, resources: ['namespaces', 'nodes'] }];
    await world.validating('v', { name: 'v', rules, namespaceSelector: { matchLabels: { team: 'a' } } });
    await world.create(namespaces, { metadata: { name: 'b' } });
    await world.create(namespaces, { metadata: { name: 'a', labels: { team: 'a' } } });
    await world.create(nodes, { metadata: { name: 'node-1' } });
    expect(world.hooks.calls.map(({ review: { request } }) => [request['name'], request['namespace']])).toEqual([
      ['a', 'a'],
      ['node-1', undefined],
    ]);
  });

  test('by the rules of another version of the same thing, which is what is shown', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/m', ({ object }) =>
      patchOf({ op: 'add', path: '/note', value: `was ${String((object as { note?: string }).note)}` }),
    );
    const rules = [{ ...everyConfigMap, apiGroups: ['events.k8s.io'], resources: ['events'] }];
    await world.mutating('m', { name: 'm', rules });
    const event = { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace: 'default' }, message: 'hello' };
    await world.create(events, event);
    const { request } = world.hooks.calls[0]?.review ?? {};
    expect(request).toMatchObject({
      kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
      resource: { group: 'events.k8s.io', resource: 'events' },
      requestKind: { group: '', kind: 'Event' },
      requestResource: { group: '', resource: 'events' },
      object: { apiVersion: 'events.k8s.io/v1', note: 'hello' },
    });
    expect(await world.get(events, 'e')).toMatchObject({ message: 'was hello' });
    expect(await world.get(eventsEvents, 'e')).toMatchObject({ note: 'was hello' });
  });

  test('about bindings and evictions as what they are', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => yes);
    const rules = [{ ...everyConfigMap, resources: ['pods/binding', 'pods/eviction'] }];
    await world.validating('v', { name: 'v', rules });
    await world.create(pods, pod('p'));
    const binding = { metadata: { name: 'p' }, target: { name: 'node-1' } };
    await world.create(pods, binding, { name: 'p', subresource: 'binding' });
    await world.create(pods, { metadata: { name: 'p' } }, { name: 'p', subresource: 'eviction' });
    expect(world.hooks.calls.map(({ review: { request } }) => [request['operation'], request['kind']])).toEqual([
      ['CREATE', { group: '', version: 'v1', kind: 'Binding' }],
      ['CREATE', { group: 'policy', version: 'v1', kind: 'Eviction' }],
    ]);
  });
});

describe('changes', () => {
  test('are made one after the other, by configuration and place in it', async () => {
    const world = await createWebhookWorld();
    const seen: unknown[] = [];
    for (const name of ['a', 'b', 'c'])
      world.hooks.answers.set(`/${name}`, ({ object }) => {
        seen.push([name, Object.keys((object as KubeObject).metadata.labels ?? {})]);
        return patchOf(addLabel(name));
      });
    await world.mutating('second', { name: 'c' });
    await world.mutating('first', { name: 'b' }, { name: 'a' });
    await world.create(configmaps, labelled('x'));
    expect(seen).toEqual([
      ['b', ['app']],
      ['a', ['app', 'b']],
      ['c', ['app', 'b', 'a']],
    ]);
    expect(await labelsOf(world, 'x')).toEqual({ app: 'a', a: 'yes', b: 'yes', c: 'yes' });
  });

  test('are completed and found valid as if they had been sent so', async () => {
    const world = await createWebhookWorld();
    const image = { op: 'replace', path: '/spec/containers/0/image', value: 'mended' };
    world.hooks.answers.set('/m', () => patchOf(image));
    await world.mutating('m', { name: 'm', rules: [{ ...everyConfigMap, resources: ['pods'] }] });
    await world.create(pods, pod('p', { containers: [{ name: 'a', image: 'wrong' }] }));
    expect(await world.get(pods, 'p')).toMatchObject({ spec: { containers: [{ image: 'mended', resources: {} }] } });
    world.hooks.answers.set('/m', () => patchOf({ ...image, value: '' }));
    expect(await refusalOf(world.create(pods, pod('q')))).toMatchObject({
      code: 422,
      message: 'Pod "q" is invalid: spec.containers[0].image: Required value',
    });
  });

  test('bring those back who want to see them, once', async () => {
    const world = await createWebhookWorld();
    for (const name of ['a', 'b', 'c']) world.hooks.answers.set(`/${name}`, () => patchOf(addLabel(name)));
    world.hooks.answers.set('/d', () => yes);
    await world.mutating(
      'm',
      { name: 'a', reinvocationPolicy: 'IfNeeded' },
      { name: 'b' },
      { name: 'c', reinvocationPolicy: 'IfNeeded' },
      { name: 'd', reinvocationPolicy: 'IfNeeded' },
    );
    await world.create(configmaps, labelled('x'));
    expect(asked(world)).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  test('bring nobody back when nothing has changed', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers
      .set('/a', () => yes)
      .set('/b', () => patchOf({ op: 'replace', path: '/metadata/labels/app', value: 'a' }));
    await world.mutating('m', { name: 'a', reinvocationPolicy: 'IfNeeded' }, { name: 'b' });
    await world.create(configmaps, labelled('x'));
    expect(asked(world)).toEqual(['a', 'b']);
  });

  test('are not for what ends', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/m', ({ operation }) => (operation === 'DELETE' ? patchOf(addLabel('x')) : yes));
    await world.mutating('m', { name: 'm' });
    await world.create(configmaps, configMap('a'));
    expect((await refusalOf(world.delete(configmaps, 'a'))).message).toBe(
      'Internal error occurred: admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation',
    );
  });

  test('that do not apply are an error of the webhook', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/m', () => patchOf({ op: 'remove', path: '/nowhere' }));
    await world.mutating('m', { name: 'm', failurePolicy: 'Ignore' });
    expect(await refusalOf(world.create(configmaps, configMap('a')))).toMatchObject({
      code: 500,
      reason: 'InternalError',
    });
  });
});

describe('a refusal', () => {
  const no = (status?: object): object => ({ allowed: false, ...(status && { status }) });
  const denied = 'admission webhook "v.example.com" denied the request';
  test.each<[string, object, object]>([
    ['with nothing said', no(), { code: 400, message: `${denied} without explanation` }],
    ['with a message', no({ message: 'not today' }), { code: 400, message: `${denied}: not today` }],
    ['with a reason', no({ reason: 'Forbidden', code: 403 }), { code: 403, message: `${denied}: Forbidden` }],
    [
      'with all of a status',
      no({ message: 'no', reason: 'Invalid', code: 422, details: { causes: [{ field: 'data', message: 'bad' }] } }),
      {
        code: 422,
        reason: 'Invalid',
        details: { causes: [{ field: 'data', message: 'bad' }] },
        message: `${denied}: no`,
      },
    ],
    ['that calls itself a success', no({ code: 200, status: 'Success' }), { code: 400, status: 'Failure' }],
  ])('%s is the answer', async (_, response, expected) => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => response);
    await world.validating('v', { name: 'v', failurePolicy: 'Ignore' });
    expect(await refusalOf(world.create(configmaps, configMap('a')))).toMatchObject(expected);
    expect((await world.list(configmaps)).items).toEqual([]);
  });

  test('of several is the one of the first, and all are asked at once', async () => {
    const world = await createWebhookWorld();
    for (const name of ['a', 'b']) world.hooks.answers.set(`/${name}`, () => no({ message: name }));
    await world.validating('v', { name: 'a' }, { name: 'b' });
    const { message } = await refusalOf(world.create(configmaps, configMap('x')));
    expect(message).toBe('admission webhook "a.example.com" denied the request: a');
    expect(asked(world)).toEqual(['a', 'b']);
  });

  test('warnings reach the user', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => ({ allowed: true, warnings: ['this is old'] }));
    await world.mutating('m', { name: 'v' });
    await world.validating('v', { name: 'v' });
    expect((await world.create(configmaps, configMap('a'))).warnings).toEqual(['this is old']);
  });
});

describe('a webhook that cannot be asked', () => {
  const bad = (response: object) => () => response;
  const review = (response: unknown, more: object = {}): object => ({
    code: 200,
    text: JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response, ...more }),
  });
  test.each<[string, (() => object | string) | undefined, string]>([
    [
      'that is gone',
      undefined,
      'failed to call webhook: Post "https://hooks.example.com/m?timeout=10s": connect: connection refused',
    ],
    [
      'that fails',
      bad({ code: 500, text: 'oops' }),
      'failed to call webhook: an error on the server ("oops") has prevented the request from succeeding',
    ],
    [
      'that is not there',
      bad({ code: 404, text: 'no' }),
      'failed to call webhook: the server could not find the requested resource',
    ],
    ['that says nothing', bad(review(undefined)), 'received invalid webhook response: webhook response was absent'],
    [
      'that answers another question',
      bad(review({ uid: 'x', allowed: true })),
      'received invalid webhook response: expected response.uid="UID", got "x"',
    ],
    [
      'that patches in tongues',
      bad({ ...patchOf(), patch: 'e30=' }),
      'received undecodable patch in webhook response: a JSON patch is an array of operations',
    ],
    [
      'that neither allows nor refuses',
      bad(review({ uid: 'UID', allowed: 'yes' })),
      'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
    ['that is silent', bad({ code: 200, text: '' }), 'failed to call webhook: 0-length response'],
    [
      'that answers with something else, of which nothing is repeated',
      bad({ code: 200, text: 'hunter2' }),
      "failed to call webhook: couldn't get version/kind; json parse error: invalid JSON",
    ],
    [
      'whose patch is none, of which nothing is repeated',
      bad({ ...patchOf(), patch: Buffer.from('hunter2').toString('base64') }),
      'received undecodable patch in webhook response: invalid JSON',
    ],
    [
      'that does not name the type of its patch',
      bad({ ...patchOf(addLabel('a')), patchType: undefined }),
      'received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'whose patch is of another type',
      bad({ ...patchOf(addLabel('a')), patchType: 'Merge' }),
      'unsupported patch type "Merge"',
    ],
  ])('%s: the request fails, or goes on without it', async (_, answer, why) => {
    const world = await createWebhookWorld();
    if (answer !== undefined) world.hooks.answers.set('/m', answer);
    await world.mutating('m', { name: 'm' });
    const refusal = await refusalOf(world.create(configmaps, labelled('a')));
    const uid = world.hooks.calls[0]?.review.request.uid ?? '';
    const message = `failed calling webhook "m.example.com": ${why.replace('UID', uid)}`;
    expect(refusal).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
    });
    await world.merge(mutatingwebhookconfigurations, 'm', {
      body: { webhooks: [{ ...(await hookOf(world, 'm')), failurePolicy: 'Ignore' }] },
    });
    await world.create(configmaps, labelled('a'));
    expect(await labelsOf(world, 'a')).toEqual({ app: 'a' });
  });

  test('in time: the policy holds then', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/slow', () => 'hangs').set('/next', () => patchOf(addLabel('next')));
    await world.mutating('m', { name: 'slow', timeoutSeconds: 2, failurePolicy: 'Ignore' }, { name: 'next' });
    const work = world.create(configmaps, labelled('a'));
    await world.clock.advance(2_000);
    await work;
    expect(await labelsOf(world, 'a')).toEqual({ app: 'a', next: 'yes' });
    await world.validating('v', { name: 'slow', timeoutSeconds: 1 });
    const refused = refusalOf(world.create(configmaps, labelled('b')));
    await world.clock.advance(3_000);
    expect((await refused).message).toBe(
      'Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post "https://hooks.example.com/slow?timeout=1s": context deadline exceeded',
    );
  });

  test('in time, also where the time of the objects stands still', async () => {
    const outsideClock = createVirtualClock();
    const world = await createWebhookWorld({ outsideClock });
    world.hooks.answers.set('/slow', () => 'hangs');
    await world.mutating('m', { name: 'slow', timeoutSeconds: 2, failurePolicy: 'Ignore' });
    const work = world.create(configmaps, labelled('a'));
    await world.clock.advance(3_600_000);
    expect(await Promise.race([work.then(() => 'done'), Promise.resolve('waits')])).toBe('waits');
    await outsideClock.advance(2_000);
    await work;
    expect(await labelsOf(world, 'a')).toEqual({ app: 'a' });
  });

  test('whose service leads nowhere', async () => {
    const world = await createWebhookWorld();
    const clientConfig = { service: { namespace: 'shop', name: 'hooks', path: '/validate' } };
    await world.validating('v', { name: 'v', clientConfig });
    expect((await refusalOf(world.create(configmaps, configMap('a')))).message).toBe(
      'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: Post "https://hooks.shop.svc:443/validate?timeout=10s": service "hooks" not found',
    );
    expect(world.hooks.calls).toEqual([]);
  });
});

test('ends with the request', async () => {
  const world = await createWebhookWorld();
  const client = new AbortController();
  const gone = new Error('the client went away');
  world.hooks.answers.set('/v', () => {
    client.abort(gone);
    return 'hangs';
  });
  await world.validating('v', { name: 'v', failurePolicy: 'Ignore' });
  const user = { name: 'admin', groups: ['system:masters'] };
  const work = world.server.perform(
    { verb: 'create', resource: configmaps, namespace: 'default', user, body: configMap('a'), options: {} },
    { signal: client.signal },
  );
  await expect(work).rejects.toBe(gone);
});

test('what is configured holds from the answer on, and no longer than it stands there', async () => {
  const world = await createWebhookWorld();
  world.hooks.answers.set('/v', () => ({ allowed: false }));
  await world.validating('v', { name: 'v' });
  await refusalOf(world.create(configmaps, configMap('a')));
  await world.delete(validatingwebhookconfigurations, 'v');
  await world.create(configmaps, configMap('a'));
  expect(asked(world)).toEqual(['v']);
});

test('a stage that is left out asks nobody', async () => {
  const world = await createWebhookWorld({ withoutAdmission: ['ValidatingAdmissionWebhook'] });
  world.hooks.answers.set('/m', () => yes);
  await world.mutating('m', { name: 'm' });
  await world.validating('v', { name: 'v' });
  await world.create(configmaps, configMap('a'));
  expect(asked(world)).toEqual(['m']);
});

test('is remembered by the store alone', async () => {
  const { backend, ...first } = await createWebhookWorld();
  await first.validating('v', { name: 'v' });
  await first.server.close();
  await first.store.close();
  const world = await createWebhookWorld({ backend });
  world.hooks.answers.set('/v', () => yes);
  await world.create(configmaps, configMap('a'));
  expect(asked(world)).toEqual(['v']);
});

async function hookOf(world: WebhookWorld, name: string): Promise<object> {
  const found = (await world.get(mutatingwebhookconfigurations, name)) as KubeObject & {
    readonly webhooks: readonly object[];
  };
  return found.webhooks[0] ?? {};
}

describe('a webhook in a pod', () => {
  test('is reached by way of its node', async () => {
    const asked: string[] = [];
    const world = await createWebhookWorld({
      definitions: [endpointsliceDefinition as unknown as ResourceDefinition],
      async nodeDoors({ node, path, what }, passing) {
        const review = JSON.parse((await passing.body()).toString()) as AskedReview;
        asked.push(`${passing.method} ${what} ${node}${path} ${String(passing.headers['content-type'])}`);
        const { uid } = review.request;
        const text = JSON.stringify({ ...review, response: { uid, allowed: false } });
        const body = Readable.from([Buffer.from(text)]) as AsyncIterable<Buffer>;
        return { is: 'answer', code: 200, headers: {}, body };
      },
    });
    const port = { name: 'https', port: 443 };
    await world.create(services, { metadata: { name: 'hooks' }, spec: { ports: [port] } });
    await world.create(endpointslices, {
      metadata: { name: 'hooks-1', labels: { 'kubernetes.io/service-name': 'hooks' } },
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['192.0.2.7'],
          nodeName: 'real',
          targetRef: { kind: 'Pod', name: 'hook-x', namespace: 'default' },
        },
      ],
      ports: [{ name: 'https', port: 8443 }],
    });
    const clientConfig = { service: { namespace: 'default', name: 'hooks', path: '/check' } };
    await world.validating('v', { name: 'v', clientConfig });
    expect((await refusalOf(world.create(configmaps, configMap('a')))).message).toBe(
      'admission webhook "v.example.com" denied the request without explanation',
    );
    expect(asked).toEqual([
      'POST services/proxy real/proxy/default/hook-x/https/8443/check?timeout=10s application/json',
    ]);
  });
});

describe('is asked as well', () => {
  const answer: Passed = { is: 'answer', code: 200, headers: {}, body: Readable.from([]) as AsyncIterable<Buffer> };

  test('about a way into a pod, by what is asked of it', async () => {
    const ways: string[] = [];
    const world = await createWebhookWorld({
      async nodeDoors({ path }) {
        ways.push(path);
        return answer;
      },
    });
    await world.create(pods, pod('p', { nodeName: 'node-1' }));
    const rules = [{ ...everyConfigMap, operations: ['CONNECT'], resources: ['pods/exec', 'pods/portforward'] }];
    await world.validating('v', { name: 'v', rules });
    const { signal } = new AbortController();
    const enter = (subresource: string, query: string): Promise<Passed> | undefined => {
      const target = { resource: pods, namespace: 'default', name: 'p', subresource, user: admin };
      const passing = { method: 'GET', path: '', query, headers: {}, upgrades: true, signal };
      return world.server.connect?.({ verb: 'get', ...target }, { ...passing, body: async () => Buffer.alloc(0) });
    };
    world.hooks.answers.set('/v', () => ({ allowed: false, status: { message: 'stay out' } }));
    await expect(enter('exec', 'command=sh&command=-c&stdin=true&container=main')).rejects.toMatchObject({
      message: 'admission webhook "v.example.com" denied the request: stay out',
    });
    expect(ways).toEqual([]);
    world.hooks.answers.set('/v', () => yes);
    await enter('portforward', 'ports=80,443');
    expect(ways.length).toBe(1);
    const group = { group: '', version: 'v1' };
    const common = { operation: 'CONNECT', name: 'p', namespace: 'default', oldObject: null, options: null };
    expect(world.hooks.calls.map(({ review: { request } }) => request)).toMatchObject([
      {
        ...common,
        kind: { ...group, kind: 'PodExecOptions' },
        subResource: 'exec',
        object: { kind: 'PodExecOptions', apiVersion: 'v1', stdin: true, container: 'main', command: ['sh', '-c'] },
      },
      { ...common, object: { kind: 'PodPortForwardOptions', ports: [80, 443] } },
    ]);
  });

  test('about questions and tokens', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => ({ allowed: false, status: { message: 'ask somebody else' } }));
    const rules = [
      { ...everyConfigMap, apiGroups: ['authorization.k8s.io'], resources: ['*'] },
      { ...everyConfigMap, resources: ['serviceaccounts/token'] },
    ];
    await world.validating('v', { name: 'v', rules });
    await world.create(serviceaccounts, { metadata: { name: 'me' } });
    const questions = [
      world.create(selfsubjectaccessreviews, { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } }),
      world.create(serviceaccounts, { spec: {} }, { name: 'me', subresource: 'token' }),
    ];
    for (const question of questions) expect((await refusalOf(question)).message).toContain('ask somebody else');
    expect(world.hooks.calls.map(({ review: { request } }) => (request['kind'] as { kind: string }).kind)).toEqual([
      'SelfSubjectAccessReview',
      'TokenRequest',
    ]);
    // A rule about how long tokens last holds for one that does not say.
    expect(world.hooks.calls.at(-1)?.review.request['object']).toMatchObject({
      metadata: { name: 'me', namespace: 'default' },
      spec: { expirationSeconds: 3_600, audiences: ['https://kubernetes.default.svc.cluster.local'] },
    });
  });

  test('about tokens that a node asks for its pods, which name nobody for whom they are', async () => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => yes);
    await world.validating('v', { name: 'v', rules: [{ ...everyConfigMap, resources: ['serviceaccounts/token'] }] });
    await world.create(serviceaccounts, { metadata: { name: 'me' } });
    const volumes = [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }];
    const made = await world.create(pods, pod('p', { serviceAccountName: 'me', nodeName: 'n', volumes }));
    const { uid } = (made.object as KubeObject).metadata;
    const user = { name: 'system:node:n', groups: ['system:nodes'] };
    const body = { spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid } } };
    const { code } = await world.create(serviceaccounts, body, { name: 'me', subresource: 'token', user });
    expect(code).toBe(201);
  });
});

describe('match conditions', () => {
  const condition = (expression: string): object => ({ name: 'c', expression });
  const configured = async (failurePolicy: string, ...matchConditions: readonly object[]): Promise<WebhookWorld> => {
    const world = await createWebhookWorld();
    world.hooks.answers.set('/v', () => yes);
    const named = matchConditions.map((each, index) => ({ ...each, name: `c${index}` }));
    await world.validating('v', { name: 'v', failurePolicy, matchConditions: named as never });
    return world;
  };
  test('choose by object, request and what the user may', async () => {
    const world = await configured(
      'Fail',
      condition("object.data.x == '1'"),
      condition("request.operation == 'CREATE' && authorizer.requestResource.check('delete').allowed()"),
    );
    await world.create(configmaps, configMap('a', { data: { x: '1' } }));
    await world.create(configmaps, configMap('b', { data: { x: '2' } }));
    expect(world.hooks.calls.map(({ review: { request } }) => request['name'])).toEqual(['a']);
  });
  test.each([
    ['1 + 1', 'must evaluate to bool but got int'],
    ['object.', 'compilation failed: ERROR: <input>:1:8: '],
  ])('that mean nothing are refused: %s', async (expression, why) => {
    const refusal = await refusalOf(configured('Fail', condition(expression)));
    expect(refusal.message).toContain(
      `ValidatingWebhookConfiguration.admissionregistration.k8s.io "v" is invalid: webhooks[0].matchConditions[0].expression: Invalid value: "${expression}": ${why}`,
    );
  });
  test('that cannot tell refuse, or pass by; one that does not hold passes by before that', async () => {
    const blind = condition('object.data.x == 1');
    const strict = await configured('Fail', blind);
    expect(await refusalOf(strict.create(configmaps, configMap('a')))).toMatchObject({
      code: 403,
      message: 'configmaps "a" is forbidden: expression \'object.data.x == 1\' resulted in error: no such key: data',
    });
    for (const world of [await configured('Ignore', blind), await configured('Fail', blind, condition('false'))]) {
      await world.create(configmaps, configMap('a'));
      expect(world.hooks.calls).toEqual([]);
    }
  });
});
