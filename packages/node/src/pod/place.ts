/** Where a pod lives: its names, how it resolves others, the ports of the node that lead to it. */
import type { Pod } from '@signalbox/cluster';
import type { HostPort, PodPlace } from '../protocol/inside.ts';
import type { NodeFacts, PodAround, Resolver } from './around.ts';

/** A label of DNS. */
const hostnameLengthMax = 63;
const kernelNameLengthMax = 64;
const nameserversMax = 3;

export function podPlace(pod: Pod, around: Pick<PodAround, 'address' | 'node'>): PodPlace {
  const { metadata, spec } = pod;
  const address = spec.hostNetwork === true ? undefined : around.address;
  return {
    uid: metadata.uid,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    address,
    hostname: kernelName(pod, around.node),
    hosts: hostsOf(pod, { address, node: around.node }),
    resolver: resolverLines(resolverOf(pod, around.node)),
    // Nobody sees the processes of the node itself: its own are the pod's.
    sharesProcesses: spec.shareProcessNamespace === true || spec.hostPID === true,
    processesMax: around.node.processesMax,
    hostPorts: hostPortsOf(pod),
  };
}

function hostnameOf({ metadata, spec }: Pod, node: NodeFacts): string {
  if ((spec.hostnameOverride ?? '') !== '') return spec.hostnameOverride ?? '';
  if (spec.hostNetwork === true) return node.hostname;
  const name = (spec.hostname ?? '') === '' ? metadata.name : (spec.hostname ?? '');
  // A name of a pod may have dots, and be longer.
  return name.slice(0, hostnameLengthMax).replace(/[-.]+$/, '');
}

/** What `hostname` prints: the whole name where the pod asks for it. Throws when it is longer than a kernel keeps. */
export function kernelName(pod: Pod, node: NodeFacts): string {
  const hostname = hostnameOf(pod, node);
  const { setHostnameAsFQDN = false, hostNetwork = false, hostnameOverride = '' } = pod.spec;
  const domain = domainOf(pod, node);
  if (!setHostnameAsFQDN || hostNetwork || hostnameOverride !== '' || domain === undefined) return hostname;
  const whole = `${hostname}.${domain}`;
  if (whole.length > kernelNameLengthMax)
    throw new Error(
      `Failed to construct FQDN from Pod hostname and cluster domain, FQDN ${whole} is too long (${kernelNameLengthMax} characters is the max, ${whole.length} characters requested)`,
    );
  return whole;
}

function domainOf({ metadata, spec }: Pod, { clusterDomain }: NodeFacts): string | undefined {
  const subdomain = spec.subdomain ?? '';
  return subdomain === '' ? undefined : `${subdomain}.${metadata.namespace}.svc.${clusterDomain}`;
}

const localHosts = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

interface HostsOf {
  readonly address: string | undefined;
  readonly node: NodeFacts;
}

function hostsOf(pod: Pod, { address, node }: HostsOf): readonly string[] {
  const { spec } = pod;
  const hostname = hostnameOf(pod, node);
  const domain = address === undefined ? undefined : domainOf(pod, node);
  const names = domain === undefined ? hostname : `${hostname}.${domain}\t${hostname}`;
  const aliases = (spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}`);
  return [
    `# Kubernetes-managed hosts file${address === undefined ? ' (host network)' : ''}.`,
    ...localHosts,
    `${address ?? node.address}\t${names}`,
    ...(aliases.length === 0 ? [] : ['', '# Entries added by HostAliases.', ...aliases]),
  ];
}

function resolverOf({ metadata, spec }: Pod, node: NodeFacts): Resolver {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {}, hostNetwork = false } = spec;
  const isOfCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !hostNetwork);
  const base = isOfCluster
    ? clusterResolver(metadata.namespace ?? '', node)
    : dnsPolicy === 'None'
      ? { nameservers: [], searches: [], options: [] }
      : node.resolver;
  const options = (dnsConfig.options ?? []).map(({ name = '', value }) =>
    value === undefined || value === '' ? name : `${name}:${value}`,
  );
  const optionName = (option: string): string => option.split(':', 1)[0] ?? '';
  const overridden = new Set(options.map(optionName));
  return {
    nameservers: [...new Set([...base.nameservers, ...(dnsConfig.nameservers ?? [])])].slice(0, nameserversMax),
    searches: [...new Set([...base.searches, ...(dnsConfig.searches ?? [])])],
    options: [...base.options.filter((option) => !overridden.has(optionName(option))), ...options],
  };
}

function clusterResolver(namespace: string, { clusterDomain, nameserver, resolver }: NodeFacts): Resolver {
  return {
    nameservers: [nameserver],
    searches: [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain, ...resolver.searches],
    options: ['ndots:5'],
  };
}

function resolverLines({ nameservers, searches, options }: Resolver): readonly string[] {
  return [
    ...(searches.length === 0 ? [] : [`search ${searches.join(' ')}`]),
    ...nameservers.map((address) => `nameserver ${address}`),
    ...(options.length === 0 ? [] : [`options ${options.join(' ')}`]),
  ];
}

function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  // On the host network it listens there itself.
  if (spec.hostNetwork === true) return [];
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...spec.containers].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, containerPort, protocol = 'TCP' }) =>
      hostPort === 0 || (protocol !== 'TCP' && protocol !== 'UDP') ? [] : [{ protocol, hostPort, containerPort }],
    ),
  );
}
