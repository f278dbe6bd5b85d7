/** The earliest of several times to look again; undefined: none. */
export function soonest(timesMs: readonly (number | undefined)[]): number | undefined {
  const given = timesMs.filter((each) => each !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}
