import { type Key, type KubeObject, keyOf, type New } from '@signalbox/cluster';
import type { Desired, RootComponent } from '../operator/component.ts';
import { configsOf, decodedConfig } from '../operator/render.ts';
import { parseYaml, toYaml } from '../scrape/yaml.ts';
import type { Reference } from '../world/findings.ts';
import { compare, type World } from '../world/world.ts';
import { rootsIn } from './foretell.ts';
import { type Hunk, lineDiff } from './line-diff.ts';
import { countLines } from './numbered-lines.ts';
import type { Pair } from './object-changes.ts';
import { redaction, withoutSecrets } from './redaction.ts';

/** How one configuration of agents changes. What came from a Secret is not shown. */
export interface ConfigurationChange {
  /** `monitoring/prometheus-main/prometheus.yaml.gz` */
  readonly name: string;
  readonly change: 'changed' | 'created' | 'deleted';
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** Of one that comes or goes there are none, nor of one whose settings stay as they are. */
  readonly hunks: readonly Hunk[];
  /** Another operator orders and writes the same otherwise: what is compared has all fields sorted by name. */
  readonly isSorted: boolean;
}

/** A root as it was built. */
export interface BuiltRoot {
  readonly component: RootComponent;
  readonly root: KubeObject;
  readonly desired: Desired;
}

/** One side of what is compared. */
export interface Side {
  readonly world: World;
  readonly built: readonly BuiltRoot[];
  readonly nowMs: number;
}

export function builtIn(
  world: World,
  { components, nowMs }: { readonly components: readonly RootComponent[]; readonly nowMs: number },
): Side {
  const built = rootsIn(world, components).map(({ component, root }) => ({
    component,
    root,
    desired: component.build(root, world, { nowMs }),
  }));
  return { world, built, nowMs };
}

/** Sorted by name. */
export function configurationChanges(
  compared: ReadonlyMap<string, Pair>,
  sides: readonly [before: Side, after: Side],
): readonly ConfigurationChange[] {
  const read = remembering(decodedConfig);
  const texts = [...compared.values()]
    .filter(({ before, after }) => before !== after)
    .flatMap((pair) => textsOf(pair, read));
  const changed = texts.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return [];
  const harmless = harmlessConfigs(sides, { names: new Set(changed.map(({ name }) => name)), read });
  return changed.map((each) => changeOf(each, harmless.get(each.name) ?? [])).sort((a, b) => compare(a.name, b.name));
}

type Read = (base64: string) => string;

/** What is compared is mostly what is rendered again to see what may be shown. */
function remembering(read: Read): Read {
  const known = new Map<string, string>();
  return (base64) => {
    const text = known.get(base64) ?? read(base64);
    known.set(base64, text);
    return text;
  };
}

interface Texts {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function textsOf({ before, after }: Pair, read: Read): readonly Texts[] {
  const [left, right] = [configsIn(before, read), configsIn(after, read)];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
    name,
    before: left.get(name),
    after: right.get(name),
  }));
}

function configsIn(object: KubeObject | undefined, read: Read): ReadonlyMap<string, string> {
  // A Secret of somebody else may have a key of that name.
  const isOurs = object?.metadata.labels?.['app.kubernetes.io/managed-by'] !== undefined;
  return new Map(object === undefined || !isOurs ? [] : configsOf(object, read));
}

function changeOf({ name, before, after }: Texts, harmless: readonly string[]): ConfigurationChange {
  if (before === undefined || after === undefined) {
    const change = before === undefined ? 'created' : 'deleted';
    const [linesAdded, linesRemoved] = [countLines(after ?? ''), countLines(before ?? '')];
    return { name, change, linesAdded, linesRemoved, hunks: [], isSorted: false };
  }
  const asWritten = diffOf(before, after);
  const all = countLines(before) + countLines(after);
  if (asWritten.linesAdded + asWritten.linesRemoved <= all * otherHandShare)
    return { name, change: 'changed', isSorted: false, ...shownOf(asWritten, { texts: [before, after], harmless }) };
  const [left, right] = [sortedText(before), sortedText(after)];
  const asSorted = left === undefined || right === undefined ? asWritten : diffOf(left, right);
  const isSorted = asSorted.linesAdded + asSorted.linesRemoved < asWritten.linesAdded + asWritten.linesRemoved;
  if (!isSorted)
    return { name, change: 'changed', isSorted, ...shownOf(asWritten, { texts: [before, after], harmless }) };
  return {
    name,
    change: 'changed',
    isSorted,
    ...shownOf(asSorted, {
      texts: [left ?? '', right ?? ''],
      harmless: harmless.flatMap((text) => sortedText(text) ?? []),
    }),
  };
}

/** Nobody edits as much of a configuration at once; who orders its fields otherwise changes nearly all lines. */
const otherHandShare = 0.3;

/** With the fields of every mapping by name; undefined for what cannot be read. */
function sortedText(text: string): string | undefined {
  try {
    return toYaml(sortedByName(parseYaml(text)));
  } catch {
    return undefined;
  }
}

function sortedByName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedByName);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(fields.map(([name, each]) => [name, sortedByName(each)]));
}

type Lines = Pick<ConfigurationChange, 'hunks' | 'linesAdded' | 'linesRemoved'>;

function diffOf(before: string, after: string): Lines {
  const hunks = lineDiff(before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    linesAdded: lines.filter((line) => line.startsWith('+')).length,
    linesRemoved: lines.filter((line) => line.startsWith('-')).length,
    hunks,
  };
}

interface Shown {
  /** What is compared. */
  readonly texts: readonly string[];
  /** What would be written if no Secret said anything. */
  readonly harmless: readonly string[];
}

function shownOf({ hunks, ...counts }: Lines, { texts, harmless }: Shown): Lines {
  // Texts without a secret show themselves.
  if (texts.every((text) => harmless.includes(text))) return { hunks, ...counts };
  const show = redaction(harmless);
  return {
    ...counts,
    hunks: hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map((line) => `${line[0]}${show(line.slice(1))}`) })),
  };
}

/** What both sides would write if no Secret said anything. */
function harmlessConfigs(
  sides: readonly Side[],
  { names, read }: { readonly names: ReadonlySet<string>; readonly read: Read },
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { world, built, nowMs } of sides)
    for (const { component, root, desired } of built) {
      const objects = withConfigs(desired, names);
      if (objects.length === 0) continue;
      const used = secretsIn(desired.references);
      const harmless =
        used.size === 0 ? objects : withConfigs(component.build(root, withoutSecrets(world, used), { nowMs }), names);
      for (const [name, text] of harmless.flatMap((each) => configsOf(each, read)))
        found.set(name, [...(found.get(name) ?? []), text]);
    }
  return found;
}

function withConfigs({ objects }: Desired, names: ReadonlySet<string>): readonly New<KubeObject>[] {
  const places = new Set([...names].map((name) => name.split('/').slice(0, 2).join('/')));
  return objects.filter((each) => each.kind === 'Secret' && places.has(keyOf(each)));
}

function secretsIn(references: readonly Reference[]): ReadonlySet<Key> {
  return new Set(
    references.filter(({ kind }) => kind === 'Secret').map(({ namespace, name }) => `${namespace}/${name}`),
  );
}
