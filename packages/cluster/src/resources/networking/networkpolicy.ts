import { networkpolicies } from '../../api/generated/kinds.ts';
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../api/generated/networking-v1.ts';
import type { FieldPath, Issue } from '../../api/issue.ts';
import { formatSelector, validateSelector } from '../../api/selector/selector.ts';
import { column } from '../columns.ts';
import { defineResource, type ResourceDefinition } from '../resource.ts';
import { oneOf } from '../validation/fields.ts';
import { cidr, isCidr, portNumber, portNumberOrName, protocols } from '../validation/network.ts';

type Rule = { readonly ports?: readonly NetworkPolicyPort[] };

/** Kept and shown; the simulated network has no traffic to filter. */
export const networkpolicyDefinition: ResourceDefinition<NetworkPolicy> = defineResource(networkpolicies, {
  schema: 'io.k8s.api.networking.v1.NetworkPolicy',
  traits: { counted: true },
  shortNames: ['netpol'],
  columns: [
    column('Pod-Selector', ({ spec }) => {
      const text = formatSelector(spec?.podSelector);
      return text === '' ? '<none>' : text;
    }),
  ],
  *warnings() {
    yield 'NetworkPolicy is stored but not enforced by this control plane: simulated pods have no traffic to filter';
  },
  defaults(policy) {
    const spec = policy.spec ?? {};
    const withProtocol = <T extends Rule>(rule: T): T =>
      rule.ports === undefined
        ? rule
        : { ...rule, ports: rule.ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) };
    return {
      ...policy,
      spec: {
        ...spec,
        podSelector: spec.podSelector ?? {},
        ...(spec.ingress !== undefined && { ingress: spec.ingress.map(withProtocol) }),
        ...(spec.egress !== undefined && { egress: spec.egress.map(withProtocol) }),
        policyTypes:
          spec.policyTypes !== undefined && spec.policyTypes.length > 0
            ? spec.policyTypes
            : ['Ingress', ...((spec.egress?.length ?? 0) > 0 ? ['Egress'] : [])],
      },
    };
  },
  *validate({ spec }, root) {
    const at = root('spec');
    yield* validateSelector(spec.podSelector, at('podSelector'));
    for (const [index, rule] of (spec.ingress ?? []).entries())
      yield* ruleIssues({ ports: rule.ports, peers: rule.from }, at('ingress', index), { peersField: 'from' });
    for (const [index, rule] of (spec.egress ?? []).entries())
      yield* ruleIssues({ ports: rule.ports, peers: rule.to }, at('egress', index), { peersField: 'to' });
    if ((spec.policyTypes?.length ?? 0) > 2) {
      yield at('policyTypes').invalid(spec.policyTypes, 'may not specify more than two policyTypes');
      return;
    }
    for (const [index, type] of (spec.policyTypes ?? []).entries())
      yield* oneOf(type, ['Ingress', 'Egress'], at('policyTypes', index));
  },
});

interface RuleParts {
  readonly ports: readonly NetworkPolicyPort[] | undefined;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
}

function* ruleIssues(
  { ports = [], peers = [] }: RuleParts,
  at: FieldPath,
  { peersField }: { readonly peersField: string },
): Iterable<Issue> {
  for (const [index, port] of ports.entries()) yield* portIssues(port, at('ports', index));
  for (const [index, peer] of peers.entries()) yield* peerIssues(peer, at(peersField, index));
}

function* portIssues({ port, endPort, protocol }: NetworkPolicyPort, at: FieldPath): Iterable<Issue> {
  yield* oneOf(protocol, protocols, at('protocol'));
  if (port !== undefined) yield* portNumberOrName(port, at('port'));
  if (endPort === undefined) return;
  if (port === undefined) yield at('endPort').invalid(endPort, 'may not be specified when `port` is not specified');
  else if (typeof port === 'string')
    yield at('endPort').invalid(endPort, 'may not be specified when `port` is non-numeric');
  else if (endPort < port) yield at('endPort').invalid(port, 'must be greater than or equal to `port`');
  else yield* portNumber(endPort, at('endPort'));
}

function* peerIssues({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, at: FieldPath): Iterable<Issue> {
  yield* validateSelector(podSelector, at('podSelector'));
  yield* validateSelector(namespaceSelector, at('namespaceSelector'));
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selects && ipBlock === undefined) yield at.required('must specify a peer');
  if (ipBlock === undefined) return;
  if (selects) yield at.forbidden('may not specify both ipBlock and another peer');
  if ((ipBlock.cidr ?? '') === '') yield at('ipBlock', 'cidr').required();
  else yield* cidr(ipBlock.cidr, at('ipBlock', 'cidr'));
  for (const [index, except] of (ipBlock.except ?? []).entries()) {
    const place = at('ipBlock', 'except', index);
    if (!isCidr(except)) yield* cidr(except, place);
  }
}
