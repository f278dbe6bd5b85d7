import type { NamespaceSelector } from '../resources/fields.ts';
import { given } from './given.ts';
import type { Section } from './http.ts';

/** Where a job looks for targets. */
export interface DiscoveryOptions {
  readonly role: 'endpoints' | 'endpointslice' | 'ingress' | 'pod';
  /** The monitor's own namespace. */
  readonly home: string;
  readonly namespaces: NamespaceSelector | undefined;
  readonly ignoreNamespaceSelectors: boolean;
  readonly apiServer: Section | undefined;
  readonly attachNode?: boolean;
  /** Lets the API server choose the objects. */
  readonly selectors?: readonly Section[] | undefined;
}

export function kubernetesDiscovery(options: DiscoveryOptions): Section {
  const { role, apiServer, attachNode, selectors } = options;
  const names = namespaceNames(options);
  return {
    role,
    ...(names !== undefined && { namespaces: { names } }),
    ...apiServer,
    ...given({ attach_metadata: attachNode === true ? { node: true } : undefined, selectors }),
  };
}

/** Undefined: every namespace. */
export function namespaceNames(
  options: Pick<DiscoveryOptions, 'home' | 'namespaces' | 'ignoreNamespaceSelectors'>,
): readonly string[] | undefined {
  const { home, namespaces, ignoreNamespaceSelectors } = options;
  if (ignoreNamespaceSelectors) return [home];
  if (namespaces?.any === true) return undefined;
  const names = namespaces?.matchNames ?? [];
  return names.length === 0 ? [home] : names;
}
