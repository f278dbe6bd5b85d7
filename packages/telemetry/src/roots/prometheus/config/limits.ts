import type { MonitorLimits } from '../../../resources/fields.ts';
import type { Fields, Line } from '../../../scrape/fields/table.ts';
import { checkCount, checkSize, sizeBytes } from '../../../scrape/sizes.ts';
import { type EnforcedLimits, type Place, prometheus, type Scrape } from './settings.ts';
import { isAtLeast } from './version.ts';

/** A probe has no limit of bodies in its definition, and is bound by the root's all the same. */
export type LimitedSpec = MonitorLimits & { readonly bodySizeLimit?: string };

type LimitName = Exclude<keyof EnforcedLimits, 'bodySizeLimit'>;

const wireNames: Readonly<Record<LimitName, string>> = {
  sampleLimit: 'sample_limit',
  targetLimit: 'target_limit',
  labelLimit: 'label_limit',
  labelNameLengthLimit: 'label_name_length_limit',
  labelValueLengthLimit: 'label_value_length_limit',
  keepDroppedTargets: 'keep_dropped_targets',
};

/** From when on the global section has limits. */
const globalSince = '2.45';
/** The youngest of them, wherever it stands. */
const youngSince = '2.47';

/**
 * A job's limits. Where the root enforces one, the lower holds; where only the root has one, the global section says so,
 * as soon as Prometheus reads it there.
 */
export const limitFields: Fields<Pick<LimitedSpec, LimitName | 'bodySizeLimit'>, Scrape> = {
  sampleLimit: limit('sampleLimit'),
  targetLimit: limit('targetLimit'),
  labelLimit: limit('labelLimit'),
  labelNameLengthLimit: limit('labelNameLengthLimit'),
  labelValueLengthLimit: limit('labelValueLengthLimit'),
  keepDroppedTargets: { ...limit('keepDroppedTargets'), since: prometheus(youngSince) },
  bodySizeLimit: {
    as: 'body_size_limit',
    check: checkSize,
    made: (own, { settings }) => lowerSize(own, settings.enforced.bodySizeLimit),
  },
};

function limit(name: LimitName): Line<number, unknown, Scrape> {
  return {
    as: wireNames[name],
    check: checkCount,
    made(own, { settings: { enforced }, version }) {
      const value = positive(own);
      const bound = positive(enforced[name]);
      if (value !== undefined) return lower(value, bound);
      // Of versions that read it at all, every one reads it in the global section.
      return name === 'keepDroppedTargets' || isAtLeast(version, globalSince) ? undefined : bound;
    },
  };
}

/** What holds for jobs that say nothing: the root's own limit, never above the one it enforces. */
export function globalLimit(name: LimitName): Line<number, unknown, { readonly enforced: EnforcedLimits } & Place> {
  return {
    as: wireNames[name],
    since: prometheus(name === 'keepDroppedTargets' ? youngSince : globalSince),
    check: checkCount,
    made(own, { enforced }) {
      const [value, bound] = [positive(own), positive(enforced[name])];
      return value === undefined ? bound : lower(value, bound);
    },
  };
}

export const globalSizeLimit: Line<string, unknown, { readonly enforced: EnforcedLimits } & Place> = {
  as: 'body_size_limit',
  since: prometheus(globalSince),
  check: checkSize,
  made: (own, { enforced }) => lowerSize(own, enforced.bodySizeLimit),
};

function positive(limit: number | undefined): number | undefined {
  return limit !== undefined && limit > 0 ? limit : undefined;
}

function lower(own: number, bound: number | undefined): number {
  return bound === undefined || own <= bound ? own : bound;
}

function lowerSize(own: string | undefined, bound: string | undefined): string | undefined {
  if (!own || sizeBytes(own) === 0) return bound;
  if (!bound || sizeBytes(bound) === 0) return own;
  return (sizeBytes(own) ?? 0) > (sizeBytes(bound) ?? 0) ? bound : own;
}
