import { beforeEach, describe, expect, test } from 'vitest';
import type { TokenRequest, TokenRequestSpec } from '../../api/generated/authentication-v1.ts';
import {
  clusterrolebindings,
  clusterroles,
  csidrivers,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceaccounts,
  tokenreviews,
} from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Outcome, User } from '../../api/operation.ts';
import { fromTimestamp } from '../../base/clock.ts';
import { builtinDefinitions } from '../../resources/builtin.ts';
import { createTestServer, pod, refusalOf, type TestServer } from '../../testing/api-server.ts';
import { apiAudiences, tokenIssuer } from '../context/tokens.ts';
import { readClaims } from './claims.ts';
import { judgeClaims } from './judge.ts';
import { findIn } from './tokens.ts';

let plane: TestServer;

beforeEach(async () => {
  plane = await createTestServer();
  await plane.create(serviceaccounts, account('robot'));
});

function account(name: string): object {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
}

async function uidOf(made: Promise<Outcome>): Promise<string> {
  return ((await made).object as KubeObject).metadata.uid;
}

function ask(spec: Partial<TokenRequestSpec> = {}, name = 'robot'): Promise<Outcome> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  return plane.create(serviceaccounts, body, { name, subresource: 'token' });
}

async function issued(spec: Partial<TokenRequestSpec> = {}): Promise<TokenRequest> {
  return (await ask(spec)).object as unknown as TokenRequest;
}

async function tokenOf(spec: Partial<TokenRequestSpec> = {}): Promise<string> {
  return (await issued(spec)).status.token;
}

function claimsIn(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

const who = async (token: string, audiences?: readonly string[]): Promise<unknown> => {
  const verdict = await plane.server.tokens.authenticate(token, audiences);
  return verdict.known ? verdict.user.name : verdict.why;
};
const robot = 'system:serviceaccount:default:robot';

describe('a request', () => {
  test('is answered with a signed token and when it ends', async () => {
    const { code, object } = await ask();
    const { metadata, spec, status } = object as unknown as TokenRequest;
    expect(code).toBe(201);
    expect(metadata).toMatchObject({ name: 'robot', namespace: 'default' });
    expect(spec).toEqual({ audiences: [tokenIssuer], expirationSeconds: 3600 });
    const nowMs = plane.clock.nowMs();
    expect(fromTimestamp(status.expirationTimestamp)).toBe(nowMs + 3_600_000);
    const { uid } = (await plane.get(serviceaccounts, 'robot')).metadata;
    expect(claimsIn(status.token)).toEqual({
      aud: [tokenIssuer],
      exp: nowMs / 1000 + 3600,
      iat: nowMs / 1000,
      iss: tokenIssuer,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid } },
      nbf: nowMs / 1000,
      sub: robot,
    });
  });

  test('keeps nothing', async () => {
    const { revision } = plane.store;
    await ask();
    expect(plane.store.revision).toBe(revision);
  });

  test.each<[string, Partial<TokenRequestSpec>, object]>([
    [
      'less than ten minutes',
      { expirationSeconds: 599 },
      { code: 422, message: expect.stringContaining('less than 10 minutes') },
    ],
    ['ages', { expirationSeconds: 2 ** 32 + 1 }, { code: 422, message: expect.stringContaining('larger than 2^32') }],
    ['words for a number', { expirationSeconds: 'x' as unknown as number }, { code: 400 }],
    [
      'a pod that does not exist',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'x' } },
      { code: 404, message: 'pods "x" not found' },
    ],
    [
      'what tokens are not bound to',
      { boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } },
      { code: 400, message: 'cannot bind token to object of type /v1, Kind=ConfigMap' },
    ],
    [
      'a Pod of another group',
      { boundObjectRef: { apiVersion: 'example.com/v1', kind: 'Pod', name: 'x' } },
      { code: 400, message: 'cannot bind token to object of type example.com/v1, Kind=Pod' },
    ],
  ])('for %s is refused', async (_, spec, status) => expect(await refusalOf(ask(spec))).toMatchObject(status));

  test('for an account that is not there, or named otherwise, is refused', async () => {
    expect(await refusalOf(ask({}, 'nobody'))).toMatchObject({
      code: 404,
      message: 'serviceaccounts "nobody" not found',
    });
    const other = plane.create(
      serviceaccounts,
      { metadata: { name: 'x' }, spec: {} },
      { name: 'robot', subresource: 'token' },
    );
    expect(await refusalOf(other)).toMatchObject({
      code: 422,
      message: expect.stringContaining('must match the service account name if specified'),
    });
    const elsewhere = { metadata: { namespace: 'team' }, spec: {} };
    const asked = plane.create(serviceaccounts, elsewhere, { name: 'robot', subresource: 'token' });
    expect(await refusalOf(asked)).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  test('for a pod of another account, or another pod of that name, is refused', async () => {
    await plane.create(serviceaccounts, account('other'));
    await plane.create(pods, pod('others', { serviceAccountName: 'other' }));
    await plane.create(pods, pod('mine', { serviceAccountName: 'robot' }));
    const bind = (name: string, uid?: string): Promise<Outcome> =>
      ask({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...(uid !== undefined && { uid }) } });
    expect(await refusalOf(bind('others'))).toMatchObject({
      code: 400,
      message: expect.stringContaining('to pod running with different serviceaccount name'),
    });
    expect(await refusalOf(bind('mine', 'x'))).toMatchObject({
      code: 409,
      message: expect.stringContaining('the UID in the bound object reference (x) does not match the UID in record'),
    });
  });
});

describe('a token', () => {
  test('tells who shows it', async () => {
    const { uid } = (await plane.get(serviceaccounts, 'robot')).metadata;
    const token = await tokenOf();
    expect(await plane.server.tokens.authenticate(token)).toEqual({
      known: true,
      audiences: [tokenIssuer],
      user: {
        name: robot,
        uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${String(claimsIn(token)['jti'])}`] },
      },
    });
  });

  test('ends at its time, a minute for other clocks', async () => {
    const token = await tokenOf({ expirationSeconds: 600 });
    await plane.clock.advance(660_000);
    expect(await who(token)).toBe(robot);
    await plane.clock.advance(1);
    expect(await who(token)).toBe('service account token has expired');
  });

  test('of a later time is not valid yet', async () => {
    const claimed = readClaims(claimsIn(await tokenOf()), { issuer: tokenIssuer });
    if (claimed === undefined) throw new Error('it says nothing');
    const { store, clock } = plane;
    const judging = { token: '', audiences: apiAudiences, own: apiAudiences, find: findIn(store) };
    const at = (ms: number): unknown => judgeClaims(claimed, { ...judging, nowMs: clock.nowMs() + ms });
    expect(at(-60_000)).toMatchObject({ known: true });
    expect(at(-60_001)).toEqual({ known: false, why: 'service account token is not valid yet' });
  });

  test('is for whom it was made for', async () => {
    const token = await tokenOf({ audiences: ['vault', 'bank'] });
    expect(await who(token)).toBe(
      `token audiences ["vault" "bank"] is invalid for the target audiences ["${tokenIssuer}"]`,
    );
    expect(await who(token, ['bank', 'x'])).toBe(robot);
    expect(await plane.server.tokens.authenticate(token, ['bank', 'x'])).toMatchObject({ audiences: ['bank'] });
  });

  test('ends with its account, also when another takes the name', async () => {
    const token = await tokenOf();
    await plane.delete(serviceaccounts, 'robot');
    expect(await who(token)).toBe('service account default/robot does not exist');
    await plane.create(serviceaccounts, account('robot'));
    expect(await who(token)).toBe('service account default/robot is another than the token was made for');
  });

  test('of another server is none', async () => {
    const other = await createTestServer();
    await other.create(serviceaccounts, account('robot'));
    expect(await other.server.tokens.authenticate(await tokenOf())).toEqual({ known: false });
    expect(await plane.server.tokens.authenticate('a.b.c')).toEqual({ known: false });
    expect(await plane.server.tokens.authenticate('words')).toEqual({ known: false });
  });

  test('is renewed by asking again; the older one holds until its end', async () => {
    const [first, second] = [await tokenOf({ expirationSeconds: 600 }), await tokenOf({ expirationSeconds: 1200 })];
    expect(first).not.toBe(second);
    await plane.clock.advance(661_000);
    expect([await who(first), await who(second)]).toEqual(['service account token has expired', robot]);
  });
});

describe('a token for a pod', () => {
  const ref = { apiVersion: 'v1', kind: 'Pod', name: 'p' };
  let podUid: string;
  beforeEach(async () => {
    await plane.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    podUid = await uidOf(plane.create(pods, pod('p', { serviceAccountName: 'robot', nodeName: 'n' })));
  });

  test('names pod and node', async () => {
    const token = await tokenOf({ boundObjectRef: { ...ref, uid: podUid } });
    const { uid: nodeUid } = (await plane.get(nodes, 'n')).metadata;
    expect(claimsIn(token)['kubernetes.io']).toMatchObject({
      pod: { name: 'p', uid: podUid },
      node: { name: 'n', uid: nodeUid },
    });
    expect(await plane.server.tokens.authenticate(token)).toMatchObject({
      user: {
        extra: {
          'authentication.kubernetes.io/pod-name': ['p'],
          'authentication.kubernetes.io/pod-uid': [podUid],
          'authentication.kubernetes.io/node-name': ['n'],
          'authentication.kubernetes.io/node-uid': [nodeUid],
        },
      },
    });
  });

  test('ends with the pod, a minute after its time to stop', async () => {
    const token = await tokenOf({ boundObjectRef: ref });
    await plane.delete(pods, 'p');
    await plane.clock.advance(90_000);
    expect(await who(token)).toBe(robot);
    await plane.clock.advance(1_000);
    expect(await who(token)).toBe('pod default/p has been deleted');
    await plane.delete(pods, 'p', { delete: { gracePeriodSeconds: 0 } });
    expect(await who(token)).toBe('pod default/p does not exist');
    await plane.create(pods, pod('p', { serviceAccountName: 'robot' }));
    expect(await who(token)).toBe('pod default/p is another than the token was made for');
  });

  test('outlives the node’s object, which may be made anew', async () => {
    const token = await tokenOf({ boundObjectRef: ref });
    await plane.delete(nodes, 'n');
    expect(await who(token)).toBe(robot);
    expect(claimsIn(await tokenOf({ boundObjectRef: ref }))['kubernetes.io']).toMatchObject({ node: { name: 'n' } });
  });

  test('lasts a year when it is the one that pods get mounted, and says when it should have been read anew', async () => {
    const { spec, status } = await issued({ boundObjectRef: ref, expirationSeconds: 3607 });
    const now = plane.clock.nowMs() / 1000;
    expect(spec.expirationSeconds).toBe(3607);
    expect(fromTimestamp(status.expirationTimestamp) / 1000).toBe(now + 3607);
    expect(claimsIn(status.token)).toMatchObject({
      exp: now + 365 * 86_400,
      'kubernetes.io': { warnafter: now + 3607 },
    });
    const elsewhere = await tokenOf({ boundObjectRef: ref, expirationSeconds: 3607, audiences: ['vault'] });
    expect(claimsIn(elsewhere)).toMatchObject({ exp: now + 3607 });
    expect(claimsIn(await tokenOf({ expirationSeconds: 3607 }))).toMatchObject({ exp: now + 3607 });
  });
});

describe('a node', () => {
  beforeEach(async () => {
    plane = await createTestServer({ definitions: builtinDefinitions });
    await plane.create(serviceaccounts, account('robot'));
  });

  const agent = (node: string): User => ({ name: `system:node:${node}`, groups: ['system:nodes'] });
  const asks = (node: string, boundObjectRef?: object, audiences?: readonly string[]): Promise<Outcome> => {
    const body = { spec: boundObjectRef === undefined ? {} : { boundObjectRef, ...(audiences && { audiences }) } };
    return plane.create(serviceaccounts, body, { name: 'robot', subresource: 'token', user: agent(node) });
  };
  const mounted = { name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } };

  test('gets tokens for those whom its pods name, and whom else it may ask for', async () => {
    const named = { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 'v', audience: 'vault' } }] } };
    const volumes = [named, { name: 'c', csi: { driver: 'csi.example.com' } }];
    const uid = await uidOf(plane.create(pods, pod('p', { serviceAccountName: 'robot', nodeName: 'n', volumes })));
    const driver = { metadata: { name: 'csi.example.com' }, spec: { tokenRequests: [{ audience: 'storage' }] } };
    await plane.create(csidrivers, driver);
    const ref = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid };
    for (const audience of ['vault', 'storage']) expect((await asks('n', ref, [audience])).code).toBe(201);
    const refused = async (audiences: readonly string[]): Promise<string | undefined> =>
      (await refusalOf(asks('n', ref, audiences))).message;
    const why = (audience: string): string =>
      `serviceaccounts "robot" is forbidden: audience "${audience}" not found in pod spec volume, system:node:n is not authorized to request tokens for this audience`;
    expect(await refused(['bank'])).toBe(why('bank'));
    // Nothing of the pod mounts a token for this server.
    expect(await refused([])).toBe(why(''));
    expect(await refused(['vault', 'storage'])).toBe(
      'serviceaccounts "robot" is forbidden: node may only request 0 or 1 audiences',
    );
    const rule = { apiGroups: [''], resources: ['bank'], verbs: ['request-serviceaccounts-token-audience'] };
    await plane.create(clusterroles, { metadata: { name: 'bankers' }, rules: [rule] });
    await plane.create(clusterrolebindings, {
      metadata: { name: 'bankers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bankers' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:node:n' }],
    });
    expect((await asks('n', ref, ['bank'])).code).toBe(201);
  });

  test('gets tokens for the pods that run on it, and for nothing else', async () => {
    const uid = await uidOf(
      plane.create(pods, pod('p', { serviceAccountName: 'robot', nodeName: 'n', volumes: [mounted] })),
    );
    const nodeUid = await uidOf(plane.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } }));
    const ref = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid };
    expect((await asks('n', ref)).code).toBe(201);
    const refused = async (node: string, given?: object): Promise<string | undefined> =>
      (await refusalOf(asks(node, given))).message;
    const forbidden = 'serviceaccounts "robot" is forbidden: node requested token ';
    expect(await refused('other', ref)).toBe(
      `serviceaccounts "robot" is forbidden: User "system:node:other" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default": no relationship found between node 'other' and this object`,
    );
    await plane.create(pods, pod('q', { serviceAccountName: 'robot', nodeName: 'other' }));
    expect(await refused('other', ref)).toBe(`${forbidden}bound to a pod scheduled on a different node`);
    expect(await refused('n')).toBe(`${forbidden}not bound to a pod`);
    expect(await refused('n', { apiVersion: 'v1', kind: 'Node', name: 'n', uid: nodeUid })).toBe(
      `${forbidden}not bound to a pod`,
    );
    expect(await refused('n', { ...ref, uid: undefined })).toBe(`${forbidden}with a pod binding without a uid`);
  });
});

test('a token for a Secret or a node ends with it', async () => {
  await plane.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  await plane.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
  const forSecret = await tokenOf({ boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's' } });
  const forNode = await tokenOf({ boundObjectRef: { apiVersion: 'v1', kind: 'Node', name: 'n' } });
  expect([await who(forSecret), await who(forNode)]).toEqual([robot, robot]);
  await plane.delete(secrets, 's');
  await plane.delete(nodes, 'n');
  expect([await who(forSecret), await who(forNode)]).toEqual([
    'secret default/s does not exist',
    'node n does not exist',
  ]);
});

describe('a token that is kept in a Secret', () => {
  const holding = (token: string): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 's', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    data: { token: Buffer.from(token).toString('base64') },
  });
  const made = async (): Promise<string> => {
    const secret = { metadata: { name: 's' } };
    return plane.server.tokens.forSecret((await plane.get(serviceaccounts, 'robot')) as never, secret as never);
  };

  test('has no end of its own', async () => {
    const token = await made();
    await plane.create(secrets, holding(token));
    await plane.clock.advance(400 * 86_400_000);
    expect(await plane.server.tokens.authenticate(token)).toMatchObject({
      known: true,
      user: { name: robot },
      audiences: [tokenIssuer],
    });
    expect(await who(token, ['vault'])).toContain('is invalid for the target audiences');
  });

  test('holds only as long as it stands there', async () => {
    const token = await made();
    expect(await who(token)).toBe('secret default/s does not exist');
    await plane.create(secrets, holding('another'));
    expect(await who(token)).toBe("the token does not match the server's copy");
  });
});

describe('a review', () => {
  const review = async (spec: object): Promise<unknown> =>
    ((await plane.create(tokenreviews, { spec })).object as unknown as { readonly status: unknown }).status;

  test('says whose token it is, and before whom it counts', async () => {
    const { uid } = (await plane.get(serviceaccounts, 'robot')).metadata;
    const token = await tokenOf({ audiences: ['vault'] });
    expect(await review({ token, audiences: ['vault', 'bank'] })).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
      user: { username: robot, uid, groups: expect.arrayContaining(['system:serviceaccounts:default']) },
    });
    expect(await review({ token })).toEqual({
      authenticated: false,
      user: {},
      error: `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${tokenIssuer}"]]`,
    });
    expect(await review({ token: 'a.b.c' })).toEqual({
      authenticated: false,
      user: {},
      error: 'invalid bearer token',
    });
  });
});

test.each<[string, object]>([
  ['another issuer', { iss: 'https://example.com' }],
  ['no account', { 'kubernetes.io': { namespace: 'default' } }],
  ['somebody else than its account', { sub: 'system:serviceaccount:kube-system:robot' }],
  ['no end', { exp: undefined }],
])('claims with %s are nobody’s', async (_, wrong) => {
  expect(readClaims({ ...claimsIn(await tokenOf()), ...wrong }, { issuer: tokenIssuer })).toBeUndefined();
});

test('accounts of one name in two namespaces are two', async () => {
  await plane.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await plane.create(serviceaccounts, account('robot'), { namespace: 'team' });
  const { object } = await plane.create(
    serviceaccounts,
    { spec: {} },
    { namespace: 'team', name: 'robot', subresource: 'token' },
  );
  expect(await who((object as unknown as TokenRequest).status.token)).toBe('system:serviceaccount:team:robot');
});
