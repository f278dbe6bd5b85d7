import type { New, Service } from '@signalbox/cluster';
import { sharedOwnerReferences } from '../../../manifests/owner.ts';
import type { AgentDoor } from '../../../sharding/agents.ts';
import { compare } from '../../../world/world.ts';
import type { PrometheusRoot } from '../config/document.ts';
import { routePrefix } from './arguments.ts';
import { flavourOf, managedBy, type PrometheusOptions } from './flavour.ts';

/** The port on which Prometheus serves. */
export const webPort = 9090;

/** How its pods are asked; undefined: they listen to themselves alone. */
export function agentDoor(root: PrometheusRoot): AgentDoor | undefined {
  const { listenLocal, web } = root.spec;
  if (listenLocal === true) return undefined;
  return {
    scheme: web?.tlsConfig === undefined ? 'http' : 'https',
    port: webPort,
    prefix: routePrefix(root).replace(/\/+$/, ''),
    speaks: 'prometheus',
  };
}

export function portName({ spec }: PrometheusRoot): string {
  return spec.portName || 'web';
}

/**
 * The headless Service that gives the pods of all roots of a namespace their names. `siblings` are those roots, this one
 * among them: each of them comes to the same Service, so that none takes back what another wrote. Where they do not agree
 * on the port's name, the first root's names it, and the pods are found by its number.
 */
export function governingService(
  root: PrometheusRoot,
  siblings: readonly PrometheusRoot[],
  options: PrometheusOptions,
): New<Service> {
  const flavour = flavourOf(root);
  const owners = sharedOwnerReferences(root, flavour.type);
  const names = [...siblings].sort((a, b) => compare(a.metadata.name, b.metadata.name)).map(portName);
  const name = names[0] ?? portName(root);
  const agree = names.every((each) => each === name);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: flavour.serviceName,
      namespace: root.metadata.namespace ?? '',
      labels: {
        'app.kubernetes.io/managed-by': managedBy,
        'managed-by': managedBy,
        'operated-prometheus': 'true',
        ...options.labels,
      },
      ...(owners !== undefined && { ownerReferences: owners }),
    },
    spec: {
      clusterIP: 'None',
      ports: [{ name, port: webPort, targetPort: agree ? name : webPort }],
      selector: { 'app.kubernetes.io/name': flavour.appName },
    },
  };
}
