import type { Node } from '../../api/generated/core-v1.ts';
import { nodes as nodesType } from '../../api/generated/kinds.ts';
import type { Action, Plan } from '../../runtime/plan.ts';

export interface Observed {
  /** All that run real pods. */
  readonly nodes: readonly Node[];
}

/** Of pods that are processes: real nodes share it, as those of one cluster do elsewhere. */
const network = numberOf('10.64.0.0');
const networkBits = 16;
/** Room for as many pods as a node may be asked to take. */
const rangeBits = 22;
const rangesMax = 2 ** (rangeBits - networkBits);

/** Each node without a range gets the first that is free; the eldest first. */
export function plan({ nodes }: Observed): Plan {
  const taken = nodes.flatMap(({ spec }) => [...(spec.podCIDRs ?? []), spec.podCIDR ?? '']).flatMap(spanOf);
  const without = nodes.filter(({ spec }) => (spec.podCIDR ?? '') === '');
  const actions = without.toSorted(byAge).map((node): Action => {
    const range = freeRange(taken);
    if (range === undefined) return unavailable(node);
    taken.push(...spanOf(range));
    const body = { spec: { podCIDR: range, podCIDRs: [range] } };
    return { do: 'patch', type: nodesType, target: node, patchType: 'merge', body };
  });
  return { actions };
}

function byAge(one: Node, other: Node): number {
  const ageOf = ({ metadata: { creationTimestamp, name } }: Node): string => `${creationTimestamp} ${name}`;
  return ageOf(one) < ageOf(other) ? -1 : 1;
}

/** As upstream tells it. */
function unavailable(node: Node): Action {
  const reason = 'CIDRNotAvailable';
  const note = `Node ${node.metadata.name} status is now: ${reason}`;
  return { do: 'emit', regarding: node, type: 'Normal', reason, note };
}

interface Span {
  readonly first: number;
  readonly last: number;
}

function freeRange(taken: readonly Span[]): string | undefined {
  for (let index = 0; index < rangesMax; index++) {
    const first = network + index * 2 ** (32 - rangeBits);
    const last = first + 2 ** (32 - rangeBits) - 1;
    if (taken.every((span) => span.last < first || last < span.first)) return `${textOf(first)}/${rangeBits}`;
  }
  return undefined;
}

/** None of what is no IPv4 range: it takes nothing from us. */
function spanOf(range: string): readonly Span[] {
  const [, address, bits] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(range) ?? [];
  if (address === undefined) return [];
  const size = 2 ** (32 - Number(bits));
  const first = Math.floor(numberOf(address) / size) * size;
  return [{ first, last: first + size - 1 }];
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, part) => 256 * number + Number(part), 0);
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join('.');
}
