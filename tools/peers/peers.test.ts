import { describe, expect, test } from 'vitest';
import { formatAround } from './around.ts';
import { buildStep, fetchStep, lackOf, type Peer, peerPath, peers, peersFolder } from './peers.ts';

const peer: Peer = {
  ...{ name: 'thing', release: '3.1', module: 'example.org/thing', version: 'v0.301.0', program: './cmd/thing' },
  ...{ tags: ['a', 'b'], goMinor: 25, minutes: 2 },
};

test('it is kept by version, in the cache of the user', () => {
  expect(peerPath(peer, '/c')).toBe('/c/thing-v0.301.0/thing');
  expect(peerPath({ ...peer, build: '-b' }, '/c')).toBe('/c/thing-v0.301.0-b/thing');
  expect(peersFolder({ XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe('/x/signalbox/peers');
  expect(peersFolder({ HOME: '/h' })).toBe('/h/.cache/signalbox/peers');
  expect(peersFolder({ XDG_CACHE_HOME: 'here', HOME: '/h' })).toBe('/h/.cache/signalbox/peers');
  expect(() => peersFolder({})).toThrow('set one of them');
});

test('it is fetched, then built from its own lists', () => {
  expect(fetchStep(peer, '/c')).toEqual({
    says: 'fetching thing 3.1 (example.org/thing v0.301.0)',
    argv: ['go', 'mod', 'download', '-json', 'example.org/thing@v0.301.0'],
    cwd: '/c',
  });
  expect(buildStep(peer, { source: '/src', target: '/c/part' })).toEqual({
    says: 'building thing 3.1: about 2 minutes of CPU',
    argv: ['go', 'build', '-mod=readonly', '-tags=a,b', '-o', '/c/part', './cmd/thing'],
    cwd: '/src',
  });
  const variables = { 'example.org/a.b': '1', 'example.org/a.c': '34' };
  expect(buildStep({ ...peer, variables }, { source: '/src', target: '/c/part' }).argv).toContain(
    '-ldflags=-X example.org/a.b=1 -X example.org/a.c=34',
  );
});

describe('one whose lists name folders is built by a module around it', () => {
  const wrapped: Peer = {
    ...{ ...peer, tags: [] },
    around: { besideVersion: 'v0.3.1' },
    variables: { 'example.org/version.is': 'v3.1' },
  };

  test('which requires it, and names what lies in folders by version', () => {
    const text = formatAround(wrapped, {
      Go: '1.24.0',
      Godebug: [{ Key: 'default', Value: 'go1.24' }],
      Replace: [
        { Old: { Path: 'example.org/api' }, New: { Path: './staging/api' } },
        { Old: { Path: 'example.org/other' }, New: { Path: 'example.org/fork', Version: 'v1.2.3' } },
      ],
    });
    expect(text).toBe(`module signalbox.dev/peers/around

go 1.24.0

godebug default=go1.24

require example.org/thing v0.301.0

replace (
\texample.org/api => example.org/api v0.3.1
\texample.org/other => example.org/fork v1.2.3
)
`);
  });

  test('and which is all that there is where requirements are versions already', () => {
    const lists = { Go: '1.24', Replace: [{ Old: { Path: 'example.org/api' }, New: { Path: '../api' } }] };
    expect(formatAround({ ...wrapped, around: {} }, lists)).toBe(
      'module signalbox.dev/peers/around\n\ngo 1.24\n\nrequire example.org/thing v0.301.0\n',
    );
  });

  test('without a C compiler, and it knows its version', () => {
    expect(buildStep(wrapped, { source: '/c/thing', target: '/c/part' })).toMatchObject({
      argv: [
        ...['go', 'build', '-mod=mod', '-trimpath', '-tags=', '-ldflags=-s -w -X example.org/version.is=v3.1'],
        ...['-o', '/c/part', 'example.org/thing/cmd/thing'],
      ],
      cwd: '/c/thing',
      env: { CGO_ENABLED: '0' },
    });
  });
});

describe('what is missing is said with the mend', () => {
  test.each([
    [undefined, 'there is no `go` on PATH: install Go 1.25 or newer'],
    ['go version go1.19.8 linux/amd64\n', 'go version go1.19.8 linux/amd64 is too old: install Go 1.25'],
    ['devel', 'devel is too old'],
    ['go version go1.26.8 linux/amd64', undefined],
    ['go version go1.25 linux/amd64', undefined],
  ])('%s', (version, lack) => {
    if (lack === undefined) expect(lackOf(peer, version)).toBeUndefined();
    else expect(lackOf(peer, version)).toContain(lack);
  });
});

test('a program of one’s own is named by a variable that a shell can set', () => {
  expect(lackOf({ ...peer, name: 'some-thing' }, undefined)).toContain('set SOME_THING to the path of some-thing 3.1');
});

test('the parts of one control plane are of one version', () => {
  const parts = peers.filter(({ module }) => module === 'k8s.io/kubernetes');
  expect(parts.map(({ name }) => name)).toEqual(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);
  expect(new Set(parts.map(({ version }) => version)).size).toBe(1);
});

test('Helm knows the Kubernetes that its peers are', () => {
  const { variables = {} } = peers.find(({ name }) => name === 'helm') ?? {};
  const { release = '' } = peers.find(({ name }) => name === 'kube-apiserver') ?? {};
  const numbers = release.split('.').slice(0, 2);
  expect(Object.values(variables)).toEqual([...numbers, ...numbers]);
});

test('Prometheus has Kubernetes discovery and no other', () => {
  expect(peers.find(({ name }) => name === 'prometheus')?.tags).toEqual(['remove_all_sd', 'enable_kubernetes_sd']);
});
