import { balanceFigures } from './balance.ts';
import { judgeHandovers } from './oracle.ts';

const casesWanted = 1_000_000;
const findingsMax = 8;

/** Prints what the oracle of sharding says; false: something is wrong. */
export function runSharding(seed: string, print: (line: string) => void): boolean {
  const { cases, targets, findings } = judgeHandovers({ seed, cases: casesWanted });
  print(`sharding: ${cases} cases of ${targets} targets, ${findings.length} findings`);
  for (const finding of findings.slice(0, findingsMax)) print(`  ${finding}`);
  const figures = balanceFigures(seed, [2, 3, 4, 8, 16]);
  print('  shards   deviation of load: slots, hashmod   moved for one more: slots, optimum, hashmod');
  for (const { shards, bySlots, byHashmod, moved, optimum, movedByHashmod } of figures) {
    const shown = [bySlots, byHashmod, moved, optimum, movedByHashmod].map((each) => each.toFixed(3).padStart(8));
    print(`  ${String(shards).padStart(6)}   ${shown.join(' ')}`);
  }
  const isUneven = figures.some(({ bySlots, moved, optimum }) => bySlots > 0.1 || Math.abs(moved - optimum) > 0.02);
  return findings.length === 0 && !isUneven;
}
