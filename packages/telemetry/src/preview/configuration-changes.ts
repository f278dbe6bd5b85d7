import { type Key, type KubeObject, keyOf, type New } from '@signalbox/cluster';
import type { Desired, RootComponent } from '../operator/component.ts';
import { configsOf } from '../operator/render.ts';
import { parseYaml, toYaml } from '../scrape/yaml.ts';
import type { Reference } from '../world/findings.ts';
import { compare, type World } from '../world/world.ts';
import { rootsIn } from './foretell.ts';
import { type Hunk, lineDiff } from './line-diff.ts';
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
  const texts = [...compared.values()].filter(({ before, after }) => before !== after).flatMap(textsOf);
  const changed = texts.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return [];
  const harmless = harmlessConfigs(sides, new Set(changed.map(({ name }) => name)));
  return changed.map((each) => changeOf(each, harmless.get(each.name) ?? [])).sort((a, b) => compare(a.name, b.name));
}

interface Texts {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function textsOf({ before, after }: Pair): readonly Texts[] {
  const [left, right] = [configsIn(before), configsIn(after)];
  return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
    name,
    before: left.get(name),
    after: right.get(name),
  }));
}

function configsIn(object: KubeObject | undefined): ReadonlyMap<string, string> {
  // A Secret of somebody else may have a key of that name.
  const isOurs = object?.metadata.labels?.['app.kubernetes.io/managed-by'] !== undefined;
  return new Map(object === undefined || !isOurs ? [] : configsOf(object));
}

function changeOf({ name, before, after }: Texts, harmless: readonly string[]): ConfigurationChange {
  if (before === undefined || after === undefined) {
    const change = before === undefined ? 'created' : 'deleted';
    const count = (text = ''): number => linesOf(text).length;
    return { name, change, linesAdded: count(after), linesRemoved: count(before), hunks: [], isSorted: false };
  }
  const asWritten = diffOf(before, after);
  const counted = { before: linesOf(before).length, after: linesOf(after).length };
  if (asWritten.linesAdded + asWritten.linesRemoved <= (counted.before + counted.after) * otherHandShare)
    return { name, change: 'changed', isSorted: false, ...shownOf(asWritten, harmless) };
  const [left, right] = [sortedText(before), sortedText(after)];
  const asSorted = left === undefined || right === undefined ? asWritten : diffOf(left, right);
  const isSorted = asSorted.linesAdded + asSorted.linesRemoved < asWritten.linesAdded + asWritten.linesRemoved;
  if (!isSorted) return { name, change: 'changed', isSorted, ...shownOf(asWritten, harmless) };
  return {
    name,
    change: 'changed',
    isSorted,
    ...shownOf(
      asSorted,
      harmless.flatMap((text) => sortedText(text) ?? []),
    ),
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
  const hunks = lineDiff(linesOf(before), linesOf(after));
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    linesAdded: lines.filter((line) => line.startsWith('+')).length,
    linesRemoved: lines.filter((line) => line.startsWith('-')).length,
    hunks,
  };
}

function shownOf({ hunks, ...counts }: Lines, harmless: readonly string[]): Lines {
  const show = redaction(harmless);
  return {
    ...counts,
    hunks: hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map((line) => `${line[0]}${show(line.slice(1))}`) })),
  };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** What both sides would write if no Secret said anything. */
function harmlessConfigs(sides: readonly Side[], names: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { world, built, nowMs } of sides)
    for (const { component, root, desired } of built) {
      const objects = withConfigs(desired, names);
      if (objects.length === 0) continue;
      const used = secretsIn(desired.references);
      const harmless =
        used.size === 0 ? objects : withConfigs(component.build(root, withoutSecrets(world, used), { nowMs }), names);
      for (const [name, text] of harmless.flatMap(configsOf)) found.set(name, [...(found.get(name) ?? []), text]);
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
