import { type Key, type KubeObject, keyOf, type ResourceType, type Secret, secrets } from '@signalbox/cluster';
import { parseYaml, toYaml } from '../scrape/yaml.ts';
import { type World, worldFrom } from '../world/world.ts';
import { maskedJobs } from './masked-jobs.ts';

/*
 * A configuration holds what its Secrets say: passwords, and whole jobs that somebody wrote into one, of which only listed fields are shown. What may be shown of
 * it is found from the other end: it is rendered a second time from Secrets that say nothing, and only lines of that are
 * shown as they are. So what an older operator wrote, or came from a Secret that has changed since, is never shown either.
 */

/** What stands where a secret was. */
export const redacted = '<redacted>';

/** The same world, but no Secret among these says what it does. */
export function withoutSecrets(world: World, keys: ReadonlySet<Key>): World {
  const empty = (secret: Secret): Secret => ({
    ...secret,
    data: Object.fromEntries(
      Object.entries({ ...secret.data, ...secret.stringData }).map(([key]) => [key, emptied(secret, key)]),
    ),
    stringData: {},
  });
  const known = new Map<Secret, Secret>();
  const said = (secret: Secret): Secret => {
    if (!keys.has(keyOf(secret))) return secret;
    const replacement = known.get(secret) ?? empty(secret);
    known.set(secret, replacement);
    return replacement;
  };
  const of = <T extends KubeObject>(type: ResourceType<T>, object: T): T =>
    (type as ResourceType) === secrets ? (said(object as unknown as Secret) as unknown as T) : object;
  return worldFrom({
    sorted: (type) =>
      (type as ResourceType) === secrets ? world.list(type).map((each) => of(type, each)) : world.list(type),
    get: (type, key) => {
      const found = world.get(type, key);
      return found && of(type, found);
    },
    owned: (type, uid) => world.owned(type, uid).map((each) => of(type, each)),
  });
}

/** Of jobs what is no secret, and of other lists, which are read as such, nothing; everything else is a word. */
function emptied(secret: Secret, key: string): string {
  const text = secret.stringData?.[key] ?? Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  return Buffer.from(harmlessText(text), 'utf8').toString('base64');
}

function harmlessText(text: string): string {
  try {
    const value = parseYaml(text);
    const jobs = maskedJobs(value, redacted);
    if (jobs !== undefined) return toYaml(jobs);
    return Array.isArray(value) ? '[]' : redacted;
  } catch {
    return redacted;
  }
}

/** Shows lines as far as they are in one of these texts, which hold no secret; of others only what they are called. */
export function redaction(harmless: readonly string[]): (line: string) => string {
  const lines = new Set(harmless.flatMap((text) => text.split('\n')));
  const names = new Set<string>();
  for (const line of lines) {
    const name = nameIn(line);
    if (name !== undefined) names.add(name);
  }
  return (line) => {
    if (lines.has(line)) return line;
    const name = nameIn(line);
    if (name !== undefined && names.has(name)) return `${name} ${redacted}`;
    return `${/^ */.exec(line)?.[0] ?? ''}${redacted}`;
  };
}

/** `    - password:` with its depth, since a secret could be called like a field elsewhere. */
function nameIn(line: string): string | undefined {
  return /^ *(?:- )*[\w.-]+:(?= |$)/.exec(line)?.[0];
}
