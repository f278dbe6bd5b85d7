import { describe, expect, test } from 'vitest';
import { apiServerDialect, etcdDialect, type GivenFlags, parseGivenFlags } from './given-flags.ts';
import { apiServerFlags, etcdFlags } from './upstream-flags.ts';

const api = (...argv: readonly string[]): GivenFlags => parseGivenFlags(argv, apiServerDialect(apiServerFlags));
const etcd = (...argv: readonly string[]): GivenFlags => parseGivenFlags(argv, etcdDialect(etcdFlags));
const values = (given: GivenFlags): unknown => (given.is === 'given' ? Object.fromEntries(given.values) : given);

test('a value stands behind the flag, or after it; a switch takes one only behind it', () => {
  expect(
    values(api('--secure-port=6443', '--bind-address', '::1', '--allow-privileged', '--anonymous-auth=F', '-v', '4')),
  ).toEqual({
    'secure-port': ['6443'],
    'bind-address': ['::1'],
    'allow-privileged': ['true'],
    'anonymous-auth': ['false'],
    v: ['4'],
  });
});

test('what is given twice is kept twice; underscores are dashes', () => {
  expect(values(api('--service_account_issuer=a', '--service-account-issuer=b'))).toEqual({
    'service-account-issuer': ['a', 'b'],
  });
});

test.each([
  [['--nope'], 'unknown flag: --nope'],
  [['--insecure-port=0'], 'unknown flag: --insecure-port'],
  [['-x'], "unknown shorthand flag: 'x' in -x"],
  [['--secure-port'], 'flag needs an argument: --secure-port'],
  [
    ['--profiling=maybe'],
    'invalid argument "maybe" for "--profiling" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  [['foo', '--profiling'], '"kube-apiserver" does not take any arguments, got ["foo"]'],
])('kube-apiserver refuses %j as upstream does', (argv, message) => {
  expect(api(...argv)).toEqual({ is: 'refused', message });
});

describe('etcd', () => {
  test('takes one dash or two', () => {
    expect(values(etcd('-data-dir=/x', '--unsafe-no-fsync'))).toEqual({
      'data-dir': ['/x'],
      'unsafe-no-fsync': ['true'],
    });
  });
  test('refuses in its own words', () => {
    expect(etcd('--nope')).toEqual({ is: 'refused', message: 'flag provided but not defined: -nope' });
  });
});

test('help and version come before anything that is wrong after them', () => {
  expect([api('--help', '--nope').is, etcd('-h').is, api('--version').is]).toEqual(['help', 'help', 'version']);
});

test('everything that envtest gives is known', () => {
  const given = api(
    ...['--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1', '--cert-dir=/t'],
    ...[
      '--client-ca-file=/t/ca.crt',
      '--disable-admission-plugins=ServiceAccount',
      '--etcd-servers=http://127.0.0.1:1',
    ],
    ...['--secure-port=2', '--service-account-issuer=https://127.0.0.1:2/', '--service-account-key-file=/t/sa.crt'],
    ...['--service-account-signing-key-file=/t/sa.key', '--service-cluster-ip-range=10.0.0.0/24'],
  );
  expect(given.is).toBe('given');
  expect(
    etcd(
      ...['--advertise-client-urls=http://127.0.0.1:1', '--data-dir=/t', '--listen-client-urls=http://127.0.0.1:1'],
      ...['--listen-peer-urls=http://127.0.0.1:3', '--unsafe-no-fsync=true'],
    ).is,
  ).toBe('given');
});
