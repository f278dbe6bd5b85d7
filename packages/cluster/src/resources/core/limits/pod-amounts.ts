import type { Container, PodSpec } from '../../../api/generated/core-v1.ts';
import { formatQuantity, parseQuantity } from '../../../api/quantity.ts';
import { isSidecar } from '../pod/facts.ts';

type Amounts = Readonly<Record<string, string>>;
type Sums = ReadonlyMap<string, Sum>;

interface Sum {
  readonly nano: bigint;
  /** An amount whose form the sum takes. */
  readonly like: string;
}

/** What a pod's containers ask for together: those that run at once, or the one before them that needs most. */
export function podAmounts(spec: PodSpec, of: 'requests' | 'limits'): Amounts {
  const own = (container: Container): Sums => sumsOf(container.resources?.[of]);
  let together = spec.containers.map(own).reduce(added, none);
  let beside = none;
  let before = none;
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) {
      together = added(together, own(container));
      beside = added(beside, own(container));
      before = greatest(before, beside);
    } else before = greatest(before, added(own(container), beside));
  }
  const all = greatest(together, before);
  // What is asked for the pod as a whole takes the place of what its containers ask for.
  const whole = new Map([...all, ...sumsOf(spec.resources?.[of])]);
  return Object.fromEntries([...whole].map(([name, { nano, like }]) => [name, formatQuantity(nano, like)]));
}

const none: Sums = new Map();

function sumsOf(amounts: Amounts | undefined): Sums {
  return new Map(
    Object.entries(amounts ?? {}).map(([name, like]) => [name, { nano: parseQuantity(like) ?? 0n, like }]),
  );
}

function added(a: Sums, b: Sums): Sums {
  return merged(a, b, (left, right) => ({ ...left, nano: left.nano + right.nano }));
}

function greatest(a: Sums, b: Sums): Sums {
  return merged(a, b, (left, right) => (right.nano > left.nano ? right : left));
}

function merged(a: Sums, b: Sums, both: (left: Sum, right: Sum) => Sum): Sums {
  const sums = new Map(a);
  for (const [name, sum] of b) {
    const known = sums.get(name);
    sums.set(name, known === undefined ? sum : both(known, sum));
  }
  return sums;
}
