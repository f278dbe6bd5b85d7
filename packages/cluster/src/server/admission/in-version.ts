import type { KubeObject } from '../../api/meta.ts';
import { present } from '../../base/assert.ts';
import type { Registry, Served } from '../context/registry.ts';
import type { WriteRequest } from '../context/write-request.ts';
import type { AdmissionFacts, MatchedAs } from './matching.ts';

interface Shown {
  readonly request: Pick<WriteRequest, 'served' | 'signal'>;
  readonly facts: AdmissionFacts;
  readonly as: MatchedAs;
}

/** The object of a request as another version of its resource shows it; itself where that is the one that was asked for. */
export async function inVersion(registry: Registry, object: KubeObject, shown: Shown): Promise<KubeObject> {
  const ways = waysOf(registry, shown);
  return ways === undefined ? object : converted(object, { ...ways, signal: shown.request.signal });
}

/** The same backwards: what a webhook made of it, in the version of the request. */
export async function outOfVersion(registry: Registry, object: KubeObject, shown: Shown): Promise<KubeObject> {
  const ways = waysOf(registry, shown);
  if (ways === undefined) return object;
  return converted(object, { from: ways.to, to: ways.from, signal: shown.request.signal });
}

interface Ways {
  readonly from: Served;
  readonly to: Served;
}

function waysOf(registry: Registry, { request, facts, as }: Shown): Ways | undefined {
  const { kind } = facts;
  const isSameKind = as.kind.group === kind.group && as.kind.version === kind.version && as.kind.kind === kind.kind;
  // Doors such as that of the Scale show the same kind whatever the version of the object behind them.
  if (isSameKind) return undefined;
  return { from: request.served, to: present(registry.find(as.resource), 'an equivalent resource is served') };
}

async function converted(
  object: KubeObject,
  { from, to, signal }: Ways & { readonly signal: AbortSignal },
): Promise<KubeObject> {
  await from.conversion.learn?.([object], { to: 'stored', signal });
  const stored = from.conversion.toStored(object);
  await to.conversion.learn?.([stored], { to: 'shown', signal });
  return to.conversion.fromStored(stored);
}
