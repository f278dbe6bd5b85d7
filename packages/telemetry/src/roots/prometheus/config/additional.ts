import type { SecretKeySelector } from '@signalbox/cluster';
import { additionalJobs, type WrittenJob, writtenJobs } from '../../../scrape/additional.ts';
import type { Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { shardingRulesForOwnJob } from './monitors/sharding.ts';
import type { Sharding } from './settings.ts';

/** Jobs that a user wrote in Prometheus' own words, taken over as they are but for their share of the targets. */
export function additionalSections(
  selector: SecretKeySelector | undefined,
  {
    leaf,
    taken,
    sharding,
  }: { readonly leaf: Leaf; readonly taken: () => Iterable<string>; readonly sharding: Sharding },
): readonly WrittenJob[] {
  return writtenJobs(additionalJobs(selector, leaf, taken), (job) => shared(job, sharding));
}

function shared(job: Section, sharding: Sharding): Section {
  const { relabel_configs, ...rest } = job;
  const own = isRuleList(relabel_configs) ? relabel_configs : [];
  const added = shardingRulesForOwnJob(own, sharding);
  return added.length === 0 ? job : { ...rest, relabel_configs: [...own, ...added] };
}

function isRuleList(value: unknown): value is readonly { readonly action?: unknown }[] {
  return Array.isArray(value) && value.every((rule) => typeof rule === 'object' && rule !== null);
}
