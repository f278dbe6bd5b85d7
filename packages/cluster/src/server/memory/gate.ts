import { formatBinary } from '../../api/quantity.ts';
import { failure, type Status, StatusError } from '../../api/status.ts';
import type { Clock } from '../../base/clock.ts';
import { fresh } from '../../base/fresh.ts';
import type { ProcessMemory } from '../../base/process-memory.ts';
import type { Store } from '../../store/store.ts';
import { shareOf } from '../access/share.ts';
import { resourceOfKey } from '../context/keys.ts';
import type { MemoryAsk, MemoryGate } from '../context/memory-gate.ts';
import { isAdmitted, type MemoryFacts, planMemory, type Refuses } from './plan.ts';

export interface MemoryGateOptions {
  readonly store: Pick<Store, 'revision' | 'forget' | 'usage' | 'weigh'>;
  readonly clock: Clock;
  readonly limitBytes: number;
  readonly memory: ProcessMemory;
}

/** Never measures more often than this, unless so many asked meanwhile. */
const measureMs = 5;
const asksPerMeasure = 16;
/** A pause for collecting is followed by at least so many times its length without one. */
const restPerCollection = 4;
/** When nothing happens for this long, what the burst before left behind goes back to the system. */
const quietMs = 10_000;
const quietAsksMax = 200;
const leftBytesMin = 32 * 2 ** 20;

export function createMemoryGate(options: MemoryGateOptions): MemoryGate {
  return new Gate(options);
}

class Gate implements MemoryGate {
  readonly #options: MemoryGateOptions;
  #refuses: Refuses = 'nothing';
  #measuredMs = -Infinity;
  #asks = 0;
  #asksInPeriod = 0;
  #usedAfterCollectionBytes = 0;
  #collectedMs = -Infinity;
  #collectionMs = 0;
  #cancel: (() => void) | undefined;
  #isBusy = false;
  /** As it was after the last burst. */
  #settled = { usedBytes: 0, historyBytes: 0 };
  #filling: { readonly atMs: number; readonly text: string } | undefined;

  constructor(options: MemoryGateOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#refuses === 'nothing';
  }

  admit({ does, user, resource, growthBytes = 0 }: MemoryAsk): void {
    this.touch();
    if (this.#refuses === 'nothing') return;
    if (isAdmitted(this.#refuses, { does, growthBytes, isSystem: shareOf(user, resource) !== 'ordinary' })) return;
    throw new StatusError(this.#refusal(does));
  }

  touch(): void {
    const nowMs = this.#options.clock.nowMs();
    this.#asks += 1;
    this.#asksInPeriod += 1;
    if (this.#asks >= asksPerMeasure || nowMs - this.#measuredMs >= measureMs) this.#step(nowMs);
  }

  stop(): void {
    this.#cancel?.();
  }

  /** Measures, does what the plan says, and measures again if that changed anything. */
  #step(nowMs: number): void {
    this.#asks = 0;
    this.#measuredMs = nowMs;
    let facts = this.#facts();
    let plan = planMemory(facts);
    if (plan.forget) this.#options.store.forget(this.#options.store.revision);
    const mayPause = nowMs - this.#collectedMs >= this.#collectionMs * restPerCollection;
    if (plan.collect && (mayPause || facts.residentBytes > 0.8 * facts.limitBytes)) {
      this.#collect(nowMs);
      facts = this.#facts();
      plan = planMemory(facts);
    }
    this.#refuses = plan.refuses;
    this.#cancel ??= this.#options.clock.after(quietMs, () => this.#relax());
  }

  #collect(nowMs: number): void {
    const { memory } = this.#options;
    memory.collect();
    this.#collectionMs = this.#options.clock.nowMs() - nowMs;
    this.#collectedMs = this.#options.clock.nowMs();
    this.#usedAfterCollectionBytes = memory.measure().usedBytes;
  }

  /** Collects once it is quiet after a burst, and again when age has taken the history that the burst left. */
  #relax(): void {
    const { clock, store, memory } = this.#options;
    const { usedBytes, residentBytes } = memory.measure();
    const { historyBytes } = store.usage;
    const isQuiet = this.#asksInPeriod <= quietAsksMax;
    this.#asksInPeriod = 0;
    const isLeft =
      usedBytes > this.#settled.usedBytes + leftBytesMin || historyBytes < this.#settled.historyBytes - leftBytesMin;
    this.#isBusy ||= isLeft || !isQuiet || !this.isOpen;
    if (isQuiet && this.#isBusy && residentBytes > 4 * leftBytesMin) {
      this.#collect(clock.nowMs());
      this.#refuses = planMemory(this.#facts()).refuses;
      this.#settled = { usedBytes: this.#usedAfterCollectionBytes, historyBytes };
      this.#isBusy = false;
    }
    const mayGetLess = !isQuiet || !this.isOpen || historyBytes > leftBytesMin;
    this.#cancel = mayGetLess ? clock.after(quietMs, () => this.#relax()) : undefined;
  }

  #facts(): MemoryFacts {
    const { memory, limitBytes, store } = this.#options;
    return {
      ...fresh,
      ...memory.measure(),
      limitBytes,
      usedAfterCollectionBytes: this.#usedAfterCollectionBytes,
      historyBytes: store.usage.historyBytes,
      refuses: this.#refuses,
    };
  }

  #refusal(does: MemoryAsk['does']): Status {
    const { limitBytes } = this.#options;
    const { usedBytes, heapUsedBytes, heapLimitBytes } = this.#facts();
    const isHeap = heapUsedBytes / heapLimitBytes > usedBytes / limitBytes;
    const mend = isHeap
      ? `start it with NODE_OPTIONS=--max-old-space-size=${Math.ceil((heapLimitBytes * 2) / 2 ** 20)}`
      : 'start it with a larger --memory-limit';
    const held = `the server uses ${formatSize(usedBytes)} of ${formatSize(isHeap ? heapLimitBytes : limitBytes)} of memory`;
    if (does === 'list everything')
      return failure(429, 'TooManyRequests', `${held}: list in pages (limit=500), or ${mend}`, {
        retryAfterSeconds: 5,
      });
    return failure(
      507,
      'InsufficientStorage',
      `${held}, most of it for ${this.#fillers()}: delete what is not needed, or ${mend}`,
    );
  }

  /** Looks at every object, so not for each refusal. */
  #fillers(): string {
    const nowMs = this.#options.clock.nowMs();
    if (this.#filling === undefined || nowMs - this.#filling.atMs > quietMs)
      this.#filling = { atMs: nowMs, text: describeFillers(this.#options.store) };
    return this.#filling.text;
  }
}

const fillersMax = 3;

function describeFillers({ weigh, usage }: MemoryGateOptions['store']): string {
  const resources = [...weigh(resourceOfKey)].sort(([, a], [, b]) => b.bytes - a.bytes).slice(0, fillersMax);
  const parts = resources.map(([name, { count, bytes }]) => `${count} ${name} (${formatSize(bytes)})`);
  if (usage.historyBytes > leftBytesMin) parts.push(`their history (${formatSize(usage.historyBytes)})`);
  return parts.join(', ');
}

function formatSize(bytes: number): string {
  const unit = 2 ** 20;
  return formatBinary(Math.max(1, Math.round(bytes / unit)) * unit);
}
