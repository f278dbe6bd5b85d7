/** Requests and limits of containers as they read them themselves, and as they are held to. */
import { type Container, type Pod, parseQuantity, type ResourceFieldSelector } from '@signalbox/cluster';
import type { Image } from '../images/image.ts';
import type { Limits } from '../protocol/launch.ts';
import type { NodeFacts } from './around.ts';
import { badConfig, type Made, made } from './made.ts';

const nano = 1_000_000_000n;
const milli = 1_000_000n;

/** A missing limit is what the node has to give. Rounded up to whole divisors. */
export function resourceField(
  { resource, divisor = '1' }: ResourceFieldSelector,
  { resources }: Pick<Container, 'resources'>,
  { allocatable }: Pick<NodeFacts, 'allocatable'>,
): Made<string> {
  const [kind = '', name = ''] = splitOnce(resource);
  if (!['limits', 'requests'].includes(kind) || !/^(cpu|memory|ephemeral-storage|hugepages-.+)$/.test(name))
    return badConfig(`unsupported container resource : ${resource}`);
  const own = (kind === 'limits' ? resources?.limits : resources?.requests)?.[name];
  const given = parseQuantity(own ?? '0') ?? 0n;
  const amount = kind === 'limits' && given === 0n ? (parseQuantity(allocatable[name] ?? '0') ?? 0n) : given;
  const asked = parseQuantity(divisor) ?? 0n;
  const by = asked === 0n ? nano : asked;
  const unit = name === 'cpu' ? milli : nano;
  return made(String(divideUp(divideUp(amount, unit), divideUp(by, unit))));
}

/** `requests.cpu`, `limits.hugepages-2Mi`. */
function splitOnce(text: string): readonly string[] {
  const at = text.indexOf('.');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function divideUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

interface LimitsAround {
  readonly image: Pick<Image, 'cpuMilliLeast' | 'memoryBytesLeast'>;
}

export function limitsOf(
  { resources }: Container,
  { image: { cpuMilliLeast = 0, memoryBytesLeast = 0 } }: LimitsAround,
): Limits {
  const memory = parseQuantity(resources?.limits?.['memory'] ?? '0') ?? 0n;
  const cpu = parseQuantity(resources?.limits?.['cpu'] ?? '0') ?? 0n;
  return {
    ...(memory > 0n ? { memoryBytes: Math.max(memoryBytesLeast, Number(divideUp(memory, nano))) } : {}),
    ...(cpu > 0n ? { cpuMilli: Math.max(cpuMilliLeast, Number(divideUp(cpu, milli))) } : {}),
  };
}

/** What a container asks for that no machine without special devices has. */
export function unknownResources({ resources }: Container): readonly string[] {
  const asked = { ...resources?.requests, ...resources?.limits };
  return Object.keys(asked)
    .filter((name) => !['cpu', 'memory', 'ephemeral-storage'].includes(name))
    .filter((name) => (parseQuantity(asked[name] ?? '0') ?? 0n) > 0n)
    .sort();
}

/** What all containers of a pod may use together; undefined when one of them has no limit. */
export function podMemoryBytes({ spec }: Pod): number | undefined {
  const limits = spec.containers.map(({ resources }) => parseQuantity(resources?.limits?.['memory'] ?? '0') ?? 0n);
  if (limits.some((each) => each === 0n)) return undefined;
  return Number(
    divideUp(
      limits.reduce((sum, each) => sum + each, 0n),
      nano,
    ),
  );
}
