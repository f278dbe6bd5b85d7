import { type Key, type KubeObject, keyOf, type ResourceType, resourceId } from '@signalbox/cluster';
import { describeFinding } from '../../world/findings.ts';
import type { Collected, Looks } from '../component.ts';

/** What a root says of a monitor that it selects. */
export interface Told {
  readonly rootType: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** Empty: it is in the configuration. Otherwise why it was left out. */
  readonly refusal: string;
  /** Where its jobs look. */
  readonly looks: Looks;
}

/** A root that has been built. */
export interface Teller {
  readonly type: ResourceType;
  readonly root: KubeObject;
  readonly looks: (monitorKind: string) => Looks;
}

/**
 * What all roots say of the monitors that they select. Each root's controller tells what it has built; those who write it
 * on the monitors are woken for what has changed, and for nothing else.
 */
export interface Ledger {
  /** Replaces what the root has told before. */
  tell(teller: Teller, collected: readonly Collected[]): void;
  /** The root is gone, or somebody else's. */
  forget(type: ResourceType, key: Key): void;
  hasTold(type: ResourceType, key: Key): boolean;
  /** Sorted, so that the same world gives the same status. */
  toldOf(monitor: KubeObject): readonly Told[];
  /** Calls with kind and key of every monitor of which something else is told. Returns how to stop it. */
  listen(changed: (kind: string, key: Key) => void): () => void;
}

interface Entry {
  readonly kind: string;
  readonly key: Key;
  readonly told: Told;
}

export function createLedger(): Ledger {
  const byRoot = new Map<string, ReadonlyMap<string, Entry>>();
  const byMonitor = new Map<string, Map<string, Told>>();
  const listeners = new Set<(kind: string, key: Key) => void>();
  const replace = (id: string, next: ReadonlyMap<string, Entry>): void => {
    const before = byRoot.get(id) ?? none;
    for (const [monitor, { kind, key, told }] of next) {
      if (saysTheSame(before.get(monitor)?.told, told)) continue;
      const all = byMonitor.get(monitor) ?? new Map<string, Told>();
      byMonitor.set(monitor, all.set(id, told));
      for (const listener of listeners) listener(kind, key);
    }
    for (const [monitor, { kind, key }] of before) {
      if (next.has(monitor)) continue;
      const all = byMonitor.get(monitor);
      all?.delete(id);
      if (all?.size === 0) byMonitor.delete(monitor);
      for (const listener of listeners) listener(kind, key);
    }
  };
  return {
    tell(teller, collected) {
      const id = rootId(teller.type, keyOf(teller.root));
      const next = entriesOf(teller, collected);
      replace(id, next);
      byRoot.set(id, next);
    },
    forget(type, key) {
      const id = rootId(type, key);
      replace(id, none);
      byRoot.delete(id);
    },
    hasTold: (type, key) => byRoot.has(rootId(type, key)),
    toldOf: (monitor) =>
      [...(byMonitor.get(monitorId(monitor)) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, told]) => told),
    listen(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}

const none: ReadonlyMap<string, Entry> = new Map();

/** Where several instances select it, one that leaves it out is what its owner should know. */
function entriesOf({ type, root, looks }: Teller, collected: readonly Collected[]): ReadonlyMap<string, Entry> {
  const { namespace = '', name } = root.metadata;
  const known = new Map<string, Looks>();
  const looksFor = (kind: string): Looks => {
    const found = known.get(kind) ?? looks(kind);
    known.set(kind, found);
    return found;
  };
  const entries = new Map<string, Entry>();
  for (const { monitor, jobs } of collected) {
    const { id, kind, key, refusal } = factsOf(monitor, jobs);
    if (refusal !== '' || !entries.has(id))
      entries.set(id, { kind, key, told: { rootType: type, namespace, name, refusal, looks: looksFor(kind) } });
  }
  return entries;
}

function saysTheSame(before: Told | undefined, { refusal, looks }: Told): boolean {
  return (
    before?.refusal === refusal &&
    before.looks.isHomeOnly === looks.isHomeOnly &&
    before.looks.isElsewhere === looks.isElsewhere
  );
}

interface Facts {
  readonly id: string;
  readonly kind: string;
  readonly key: Key;
  readonly refusal: string;
}

// Of ten thousand monitors one has changed: the jobs of the others are the same objects as before.
const remembered = new WeakMap<Collected['jobs'], Facts>();

function factsOf(monitor: KubeObject, jobs: Collected['jobs']): Facts {
  const known = remembered.get(jobs);
  if (known !== undefined) return known;
  const refusal = jobs.isRejected ? refusalOf(jobs) : '';
  const facts = { id: monitorId(monitor), kind: monitor.kind, key: keyOf(monitor), refusal };
  remembered.set(jobs, facts);
  return facts;
}

function refusalOf({ findings }: Collected['jobs']): string {
  const error = findings.find(({ severity }) => severity === 'error');
  return error === undefined ? 'something in it is wrong' : describeFinding(error);
}

function rootId(type: ResourceType, key: Key): string {
  return `${resourceId(type)} ${key}`;
}

function monitorId(monitor: KubeObject): string {
  return `${monitor.kind} ${keyOf(monitor)}`;
}
