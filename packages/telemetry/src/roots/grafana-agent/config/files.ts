import type { OAuth2 } from '../../../resources/fields.ts';
import type { JobProblem } from '../../../scrape/additional.ts';
import type { Place } from '../../../scrape/checks.ts';
import { denyFiles, type Login } from '../../../scrape/files.ts';
import type { Section } from '../../../scrape/http.ts';

/*
 * Files of the agent's container: what mounts it, its token and its environment belong to the administrator. A root may
 * forbid them to whoever writes monitors, and instances in other namespaces than its own.
 */

export const forbidden = "the root's metrics.arbitraryFSAccessThroughSMs.deny forbids files of the agent's container";

/** Of all that an instance sends to. */
export function denyFilesOf(remotes: readonly Remote[] | undefined, { leaf, at }: Place): void {
  (remotes ?? []).forEach((remote, index) => {
    denyFiles(remote, { leaf, at: `${at}[${index}]`, forbidden });
    denyFiles({ tlsConfig: remote.oauth2?.tlsConfig }, { leaf, at: `${at}[${index}].oauth2`, forbidden });
  });
}

interface Remote extends Login {
  readonly oauth2?: Partial<OAuth2>;
}

/** The first place where a job in the agent's own words names a file. */
export function namedFile(value: unknown): JobProblem | undefined {
  if (Array.isArray(value)) return firstOf(value, namedFile);
  if (typeof value !== 'object' || value === null) return undefined;
  return firstOf(Object.entries(value as Section), ([key, member]) => {
    if (ownWords.has(key)) return undefined;
    if (member !== null && names(key, member)) return { field: known.has(key) ? `.${key}` : '', message: forbidden };
    return namedFile(member);
  });
}

function names(key: string, value: unknown): boolean {
  return known.has(key) || key.endsWith('_file') || (key === 'host' && /^(?:unix|npipe):/i.test(String(value)));
}

/** Of Prometheus and of Promtail; the journal is that of the node. */
const known: ReadonlySet<string> = new Set([
  'bearer_token_file',
  'bookmark_path',
  'ca_file',
  'cert_file',
  'client_secret_file',
  'credentials_file',
  'file_sd_configs',
  'files',
  'journal',
  'key_file',
  'kubeconfig_file',
  'password_file',
]);

/** Members whose keys are the user's. Of stages, see there. */
const ownWords: ReadonlySet<string> = new Set([
  'endpoint_params',
  'headers',
  'labels',
  'metric_relabel_configs',
  'params',
  'pipeline_stages',
  'relabel_configs',
]);

export function firstOf<T, Found>(
  items: readonly T[],
  find: (item: T, index: number) => Found | undefined,
): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
