/** What the API of custom or external metrics said of one metric. Amounts are thousandths. */
export type Reading =
  | { readonly ok: true; readonly of: 'pods'; readonly milliByPod: ReadonlyMap<string, number> }
  /** Of one object, or the sum of what an external metric has. */
  | { readonly ok: true; readonly of: 'value'; readonly milli: number }
  | { readonly ok: false; readonly message: string };

/** By the place of the metric in the spec; those of other APIs are not there. */
export type Readings = ReadonlyMap<number, Reading>;
