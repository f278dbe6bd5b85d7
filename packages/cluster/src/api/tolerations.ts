import type { Taint, Toleration } from './generated/core-v1.ts';

/** Whether the toleration covers the taint. An empty key with `Exists` covers all; an empty effect covers every effect. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  // An empty key is allowed with `Exists` only, and matches nothing otherwise.
  return key !== '' && (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

/** The taints with one of the effects that no toleration covers, in their order. */
export function untolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): readonly Taint[] {
  if (taints === undefined || taints.length === 0) return none;
  return taints.filter(
    (taint) => effects.includes(taint.effect) && !(tolerations ?? none).some((each) => tolerates(each, taint)),
  );
}

/** `key=value:effect`, or without a value `key:effect`. */
export function formatTaint({ key, value, effect }: Taint): string {
  return value === undefined || value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}

/** How a node gets rid of it, with NODE for its name: what follows from its state comes back as long as that lasts. */
export function taintMend({ key, effect }: Taint): string {
  switch (key) {
    case 'node.kubernetes.io/unschedulable':
      return 'kubectl uncordon NODE';
    case 'node.kubernetes.io/not-ready':
    case 'node.kubernetes.io/unreachable':
      return 'bring the node back';
    case 'node.kubernetes.io/memory-pressure':
    case 'node.kubernetes.io/disk-pressure':
    case 'node.kubernetes.io/pid-pressure':
    case 'node.kubernetes.io/network-unavailable':
      return 'mend its condition: signalbox explain node NODE';
    default:
      return `kubectl taint nodes NODE ${key}:${effect}-`;
  }
}

const none: readonly never[] = [];
