import type { MonitorLimits } from '../../../resources/fields.ts';
import type { CommonPrometheusSpec } from '../../../resources/prometheus-fields.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import { checkCount, checkSize, sizeBytes } from '../../../scrape/sizes.ts';
import { type EnforcedLimits, type Place, type PrometheusSettings, since } from './settings.ts';
import { isAtLeast, type Version } from './version.ts';

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

/**
 * A job's limits. Where the root enforces one, the lower holds; where only the root has one, the global section says so,
 * as soon as Prometheus reads it there.
 */
export function limitSection(
  own: MonitorLimits & { readonly bodySizeLimit?: string },
  { enforced, version }: PrometheusSettings,
  place: Place,
): Section {
  checkLimits(own, place);
  const limits = names.map((name): readonly [string, number | undefined] => {
    const value = positive(own[name]);
    const bound = positive(enforced[name]);
    const lowest = value === undefined ? whenUnset(name, bound, version) : lower(value, bound);
    return [wireNames[name], name === 'keepDroppedTargets' ? young(lowest, value, place) : lowest];
  });
  return given({
    ...Object.fromEntries(limits),
    body_size_limit: lowerSize(own.bodySizeLimit, enforced.bodySizeLimit),
  });
}

/** Only what the monitor's owner wrote is worth a warning to him. */
function young(lowest: number | undefined, own: number | undefined, place: Place): number | undefined {
  if (own !== undefined) return since('2.47', lowest, { ...place, at: `${place.at}.keepDroppedTargets` });
  return isAtLeast(place.version, '2.47') ? lowest : undefined;
}

function whenUnset(name: LimitName, bound: number | undefined, version: Version): number | undefined {
  return isAtLeast(version, name === 'keepDroppedTargets' ? '2.47' : '2.45') ? undefined : bound;
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
    const minimum = name === 'keepDroppedTargets' ? '2.47' : '2.45';
    if (own === undefined) return [wireNames[name], isAtLeast(place.version, minimum) ? bound : undefined];
    return [wireNames[name], since(minimum, lower(own, bound), { ...place, at: `${place.at}.${name}` })];
  });
  const size = lowerSize(spec.bodySizeLimit, spec.enforcedBodySizeLimit);
  return given({
    body_size_limit:
      spec.bodySizeLimit === undefined
        ? sinceQuietly('2.45', size, place.version)
        : since('2.45', size, { ...place, at: `${place.at}.bodySizeLimit` }),
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
    readonly nativeHistogramBucketLimit?: number;
  },
  place: Place,
): void {
  for (const name of [...names, 'nativeHistogramBucketLimit'] as const)
    checkCount(own[name], { ...place, at: `${place.at}.${name}` });
  checkSize(own.bodySizeLimit, { ...place, at: `${place.at}.bodySizeLimit` });
}

function lowerSize(own: string | undefined, bound: string | undefined): string | undefined {
  if (!own || sizeBytes(own) === 0) return bound;
  if (!bound || sizeBytes(bound) === 0) return own;
  return (sizeBytes(own) ?? 0) > (sizeBytes(bound) ?? 0) ? bound : own;
}
