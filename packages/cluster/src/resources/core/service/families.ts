/**
 * The families of addresses that a service has, in a cluster that gives out IPv4 alone. A service without cluster addresses
 * and without a selector may name others: who makes its endpoints knows what they are. Pure.
 */
import { isIP, isIPv6 } from 'node:net';
import type { Service } from '../../../api/generated/core-v1.ts';
import { type FieldPath, type Issue, root } from '../../../api/issue.ts';
import { equal } from '../../../base/equal.ts';
import { oneOf } from '../../validation/fields.ts';
import { ipAddress } from '../../validation/network.ts';

type Spec = Service['spec'];

export interface Settled {
  readonly spec: Spec;
  /** Why it cannot have what it asks for: told before any address is looked for. */
  readonly issues: readonly Issue[];
}

const families: readonly string[] = ['IPv4', 'IPv6'];
const policies: readonly string[] = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** What a service leaves open is filled in; what was settled once is found settled again. */
export function settleFamilies(given: Spec, current: Spec | undefined): Settled {
  if (given.type === 'ExternalName' || staysPreferred(given, current)) return { spec: given, issues: [] };
  const ipFamilyPolicy = given.ipFamilyPolicy ?? current?.ipFamilyPolicy ?? usualPolicy(given);
  const spec = { ...given, ipFamilyPolicy };
  const at = root('spec');
  const related = [...relatedIssues(spec, at)];
  if (related.length > 0) return { spec, issues: related };
  return withFamilies(released(spec, current), { current, at });
}

/** Where two families are welcome and none is demanded, nothing changes by itself. */
function staysPreferred(given: Spec, current: Spec | undefined): boolean {
  return (
    current !== undefined &&
    given.ipFamilyPolicy === 'PreferDualStack' &&
    current.ipFamilyPolicy === 'PreferDualStack' &&
    equal(given.clusterIPs, current.clusterIPs) &&
    equal(given.ipFamilies, current.ipFamilies)
  );
}

function usualPolicy(spec: Spec): string {
  return isForeign(spec) ? 'RequireDualStack' : 'SingleStack';
}

/** Its endpoints are somebody else's matter. */
function isForeign({ clusterIP, selector }: Spec): boolean {
  return clusterIP === 'None' && Object.keys(selector ?? {}).length === 0;
}

/** Asking for one family gives the second one up. */
function released(spec: Spec, current: Spec | undefined): Spec {
  const { ipFamilies = [] } = spec;
  const gives =
    spec.ipFamilyPolicy === 'SingleStack' && ipFamilies.length > 1 && equal(ipFamilies, current?.ipFamilies);
  return gives ? { ...spec, ipFamilies: ipFamilies.slice(0, 1) } : spec;
}

function withFamilies(
  spec: Spec,
  { current, at }: { readonly current: Spec | undefined; readonly at: FieldPath },
): Settled {
  const { ipFamilies = [], ipFamilyPolicy = '' } = spec;
  const early = [...policyIssues(spec, current, at), ...addressFamilyIssues(spec, at)];
  if (early.length > 0) return { spec, issues: early };
  const named = ipFamilies.length === 0 ? ['IPv4'] : ipFamilies;
  if (isForeign(spec)) {
    const both = named.length > 1 || ipFamilyPolicy === 'SingleStack';
    return { spec: { ...spec, ipFamilies: both ? named : [...named, other(named[0])] }, issues: [] };
  }
  const issues: Issue[] = [];
  if (ipFamilyPolicy === 'RequireDualStack')
    issues.push(at('ipFamilyPolicy').invalid(ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [index, family] of named.entries())
    if (family !== 'IPv4') issues.push(at('ipFamilies', index).invalid(family, 'not configured on this cluster'));
  return { spec: { ...spec, ipFamilies: named }, issues };
}

function other(family: string | undefined): string {
  return family === 'IPv4' ? 'IPv6' : 'IPv4';
}

function* policyIssues(spec: Spec, current: Spec | undefined, at: FieldPath): Iterable<Issue> {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const place = at('ipFamilyPolicy');
  if (ipFamilyPolicy !== 'SingleStack') {
    if (ipFamilies.length > 0 && ipFamilies.length < (current?.ipFamilies?.length ?? 0))
      yield place.invalid(ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family");
    return;
  }
  const several = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (clusterIPs.length > 1) yield place.invalid(ipFamilyPolicy, `${several} cluster IPs are specified`);
  if (ipFamilies.length > 1) yield place.invalid(ipFamilyPolicy, `${several} IP families are specified`);
}

/** Of an address that somebody names, its family is known. */
function* addressFamilyIssues({ clusterIPs = [], ipFamilies = [] }: Spec, at: FieldPath): Iterable<Issue> {
  for (const [index, address] of clusterIPs.entries())
    if (address !== 'None' && isIPv6(address) && index >= ipFamilies.length)
      yield at('clusterIPs', index).invalid(clusterIPs, 'IPv6 is not configured on this cluster');
}

/** What has to hold between addresses, families and their policy, whatever the cluster has. */
export function* relatedIssues(spec: Spec, at: FieldPath): Iterable<Issue> {
  const { clusterIP = '', clusterIPs = [], ipFamilies = [] } = spec;
  if (clusterIP === '' && clusterIPs.length > 0)
    yield at('clusterIPs').invalid(clusterIPs, 'must be empty when `clusterIP` is not specified');
  if (clusterIP !== '' && clusterIPs.length === 0) yield at('clusterIPs').required();
  if (clusterIP !== '' && clusterIPs.length > 0 && clusterIP !== clusterIPs[0])
    yield at('clusterIPs').invalid(clusterIPs, 'first value must match `clusterIP`');
  for (const [index, family] of ipFamilies.entries()) {
    yield* oneOf(family, families, at('ipFamilies', index));
    if (ipFamilies.indexOf(family) < index) yield at('ipFamilies', index).duplicate(family);
  }
  yield* oneOf(spec.ipFamilyPolicy, policies, at('ipFamilyPolicy'));
  yield* addressListIssues(clusterIPs, at('clusterIPs'));
  if (clusterIPs.every((address) => isIP(address) > 0)) yield* pairIssues(spec, at('clusterIPs'));
}

function* addressListIssues(addresses: readonly string[], at: FieldPath): Iterable<Issue> {
  for (const [index, address] of addresses.entries())
    if (index > 0 || address !== 'None') yield* ipAddress(address, at(index));
    else if (addresses.length > 1) yield at.invalid(addresses, "'None' must be the first and only value");
  if (addresses.length > 2) yield at.invalid(addresses, 'may only hold up to 2 values');
}

/** Each address of the family that stands in its place, and one of each. */
function* pairIssues({ clusterIPs = [], ipFamilies = [] }: Spec, at: FieldPath): Iterable<Issue> {
  const found = clusterIPs.map((address) => (isIPv6(address) ? 'IPv6' : 'IPv4'));
  if (found.length > 1 && (found.length > 2 || found[0] === found[1]))
    yield at.invalid(clusterIPs, 'may specify no more than one IP for each IP family');
  for (const [index, family] of found.entries()) {
    const asked = ipFamilies[index];
    if (asked !== undefined && families.includes(asked) && asked !== family)
      yield at(index).invalid(clusterIPs[index], `expected an ${asked} value as indicated by \`ipFamilies[${index}]\``);
  }
}
