import { isIP } from 'node:net';
import type { HostAlias, PodDNSConfig, PodSpec } from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { dnsSubdomain, isDnsSubdomain } from '../../../validation/names.ts';
import { inside, type Place } from './place.ts';

const nameserversMax = 3;
const searchesMax = 32;
const searchCharsMax = 2048;
const ipText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** The pod's own files about names: hosts and resolv.conf. */
export function* validateNameResolution(spec: PodSpec, at: Place): Iterable<Issue> {
  if (spec.hostAliases !== undefined) yield* validateHostAliases(spec.hostAliases, inside(at, 'hostAliases'));
  if (spec.dnsPolicy === 'None') {
    if (spec.dnsConfig === undefined)
      yield at()('dnsConfig').required('must provide `dnsConfig` when `dnsPolicy` is None');
    else if ((spec.dnsConfig.nameservers ?? []).length === 0)
      yield at()('dnsConfig', 'nameservers').required(
        'must provide at least one DNS nameserver when `dnsPolicy` is None',
      );
  }
  if (spec.dnsConfig !== undefined) yield* validateDnsConfig(spec.dnsConfig, inside(at, 'dnsConfig'));
}

/** On the host's network a container's ports are the host's ports. Templates may leave that to the pod's defaults. */
export function* validateHostNetworkPorts(
  spec: PodSpec,
  at: Place,
  { isPod }: { readonly isPod: boolean },
): Iterable<Issue> {
  if (spec.hostNetwork !== true) return;
  for (const [index, { ports = [] }] of (spec.containers ?? []).entries())
    for (const [position, { hostPort = 0, containerPort }] of ports.entries())
      if ((isPod || hostPort !== 0) && hostPort !== containerPort)
        yield at()('containers', index, 'ports', position, 'hostPort').invalid(
          hostPort,
          'must match `containerPort` when `hostNetwork` is true',
        );
}

function* validateHostAliases(aliases: readonly HostAlias[], at: Place): Iterable<Issue> {
  for (const [index, { ip = '', hostnames = [] }] of aliases.entries()) {
    if (isIP(ip) === 0) yield at()(index, 'ip').invalid(ip, ipText);
    for (const [position, hostname] of hostnames.entries())
      if (!isDnsSubdomain(hostname)) yield* dnsSubdomain(hostname, at()(index, 'hostnames', position));
  }
}

const searchLengthMax = 253;
const searchForm = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:\._?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;
const searchText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

function* validateDnsConfig(
  { nameservers = [], searches = [], options = [] }: PodDNSConfig,
  at: Place,
): Iterable<Issue> {
  if (nameservers.length > nameserversMax)
    yield at()('nameservers').invalid(nameservers, `must not have more than ${nameserversMax} nameservers`);
  for (const [index, address] of nameservers.entries())
    if (isIP(address) === 0) yield at()('nameservers', index).invalid(address, ipText);
  if (searches.length > searchesMax)
    yield at()('searches').invalid(searches, `must not have more than ${searchesMax} search paths`);
  if (searches.join(' ').length > searchCharsMax)
    yield at()('searches').invalid(
      searches,
      `must not have more than ${searchCharsMax} characters (including spaces) in the search list`,
    );
  for (const [index, search] of searches.entries()) {
    const name = search.length > 1 && search.endsWith('.') ? search.slice(0, -1) : search;
    // `.` alone says that names are looked up as they are; underscores occur in real zones.
    if (name === '.') continue;
    if (name.length > searchLengthMax)
      yield at()('searches', index).invalid(name, `must be no more than ${searchLengthMax} characters`);
    if (!searchForm.test(name)) yield at()('searches', index).invalid(name, searchText);
  }
  for (const [index, { name = '' }] of options.entries())
    if (name === '') yield at()('options', index).required('must not be empty');
}
