/** What takes less is looked at as often as anything changes; code that runs for the first time may take as long. */
const costMsMin = 25;
const restPerCost = 4;
const restMsMax = 1_000;

/**
 * How long an object rests that took so long to look at: while tens of thousands of pods start, something about it changes all
 * the time, and looking again at once would leave little for those who start them. Nobody waits a second longer for that.
 */
export function restAfter(costMs: number): number {
  return costMs < costMsMin ? 0 : Math.min(restPerCost * costMs, restMsMax);
}
