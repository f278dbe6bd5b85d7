import { expect, test } from 'vitest';
import { apiServerTerms, FlagRefusal } from './api-server-terms.ts';

const etcd: readonly [string, readonly string[]] = ['etcd-servers', ['http://127.0.0.1:1']];
type Given = Readonly<Record<string, string | readonly string[]>>;
const terms = (given: Given = {}): ReturnType<typeof apiServerTerms> =>
  apiServerTerms(new Map([etcd, ...Object.entries(given).map(([name, value]) => [name, [value].flat()] as const)]));

test('what envtest gives', () => {
  expect(
    terms({
      'authorization-mode': 'RBAC',
      'bind-address': '127.0.0.1',
      'cert-dir': '/t',
      'client-ca-file': '/t/ca.crt',
      'disable-admission-plugins': 'ServiceAccount,Priority',
      'secure-port': '4321',
      'service-account-issuer': ['https://a/', 'https://b/'],
      'service-account-key-file': '/t/sa.crt',
      'service-account-signing-key-file': '/t/sa.key',
    }),
  ).toEqual({
    host: '127.0.0.1',
    port: 4321,
    advertise: undefined,
    cert: '/t/apiserver.crt',
    key: '/t/apiserver.key',
    makesCertificate: true,
    clientCa: '/t/ca.crt',
    tokenFile: undefined,
    signingKey: '/t/sa.key',
    checkingKeys: ['/t/sa.crt'],
    issuers: ['https://a/', 'https://b/'],
    audiences: [],
    serviceCidr: '10.0.0.0/24',
    withoutAdmission: ['ServiceAccount', 'Priority'],
    furtherAdmission: [],
    admissionConfig: undefined,
    requestHeader: undefined,
    proxyClient: undefined,
    atOnce: undefined,
    allowsAll: false,
    allowsAnonymous: true,
    notes: [],
  });
});

test.each<[given: Given, atOnce: object | undefined]>([
  [{ 'max-requests-inflight': '20', 'max-mutating-requests-inflight': '10' }, { seats: 30 }],
  [{ 'max-requests-inflight': '20' }, { seats: 220 }],
  [{ 'max-mutating-requests-inflight': '0' }, { seats: 400 }],
  [{ 'enable-priority-and-fairness': 'true' }, undefined],
  [{ 'enable-priority-and-fairness': 'false' }, { reads: 400, writes: 200 }],
  [
    { 'enable-priority-and-fairness': 'false', 'max-requests-inflight': '3' },
    { reads: 3, writes: 200 },
  ],
  [
    { 'enable-priority-and-fairness': 'false', 'max-requests-inflight': '0', 'max-mutating-requests-inflight': '0' },
    { reads: 0, writes: 0 },
  ],
])('requests at once: %j', (given, atOnce) => {
  expect(terms(given).atOnce).toEqual(atOnce);
});

test.each<[given: Given, message: string]>([
  [{ 'max-requests-inflight': '-1' }, '--max-requests-inflight can not be negative value'],
  [{ 'max-requests-inflight': '0', 'max-mutating-requests-inflight': '0' }, 'they must add up to something positive'],
  [{ 'max-mutating-requests-inflight': 'x' }, 'parsing "x": invalid syntax'],
])('not so many: %j', (given, message) => {
  expect(() => terms(given)).toThrow(message);
});

test('the last of several counts; a named certificate must be there', () => {
  const given = terms({ 'secure-port': ['1', '2'], 'tls-cert-file': '/c', 'tls-private-key-file': '/k' });
  expect([given.port, given.cert, given.key, given.makesCertificate]).toEqual([2, '/c', '/k', false]);
});

test('a proxy in front is believed where somebody signs its certificate', () => {
  const given = {
    'requestheader-username-headers': 'X-Remote-User,X-User',
    'requestheader-group-headers': ['X-Remote-Group'],
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-allowed-names': 'front, aggregator',
  };
  expect(terms(given).requestHeader).toBeUndefined();
  expect(terms({ ...given, 'requestheader-client-ca-file': '/p/ca.crt' }).requestHeader).toEqual({
    ca: '/p/ca.crt',
    allowedNames: ['front', 'aggregator'],
    usernameHeaders: ['X-Remote-User', 'X-User'],
    uidHeaders: [],
    groupHeaders: ['X-Remote-Group'],
    extraPrefixes: ['X-Remote-Extra-'],
  });
});

test('rules of admission that are off may be turned on', () => {
  expect(terms({ 'enable-admission-plugins': 'NodeRestriction,EventRateLimit' })).toMatchObject({
    withoutAdmission: [],
    furtherAdmission: ['EventRateLimit'],
  });
});

test('without a mode everything is allowed, as upstream', () => {
  expect(terms().allowsAll).toBe(true);
  expect(terms({ 'authorization-mode': 'Node,RBAC' }).allowsAll).toBe(false);
  expect(terms({ 'authorization-mode': ['RBAC', 'AlwaysAllow'] }).allowsAll).toBe(true);
});

test('what changes nothing is said where a test might rely on it', () => {
  expect(terms({ 'audit-log-path': '-', 'feature-gates': 'X=true', v: '4', profiling: 'false' }).notes).toEqual([
    '--audit-log-path changes nothing here',
    '--feature-gates changes nothing here',
  ]);
});

test.each<[Given, string]>([
  [{ 'etcd-servers': '' }, '--etcd-servers must be specified'],
  [{ 'secure-port': '70000' }, '--secure-port 70000 must be between 0 and 65535, inclusive'],
  [
    { 'secure-port': 'x' },
    'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [{ 'service-cluster-ip-range': 'fd00::/108' }, 'no range of IPv4 addresses'],
  [{ 'enable-admission-plugins': 'Foo' }, 'enable-admission-plugins plugin "Foo" is unknown'],
  [{ 'requestheader-group-headers': 'X-Remote-Group,' }, 'empty value in "requestheader-group-headers"'],
  [{ 'authorization-mode': 'Webhook' }, '--authorization-mode Webhook is nothing that Signalbox does'],
  [{ 'oidc-issuer-url': 'https://x' }, '--oidc-issuer-url is nothing that Signalbox does; leave it out'],
])('%j is refused', (given, message) => {
  expect(() => terms(given)).toThrow(FlagRefusal);
  expect(() => terms(given)).toThrow(message);
});
