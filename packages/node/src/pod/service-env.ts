import type { Service, ServicePort } from '@signalbox/cluster';

export interface ServiceLinks {
  readonly namespace: string;
  /** Whether the services of its namespace are told; that of the API server is told always. */
  readonly enabled: boolean;
}

/** `WEB_SERVICE_HOST`, `WEB_PORT_80_TCP_ADDR` … of the services that a pod of this namespace is told of. */
export function serviceEnv(
  services: readonly Service[],
  { namespace, enabled }: ServiceLinks,
): ReadonlyMap<string, string> {
  const told = new Map<string, Service>();
  const withAddress = services.filter(({ spec }) => !['', 'None'].includes(spec.clusterIP ?? ''));
  for (const service of withAddress)
    if (service.metadata.namespace === 'default' && service.metadata.name === 'kubernetes')
      told.set('kubernetes', service);
  if (enabled)
    for (const service of withAddress)
      if (service.metadata.namespace === namespace) told.set(service.metadata.name, service);
  const sorted = [...told.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return new Map(sorted.flatMap(variables));
}

function variables({ metadata, spec }: Service): readonly (readonly [string, string])[] {
  const name = variableName(metadata.name);
  const { clusterIP: address = '', ports = [] } = spec;
  const [first] = ports;
  if (first === undefined) return [[`${name}_SERVICE_HOST`, address]];
  return [
    [`${name}_SERVICE_HOST`, address],
    [`${name}_SERVICE_PORT`, String(first.port)],
    ...ports.flatMap((port): readonly (readonly [string, string])[] =>
      (port.name ?? '') === '' ? [] : [[`${name}_SERVICE_PORT_${variableName(port.name ?? '')}`, String(port.port)]],
    ),
    [`${name}_PORT`, url(address, first)],
    ...ports.flatMap((port) => portVariables(name, { address, port })),
  ];
}

function portVariables(
  name: string,
  { address, port }: { readonly address: string; readonly port: ServicePort },
): readonly (readonly [string, string])[] {
  const protocol = port.protocol ?? 'TCP';
  const prefix = `${name}_PORT_${port.port}_${protocol.toUpperCase()}`;
  return [
    [prefix, url(address, port)],
    [`${prefix}_PROTO`, protocol.toLowerCase()],
    [`${prefix}_PORT`, String(port.port)],
    [`${prefix}_ADDR`, address],
  ];
}

function url(address: string, { protocol = 'TCP', port }: ServicePort): string {
  return `${protocol.toLowerCase()}://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
