import { expect, test } from 'vitest';
import type { Probe } from '../resources/probe.ts';
import { objectsOf } from '../testing/world.ts';
import { createLeaf } from './leaf.ts';
import { ingressDiscovery, probeTargets } from './probe-targets.ts';

function probe(targets: object): Probe {
  const [object] = objectsOf(
    JSON.stringify({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'Probe',
      metadata: { name: 'a', namespace: 'b' },
      spec: { targets },
    }),
  );
  return object as unknown as Probe;
}

test.each<[string, object, string | undefined, readonly string[]]>([
  ['names', { staticConfig: {} }, 'static', []],
  ['Ingresses', { ingress: {} }, 'ingress', []],
  ['both: names win', { staticConfig: {}, ingress: {} }, 'static', ['warning spec.targets.ingress']],
  ['neither', {}, undefined, ['error spec.targets']],
])('a probe asks about %s', (_, targets, by, findings) => {
  const object = probe(targets);
  const vault = { lookup: () => ({ state: 'object missing' }) as const, pathOf: () => '' };
  const leaf = createLeaf(object, vault, { missingFile: 'warn', expansion: 'any' });
  expect(probeTargets(object, leaf)?.by).toBe(by);
  expect(leaf.findings.map(({ severity, field }) => `${severity} ${field}`)).toEqual(findings);
});

test('Ingresses are looked for where the probe says, or at home', () => {
  const settings = { ignoreNamespaceSelectors: false, apiServer: undefined };
  const ingress = { namespaceSelector: { matchNames: ['c'] } };
  const found = (home: boolean): unknown =>
    ingressDiscovery(probe({ ingress }), ingress, { ...settings, ignoreNamespaceSelectors: home });
  expect(found(false)).toEqual({ kubernetes_sd_configs: [{ role: 'ingress', namespaces: { names: ['c'] } }] });
  expect(found(true)).toEqual({ kubernetes_sd_configs: [{ role: 'ingress', namespaces: { names: ['b'] } }] });
});
