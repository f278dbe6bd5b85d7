import { live } from './history.ts';
import { judge } from './judge.ts';

const findingsMax = 8;

/** Prints what became of the promises of the API in `count` histories; false: one was broken. */
export async function runLaws(
  { from, count }: { readonly from: number; readonly count: number },
  print: (line: string) => void,
): Promise<boolean> {
  let failed = 0;
  let [writes, lists, events] = [0, 0, 0];
  for (let seed = from; seed < from + count; seed++) {
    const { recording } = await live(`${seed}`);
    writes += recording.writes.length;
    lists += recording.lists.length;
    for (const watch of recording.watches) events += watch.events.length;
    const findings = judge(recording);
    if (findings.length === 0) continue;
    failed++;
    print(`history ${seed} breaks a promise; repeat with: npm run sim -- --history ${seed}`);
    for (const finding of findings.slice(0, findingsMax)) print(`  ${finding}`);
  }
  print(
    `laws: ${count} histories of ${writes} writes, ${lists} lists and ${events} events of watches; ${failed} failed`,
  );
  return failed === 0;
}
