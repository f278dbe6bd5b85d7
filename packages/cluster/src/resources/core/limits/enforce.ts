import type { LimitRange, PersistentVolumeClaim, Pod } from '../../../api/generated/core-v1.ts';
import { canonicalQuantity, parseQuantity } from '../../../api/quantity.ts';
import { podAmounts } from './pod-amounts.ts';

type Item = LimitRange['spec']['limits'][number];
type Amounts = Readonly<Record<string, string>>;

interface Asked {
  readonly requests?: Amounts | undefined;
  readonly limits?: Amounts | undefined;
}

/** What a new pod asks too much or too little of, in upstream's words. */
export function podFaults(range: LimitRange, { spec }: Pod): readonly string[] {
  return limitsOf(range).flatMap((item) => {
    if (item.type === 'Container')
      return [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
        faultsOf(item, resources ?? {}),
      );
    if (item.type !== 'Pod') return [];
    return faultsOf(item, { requests: podAmounts(spec, 'requests'), limits: podAmounts(spec, 'limits') });
  });
}

/** A claim has a request alone that counts. */
export function claimFaults(range: LimitRange, { spec }: PersistentVolumeClaim): readonly string[] {
  const requests = spec.resources?.requests ?? {};
  return limitsOf(range).flatMap((item) => {
    if (item.type !== 'PersistentVolumeClaim') return [];
    const most = entries(item.max).flatMap(([name, amount]) => {
      const at = `maximum ${name} usage per ${item.type} is ${shown(amount)}`;
      const request = requests[name];
      if (request === undefined) return [`${at}.  No request is specified`];
      return isMore(request, amount) ? [`${at}, but request is ${shown(request)}`] : [];
    });
    return [...least(item, { requests }), ...most];
  });
}

/** A range may say nothing at all. */
function limitsOf({ spec }: LimitRange): readonly Item[] {
  const { limits = [] } = (spec as Partial<LimitRange['spec']> | undefined) ?? {};
  return limits;
}

function faultsOf(item: Item, asked: Asked): readonly string[] {
  return [...least(item, asked), ...most(item, asked), ...ratios(item, asked)];
}

function least({ type, min }: Item, { requests = {}, limits = {} }: Asked): readonly string[] {
  return entries(min).flatMap(([name, amount]) => {
    const at = `minimum ${name} usage per ${type} is ${shown(amount)}`;
    const [request, limit] = [requests[name], limits[name]];
    if (request === undefined) return [`${at}.  No request is specified`];
    if (isMore(amount, request)) return [`${at}, but request is ${shown(request)}`];
    return limit !== undefined && isMore(amount, limit) ? [`${at}, but limit is ${shown(limit)}`] : [];
  });
}

function most({ type, max }: Item, { requests = {}, limits = {} }: Asked): readonly string[] {
  return entries(max).flatMap(([name, amount]) => {
    const at = `maximum ${name} usage per ${type} is ${shown(amount)}`;
    const [request, limit] = [requests[name], limits[name]];
    if (limit === undefined) return [`${at}.  No limit is specified`];
    if (isMore(limit, amount)) return [`${at}, but limit is ${shown(limit)}`];
    return request !== undefined && isMore(request, amount) ? [`${at}, but request is ${shown(request)}`] : [];
  });
}

function ratios({ type, maxLimitRequestRatio }: Item, { requests = {}, limits = {} }: Asked): readonly string[] {
  return entries(maxLimitRequestRatio).flatMap(([name, ratio]) => {
    const at = `${name} max limit to request ratio per ${type} is ${shown(ratio)}`;
    const [request, limit] = [numberOf(requests[name]), numberOf(limits[name])];
    if (request === 0) return [`${at}, but no request is specified or request is 0`];
    if (limit === 0) return [`${at}, but no limit is specified or limit is 0`];
    const observed = limit / request;
    return observed > numberOf(ratio) ? [`${at}, but provided ratio is ${observed.toFixed(6)}`] : [];
  });
}

function entries(amounts: Amounts | undefined): readonly (readonly [string, string])[] {
  return Object.entries(amounts ?? {});
}

function isMore(a: string, b: string): boolean {
  return (parseQuantity(a) ?? 0n) > (parseQuantity(b) ?? 0n);
}

function numberOf(amount: string | undefined): number {
  return amount === undefined ? 0 : Number(parseQuantity(amount) ?? 0n) / 1e9;
}

function shown(amount: string): string {
  return canonicalQuantity(amount) ?? amount;
}
