import { describe, expect, test } from 'vitest';
import { buildStep, fetchStep, lackOf, type Peer, peerPath, peers, peersFolder } from './peers.ts';

const peer: Peer = {
  ...{ name: 'thing', release: '3.1', module: 'example.org/thing', version: 'v0.301.0', program: './cmd/thing' },
  ...{ tags: ['a', 'b'], goMinor: 25, minutes: 2 },
};

test('it is kept by version, in the cache of the user', () => {
  expect(peerPath(peer, '/c')).toBe('/c/thing-v0.301.0/thing');
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

test('Prometheus has Kubernetes discovery and no other', () => {
  expect(peers.find(({ name }) => name === 'prometheus')?.tags).toEqual(['remove_all_sd', 'enable_kubernetes_sd']);
});
