/** How often something took how long, in the text format of Prometheus. To note one is a few comparisons; text is made when asked for. */
export interface Histogram {
  observe(value: number): void;
  /** `NAME_bucket`, `NAME_sum`, `NAME_count`; `labels` as `name="deployment"`. */
  lines(name: string, labels: string): readonly string[];
}

/** `bounds` rise: the upper ends of the buckets. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const within = bounds.map(() => 0);
  let sum = 0;
  let count = 0;
  return {
    observe(value) {
      let at = 0;
      while (at < bounds.length && value > (bounds[at] ?? 0)) at++;
      if (at < bounds.length) within[at] = (within[at] ?? 0) + 1;
      sum += value;
      count++;
    },
    lines(name, labels) {
      let below = 0;
      return [
        ...bounds.map((bound, index) => {
          below += within[index] ?? 0;
          return `${name}_bucket{${labels},le="${bound}"} ${below}`;
        }),
        `${name}_bucket{${labels},le="+Inf"} ${count}`,
        `${name}_sum{${labels}} ${sum}`,
        `${name}_count{${labels}} ${count}`,
      ];
    },
  };
}

/** `bounds(0.001, 2, 3)` is 0.001, 0.002, 0.004. */
export function exponentialBounds(first: number, factor: number, count: number): readonly number[] {
  // Without the last digits that multiplying adds.
  return Array.from({ length: count }, (_, index) => Number((first * factor ** index).toPrecision(12)));
}

export function seriesHead(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
