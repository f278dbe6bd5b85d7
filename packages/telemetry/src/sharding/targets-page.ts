import type { LabelSet } from '../relabel/execute.ts';
import type { HashedText } from './hashed-text.ts';

/** A target as Prometheus, vmagent (`/api/v1/targets`) or the Grafana Agent lists it. JSON of a stranger. */
interface Listed {
  readonly scrapePool?: string;
  readonly target_group?: string;
  readonly discoveredLabels?: LabelSet;
  readonly discovered_labels?: LabelSet;
  readonly labels?: LabelSet;
  readonly scrapeUrl?: string;
  readonly endpoint?: string;
  readonly lastScrape?: unknown;
  readonly last_scrape?: unknown;
  readonly health?: string;
  readonly state?: string;
  readonly lastError?: string;
  readonly scrape_error?: string;
  /** vmagent's alone. */
  readonly lastSamplesScraped?: unknown;
}

/** Prometheus has them under `activeTargets`, the Grafana Agent as they are. Undefined: the page is none of theirs. */
export function targetsIn(page: unknown): readonly Listed[] | undefined {
  const { data } = (page ?? {}) as { readonly data?: unknown };
  const list = Array.isArray(data) ? data : (data as { readonly activeTargets?: unknown } | undefined)?.activeTargets;
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'object' && each !== null)) return undefined;
  return list as readonly Listed[];
}

/** Year 1, or 1970, means never. */
export function wasScraped({ lastScrape, last_scrape }: Listed): boolean {
  const text = lastScrape ?? last_scrape;
  return typeof text === 'string' && Date.parse(text) > 86_400_000;
}

/** A target that an agent has because of what a text hashes to. */
export interface HeldTarget {
  /** The same whoever has it. */
  readonly id: string;
  readonly text: string;
  readonly job: string;
  /** As they stand in its samples. */
  readonly labels: LabelSet;
  readonly isScraped: boolean;
  readonly isUp: boolean;
  /** How many samples its last scrape had, where the agent says it. */
  readonly samples: number | undefined;
}

/** Without those that no hash decides about. */
export function heldTargets(listed: readonly Listed[], hashed: HashedText): readonly HeldTarget[] {
  return listed.flatMap((each): readonly HeldTarget[] => {
    const discovered = each.discoveredLabels ?? each.discovered_labels ?? {};
    const job = discovered['job'] ?? each.scrapePool ?? each.target_group ?? '';
    const text = hashed({ job, discovered });
    if (text === undefined) return [];
    const { lastSamplesScraped } = each;
    return [
      {
        id: `${job} ${each.scrapeUrl ?? each.endpoint ?? ''}`,
        text,
        job,
        labels: each.labels ?? {},
        isScraped: wasScraped(each),
        isUp: (each.health ?? each.state) === 'up',
        samples: typeof lastSamplesScraped === 'number' ? lastSamplesScraped : undefined,
      },
    ];
  });
}
