import { expect, test } from 'vitest';
import type { Prometheus, PrometheusSpec } from '../../../resources/prometheus.ts';
import { parseVersion } from '../config/version.ts';
import { defaultPrometheusOptions } from './flavour.ts';
import { imageOf } from './image.ts';

test.each<[PrometheusSpec, string]>([
  [{}, 'quay.io/prometheus/prometheus:v3.1.0-rc.1'],
  [{ image: 'mine:1', baseImage: 'a/b', tag: 'c', sha: 'd' }, 'mine:1'],
  [{ tag: 'v9' }, 'quay.io/prometheus/prometheus:v9'],
  [{ tag: 'v9', sha: 'abc' }, 'quay.io/prometheus/prometheus@sha256:abc'],
  [{ baseImage: 'a/b' }, 'a/b:v3.1.0-rc.1'],
  [{ baseImage: 'a/b', tag: 'v9' }, 'docker.io/a/b:v9'],
  [{ baseImage: 'b', tag: 'v9' }, 'docker.io/library/b:v9'],
  [{ baseImage: 'localhost:5000/b', tag: 'v9' }, 'localhost:5000/b:v9'],
  [{ baseImage: 'a/b:c', tag: 'v9', sha: 'abc' }, 'a/b:c'],
])('a root with %j runs %s', (spec, image) => {
  const root: Prometheus = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'Prometheus',
    metadata: { name: 'a', namespace: 'b', uid: '', resourceVersion: '', creationTimestamp: '' },
    spec,
  };
  const version = parseVersion('3.1.0-rc.1');
  expect(version && imageOf(root, version, defaultPrometheusOptions)).toBe(image);
});
