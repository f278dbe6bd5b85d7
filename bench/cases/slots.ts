/**
 * What it costs to say who scrapes each of many targets: the slot of each by the rules that agents run, a mapping by what
 * the slots weigh, and the rule by which its shard keeps it. Prints one line of JSON. Arguments: the number of targets.
 */
import {
  firstMapping,
  type LabelSet,
  labelAfter,
  placementRules,
  type RelabelRule,
  type SlotMapping,
  slotWay,
  spreadOver,
} from '@signalbox/telemetry';

const slots = 512;
const targets = Array.from(
  { length: Number(process.argv[2] ?? '100000') },
  (_, index): LabelSet => ({
    __address__: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}:8080`,
    __meta_kubernetes_namespace: 'shop',
    __meta_kubernetes_pod_name: `web-${index}`,
    job: 'shop/web',
  }),
);
// Some history, so that no shard's slots are in order.
let mapping = firstMapping({ slots, shards: 1 });
for (const shards of [2, 3, 4, 5, 6, 7, 6, 7]) mapping = spreadOver(mapping, shards);
const startMs = performance.now();
const hashing = Object.freeze(rulesIn(0, mapping).slice(0, -1));
const slotOf = Uint16Array.from(targets, (target) => Number(labelAfter(target, hashing, '__tmp_hash')));
const loads = Array.from({ length: slots }, () => 0);
for (const slot of slotOf) loads[slot] = (loads[slot] ?? 0) + 1;
const next = spreadOver(mapping, 8, loads);
const keeping = Array.from({ length: next.shards }, (_, shard) => keepingIn(shard));
let kept = 0;
for (const slot of slotOf) {
  const hashed = { __tmp_hash: String(slot), __tmp_disable_sharding: '' };
  if (labelAfter(hashed, keeping[next.owners[slot] ?? 0] ?? [], '__tmp_hash') !== undefined) kept++;
}
const ms = performance.now() - startMs;
if (kept !== targets.length) throw new Error(`${targets.length - kept} targets have no shard`);
process.stdout.write(`${JSON.stringify({ ms })}\n`);

/** As the config reloader of a shard leaves them. */
function rulesIn(shard: number, by: SlotMapping): readonly RelabelRule[] {
  const rules = placementRules([slotWay(by)], { source: '__address__', takesWishes: true });
  return JSON.parse(JSON.stringify(rules).replaceAll('$(SHARD)', String(shard))) as readonly RelabelRule[];
}

/** The last rule, with the shard's number before it. */
function keepingIn(shard: number): readonly RelabelRule[] {
  return Object.freeze(rulesIn(shard, next).filter(({ action }) => action === 'keep' || action === undefined));
}
