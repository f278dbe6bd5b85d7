import type { MonitorLimits } from '../../../resources/fields.ts';
import type { CommonPrometheusSpec } from '../../../resources/prometheus-fields.ts';
import type { Fields, Line } from '../../../scrape/fields/table.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import { checkCount, checkSize, sizeBytes } from '../../../scrape/sizes.ts';
import { type EnforcedLimits, type Place, prometheus, type Scrape, since } from './settings.ts';
import { isAtLeast, type Version } from './version.ts';

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

const names = Object.keys(wireNames) as readonly LimitName[];

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
export function globalLimits(spec: CommonPrometheusSpec, place: Place): Section {
  const enforced: EnforcedLimits = {
    sampleLimit: spec.enforcedSampleLimit,
    targetLimit: spec.enforcedTargetLimit,
    labelLimit: spec.enforcedLabelLimit,
    labelNameLengthLimit: spec.enforcedLabelNameLengthLimit,
    labelValueLengthLimit: spec.enforcedLabelValueLengthLimit,
    keepDroppedTargets: spec.enforcedKeepDroppedTargets,
    bodySizeLimit: spec.enforcedBodySizeLimit,
  };
  checkLimits(spec, place);
  for (const [name, bound] of Object.entries(enforced))
    if (typeof bound === 'number') checkCount(bound, inEnforced(place, name));
  checkSize(enforced.bodySizeLimit, inEnforced(place, 'bodySizeLimit'));
  const limits = names.map((name): readonly [string, number | undefined] => {
    const own = positive(spec[name]);
    const bound = positive(enforced[name]);
    const minimum = name === 'keepDroppedTargets' ? youngSince : globalSince;
    if (own === undefined) return [wireNames[name], isAtLeast(place.version, minimum) ? bound : undefined];
    return [wireNames[name], since(minimum, lower(own, bound), { ...place, at: `${place.at}.${name}` })];
  });
  const size = lowerSize(spec.bodySizeLimit, spec.enforcedBodySizeLimit);
  return given({
    body_size_limit:
      spec.bodySizeLimit === undefined
        ? sinceQuietly(globalSince, size, place.version)
        : since(globalSince, size, { ...place, at: `${place.at}.bodySizeLimit` }),
    ...Object.fromEntries(limits),
  });
}

function sinceQuietly<T>(minimum: string, value: T | undefined, version: Version): T | undefined {
  return isAtLeast(version, minimum) ? value : undefined;
}

function positive(limit: number | undefined): number | undefined {
  return limit !== undefined && limit > 0 ? limit : undefined;
}

function lower(own: number, bound: number | undefined): number {
  return bound === undefined || own <= bound ? own : bound;
}

function inEnforced(place: Place, name: string): Place {
  return { ...place, at: `${place.at}.enforced${name[0]?.toUpperCase()}${name.slice(1)}` };
}

/** Prometheus reads them as numbers without a sign, and refuses the whole file for one that has it. */
function checkLimits(
  own: Partial<Record<LimitName, number>> & {
    readonly bodySizeLimit?: string;
  },
  place: Place,
): void {
  for (const name of names) checkCount(own[name], { ...place, at: `${place.at}.${name}` });
  checkSize(own.bodySizeLimit, { ...place, at: `${place.at}.bodySizeLimit` });
}

function lowerSize(own: string | undefined, bound: string | undefined): string | undefined {
  if (!own || sizeBytes(own) === 0) return bound;
  if (!bound || sizeBytes(bound) === 0) return own;
  return (sizeBytes(own) ?? 0) > (sizeBytes(bound) ?? 0) ? bound : own;
}
