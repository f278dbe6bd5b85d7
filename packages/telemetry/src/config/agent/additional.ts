import type { SecretKeySelector } from '@signalbox/cluster';
import { parseYaml } from '../yaml.ts';
import type { Section } from './http.ts';
import type { Leaf } from './leaf.ts';

const at = 'spec.additionalScrapeConfigs';

/**
 * Jobs that a user wrote in the agent's own words, taken over as they are. `taken` holds the names of the instance's
 * other jobs: the agent refuses a file in which two jobs share a name, so a second one is left out.
 */
export function additionalJobs(
  selector: SecretKeySelector | undefined,
  leaf: Leaf,
  taken: ReadonlySet<string>,
): readonly Section[] {
  const text = leaf.secretText(selector, at);
  if (text === undefined) return [];
  const jobs = jobList(text, leaf);
  const names = new Set(taken);
  return jobs.filter((job, index) => {
    const name = job['job_name'];
    if (typeof name !== 'string' || name === '') {
      leaf.warn('JobLeftOut', `${at}[${index}].job_name`, 'every job needs a name: this one is left out');
      return false;
    }
    if (names.has(name)) {
      leaf.warn(
        'JobLeftOut',
        `${at}[${index}].job_name`,
        `another job is called "${name}" already: this one is left out`,
      );
      return false;
    }
    names.add(name);
    return true;
  });
}

function jobList(text: string, leaf: Leaf): readonly Section[] {
  try {
    const value = parseYaml(text) ?? [];
    if (Array.isArray(value) && value.every(isSection)) return value;
    leaf.reject('InvalidField', at, 'must hold a YAML list of scrape jobs');
  } catch {
    // The parser's message quotes the text, and the text is a secret.
    leaf.reject('InvalidField', at, 'is no valid YAML');
  }
  return [];
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
