/**
 * Who scrapes what while shards come and go: whole configurations, executed for made-up targets, with every shard at its old
 * or its new configuration, in every combination. Never is a target without a scraper; two it has only during a hand-over.
 */
import type { Random } from '@signalbox/cluster';
import { seededRandom } from '@signalbox/cluster/testing';
import {
  balanced,
  executeRelabelling,
  firstMapping,
  type LabelSet,
  type RelabelRule,
  type ShardingState,
  type Sharing,
  type SlotMapping,
  spreadOver,
} from '@signalbox/telemetry';
import { type RootKind, rootKinds, rulesByShard } from './configurations.ts';

export interface Judgement {
  /** Targets times steps times combinations of what the shards have read. */
  readonly cases: number;
  readonly targets: number;
  readonly findings: readonly string[];
}

/** Hand-overs from one seed, until so many cases are judged. */
export function judgeHandovers({ seed, cases }: { readonly seed: string; readonly cases: number }): Judgement {
  let judged = 0;
  let targets = 0;
  const findings: string[] = [];
  for (let world = 0; judged < cases; world++) {
    const random = seededRandom(`${seed}/${world}`);
    const handover = drawHandover(random);
    const steps = stepsOf(handover);
    for (let count = 0; count < targetsPerWorld; count++) {
      const target = drawTarget(random);
      const found = judgeTarget(target, { ...handover, steps });
      judged += found.cases;
      targets++;
      for (const finding of found.findings)
        findings.push(`world ${world} of seed ${seed}: ${handover.kind} ${JSON.stringify(target)}: ${finding}`);
    }
  }
  return { cases: judged, targets, findings };
}

const targetsPerWorld = 40;

interface DrawnHandover {
  readonly kind: RootKind;
  readonly from: Sharing;
  readonly to: Sharing;
  /** Shards that were removed before, and are kept for their data. */
  readonly retained: number;
}

function drawHandover(random: Random): DrawnHandover {
  const kind = rootKinds[random.below(rootKinds.length)] ?? 'Prometheus';
  const [before, after] = [1 + random.below(5), 1 + random.below(5)];
  const retained = kind === 'Prometheus' ? random.below(3) : 0;
  const byHash = (shards: number): Sharing => ({ shards, owners: undefined });
  switch (random.below(6)) {
    case 0:
      return { kind, retained, from: byHash(before), to: byHash(after) };
    case 1:
      return { kind, retained, from: byHash(before), to: firstMapping({ slots: 64, shards: after }) };
    default: {
      const from = drawMapping(random, before);
      const loads = Array.from({ length: from.owners.length }, () => random.below(100));
      const to = before === after ? balanced(from, loads) : spreadOver(from, after, random.below(2) === 0 ? loads : []);
      return { kind, retained, from, to };
    }
  }
}

/** After some history, or anything at all. */
function drawMapping(random: Random, shards: number): SlotMapping {
  const slots = random.below(2) === 0 ? 512 : 64;
  if (random.below(4) === 0) return { shards, owners: Array.from({ length: slots }, () => random.below(shards)) };
  let mapping = firstMapping({ slots, shards: 1 + random.below(6) });
  for (let step = random.below(4); step > 0; step--) mapping = spreadOver(mapping, 1 + random.below(6));
  return spreadOver(mapping, shards);
}

function drawTarget(random: Random): LabelSet {
  const byte = (): number => random.below(256);
  return {
    __address__: `10.${byte()}.${byte()}.${byte()}:${random.below(65_536)}`,
    __meta_kubernetes_namespace: 'shop',
    __meta_kubernetes_endpoint_port_name: 'web',
    __meta_kubernetes_endpointslice_port_name: 'web',
    // A topology changes nothing: targets are shared by address in all zones.
    ...(random.below(4) === 0 && { __meta_kubernetes_endpointslice_endpoint_zone: `zone-${random.below(3)}` }),
    ...(random.below(5) === 0 && { __tmp_hash: String(random.below(1_000)) }),
    ...(random.below(8) === 0 && { __tmp_disable_sharding: 'yes' }),
  };
}

/** One configuration after the other; who has not read it yet runs from the one before. */
interface Step {
  readonly name: string;
  readonly rules: readonly (readonly RelabelRule[])[];
  /** Those that are meant to scrape. */
  readonly active: number;
}

function stepsOf({ kind, from, to, retained }: DrawnHandover): readonly Step[] {
  const shards = Math.max(from.shards, to.shards) + retained;
  const step = (name: string, state: ShardingState, active: number): Step => ({
    name,
    rules: rulesByShard(kind, state, shards),
    active,
  });
  const handover = (each: 'cut' | 'start'): ShardingState => ({
    sharing: from,
    handover: { to, step: each, sinceMs: 0, writtenMs: 0 },
  });
  return [
    step('before', { sharing: from, handover: undefined }, from.shards),
    step('both', handover('start'), Math.max(from.shards, to.shards)),
    step('cut', handover('cut'), to.shards),
    step('after', { sharing: to, handover: undefined }, to.shards),
  ];
}

function judgeTarget(
  target: LabelSet,
  { kind, steps, from, to }: DrawnHandover & { readonly steps: readonly Step[] },
): Omit<Judgement, 'targets'> {
  const findings: string[] = [];
  const everywhere = target['__tmp_disable_sharding'] !== undefined && kind !== 'GrafanaAgent';
  const masks = steps.map(({ rules }) => maskOf(target, rules));
  const shards = steps[0]?.rules.length ?? 0;
  const mayScrape = Math.max(from.shards, to.shards);
  let cases = 0;
  for (const [index, { name, active }] of steps.entries()) {
    const mask = masks[index] ?? 0;
    if (mask >>> (kind === 'Prometheus' ? active : mayScrape) !== 0)
      findings.push(`${name}: a shard that has left scrapes`);
    const wanted = everywhere ? active : name === 'both' ? undefined : 1;
    const count = bits(mask & ((1 << active) - 1));
    if (wanted !== undefined && count !== wanted) findings.push(`${name}: ${count} scrapers`);
    if (index === 0) continue;
    const before = masks[index - 1] ?? 0;
    for (let read = 0; read < 1 << shards; read++) {
      // Whose bit is set has read the new configuration.
      const count = bits((before & ~read) | (mask & read));
      cases++;
      if (count === 0) findings.push(`before ${name}: nobody scrapes`);
      else if (count > 2 && !everywhere) findings.push(`before ${name}: ${count} scrapers`);
      else if (count > 1 && !everywhere && masks[0] === masks.at(-1)) findings.push(`before ${name}: it does not move`);
    }
  }
  // A move is from one shard to another, in one step.
  if (!everywhere && masks[1] !== ((masks[0] ?? 0) | (masks[2] ?? 0)))
    findings.push('both: others than old and new scrape');
  return { cases, findings };
}

/** A bit for each shard that scrapes the target. */
function maskOf(target: LabelSet, rules: readonly (readonly RelabelRule[])[]): number {
  return rules.reduce(
    (mask, own, shard) => (executeRelabelling(target, own) === undefined ? mask : mask | (1 << shard)),
    0,
  );
}

function bits(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}
