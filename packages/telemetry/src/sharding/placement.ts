import { constant, keep, type RelabelRule } from '../relabel/rule.ts';
import type { SlotMapping } from './mapping.ts';
import { numbersRegex } from './slot-regex.ts';

/*
 * How shards share their targets, as relabelling rules that every agent has. All shards run from one configuration; the
 * config reloader puts each pod's number into `$(SHARD)`. While targets are handed over there are two ways at once, and a
 * shard scrapes what it would by either of them.
 */

/** One way to share. Plain data: equal ways give equal rules. */
export type Way =
  | { readonly by: 'hashmod'; readonly modulus: number }
  | {
      readonly by: 'slots';
      readonly slots: number;
      /** What matches `SHARD;SLOT` for every slot that a shard scrapes. */
      readonly shares: string;
    };

/** One way, or the old and the new one. */
export type Placement = readonly [Way] | readonly [Way, Way];

/** By one mapping, or by two of the same slots at once. */
export function slotWay(...mappings: readonly [SlotMapping, ...SlotMapping[]]): Way {
  const shards = Math.max(...mappings.map((mapping) => mapping.shards));
  const shares = Array.from({ length: shards }, (_, shard) => {
    const slots = mappings.flatMap(({ owners }) => owners.flatMap((owner, slot) => (owner === shard ? [slot] : [])));
    return slots.length === 0 ? [] : [`${shard};(?:${numbersRegex(slots)})`];
  });
  return { by: 'slots', slots: mappings[0].owners.length, shares: shares.flat().join('|') };
}

export interface PlacementOptions {
  /** What tells the targets apart. */
  readonly source: '__address__' | '__param_target';
  /**
   * Whoever sets `__tmp_hash` decides what is hashed instead; whoever sets `__tmp_disable_sharding` has the target scraped
   * by every shard.
   */
  readonly takesWishes: boolean;
}

/** The last rules of a job. */
export function placementRules(placement: Placement, options: PlacementOptions): readonly RelabelRule[] {
  const [way, next] = placement;
  if (next === undefined) return way.by === 'hashmod' ? hashmodRules(way, options) : slotRules(way, options);
  const [text, from] = hashedText(options);
  const [wish, own] = options.takesWishes ? [['__tmp_disable_sharding'], ';'] : [[], ''];
  return [
    ...text,
    currentShard,
    hashInto('__tmp_hash_before', way, from),
    hashInto('__tmp_hash', next, from),
    keep(
      ['__tmp_current_shard', '__tmp_hash_before', '__tmp_current_shard', '__tmp_hash', ...wish],
      [
        `(?:${sharesOf(way)});${any}${own}`,
        `${any};(?:${sharesOf(next)})${own}`,
        ...(options.takesWishes ? [`${any};${any};.+`] : []),
      ].join('|'),
    ),
  ];
}

/** As both upstream operators write them. */
function hashmodRules(way: Way, options: PlacementOptions): readonly RelabelRule[] {
  const [text, from] = hashedText(options);
  const kept = options.takesWishes
    ? keep(['__tmp_hash', '__tmp_disable_sharding'], '$(SHARD);|.+;.+')
    : keep('__tmp_hash', '$(SHARD)');
  return [...text, hashInto('__tmp_hash', way, from), kept];
}

function slotRules(way: Way, options: PlacementOptions): readonly RelabelRule[] {
  const [text, from] = hashedText(options);
  const kept = options.takesWishes
    ? keep(['__tmp_current_shard', '__tmp_hash', '__tmp_disable_sharding'], `(?:${sharesOf(way)});|${any};.+`)
    : keep(['__tmp_current_shard', '__tmp_hash'], sharesOf(way));
  return [...text, currentShard, hashInto('__tmp_hash', way, from), kept];
}

const currentShard = constant('__tmp_current_shard', '$(SHARD)');

/** Any shard and any part of the hash. */
const any = '[0-9]+;[0-9]+';

function sharesOf(way: Way): string {
  return way.by === 'slots' ? way.shares : '$(SHARD);$(SHARD)';
}

/** The rules that make the text that is hashed, and the label that it is in. */
function hashedText({ source, takesWishes }: PlacementOptions): readonly [readonly RelabelRule[], string] {
  if (!takesWishes) return [[], source];
  const wished: RelabelRule = {
    source_labels: [source, '__tmp_hash'],
    target_label: '__tmp_hash',
    regex: '(.+);',
    replacement: '$1',
    action: 'replace',
  };
  return [[wished], '__tmp_hash'];
}

function hashInto(label: string, way: Way, from: string): RelabelRule {
  const modulus = way.by === 'slots' ? way.slots : way.modulus;
  return { source_labels: [from], target_label: label, modulus, action: 'hashmod' };
}
