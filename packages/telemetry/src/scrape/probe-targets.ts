import type { Probe, ProbeIngressTargets, ProbeStaticTargets } from '../resources/probe.ts';
import { kubernetesDiscovery } from './discovery.ts';
import type { Section } from './http.ts';
import type { Leaf } from './leaf.ts';

/** What a probe asks its prober about. */
export type ProbeTargets =
  | { readonly by: 'static'; readonly targets: ProbeStaticTargets }
  | { readonly by: 'ingress'; readonly targets: ProbeIngressTargets };

/** Undefined with a rejected leaf when there is nothing to probe. */
export function probeTargets({ spec }: Probe, leaf: Leaf): ProbeTargets | undefined {
  const { staticConfig, ingress } = spec.targets ?? {};
  if (staticConfig !== undefined) {
    if (ingress !== undefined)
      leaf.warn('FieldIgnored', 'spec.targets.ingress', 'staticConfig is set as well, and it wins');
    return { by: 'static', targets: staticConfig };
  }
  if (ingress !== undefined) return { by: 'ingress', targets: ingress };
  leaf.reject('InvalidField', 'spec.targets', 'a probe needs targets: staticConfig or ingress');
  return undefined;
}

interface Settings {
  readonly ignoreNamespaceSelectors: boolean;
  readonly apiServer: Section | undefined;
}

export function ingressDiscovery(
  { metadata }: Probe,
  { namespaceSelector }: ProbeIngressTargets,
  { ignoreNamespaceSelectors, apiServer }: Settings,
): Section {
  return {
    kubernetes_sd_configs: [
      kubernetesDiscovery({
        role: 'ingress',
        home: metadata.namespace ?? '',
        namespaces: namespaceSelector,
        ignoreNamespaceSelectors,
        apiServer,
      }),
    ],
  };
}
