/** What rules may cost, in upstream's units. */

/** One run of one rule or message. */
export const runCostMax: number = 1_000_000;
/** All rules of one object. */
export const objectCostMax: number = 10_000_000;
/** One rule, by its estimate, when a definition is written. */
export const estimateMax: number = 10_000_000;
/** All rules of one version of a definition, by their estimates. */
export const definitionEstimateMax: number = 100_000_000;
/** In bytes. */
export const messageSizeMax: number = 5_120;
