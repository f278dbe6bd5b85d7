import type { Labels } from '../../api/selector/selector.ts';

/** Something that is about certain pods, and what can be told of them beforehand. */
export interface Aimed {
  /** All pods that it is about are in this namespace; undefined: in any. */
  readonly namespace: string | undefined;
  /** All pods that it is about have this label; undefined: they may have any. */
  readonly label: LabelPair | undefined;
}

export type LabelPair = readonly [key: string, value: string];

/** Finds what is about a pod without asking everything: by the pod's namespace and labels. What it finds still has to be asked. */
export interface Audience<T extends Aimed> {
  readonly size: number;
  add(aimed: T): void;
  remove(aimed: T): void;
  /** A few too many, never one too few. */
  mayConcern(pod: { readonly namespace: string; readonly labels: Labels }): Iterable<T>;
}

export function createAudience<T extends Aimed>(): Audience<T> {
  return new ByNamespace();
}

/** No namespace is called so. */
const anyNamespace = '';

class ByNamespace<T extends Aimed> implements Audience<T> {
  readonly #rooms = new Map<string, Room<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(aimed: T): void {
    const namespace = aimed.namespace ?? anyNamespace;
    const room: Room<T> = this.#rooms.get(namespace) ?? { byLabel: new Map(), others: new Set() };
    this.#rooms.set(namespace, room);
    setFor(room, aimed.label).add(aimed);
    this.#size++;
  }

  remove(aimed: T): void {
    const room = this.#rooms.get(aimed.namespace ?? anyNamespace);
    if (room !== undefined && setFor(room, aimed.label).delete(aimed)) this.#size--;
  }

  *mayConcern({ namespace, labels }: { readonly namespace: string; readonly labels: Labels }): Iterable<T> {
    if (this.#size === 0) return;
    for (const name of [namespace, anyNamespace]) {
      const room = this.#rooms.get(name);
      if (room === undefined) continue;
      yield* room.others;
      for (const [key, byValue] of room.byLabel) {
        const value = labels[key];
        const found = value === undefined ? undefined : byValue.get(value);
        if (found !== undefined) yield* found;
      }
    }
  }
}

interface Room<T> {
  /** Key of a label → its value → who wants it. */
  readonly byLabel: Map<string, Map<string, Set<T>>>;
  readonly others: Set<T>;
}

function setFor<T>({ byLabel, others }: Room<T>, label: LabelPair | undefined): Set<T> {
  if (label === undefined) return others;
  const [key, value] = label;
  const byValue = byLabel.get(key) ?? new Map<string, Set<T>>();
  byLabel.set(key, byValue);
  const set = byValue.get(value) ?? new Set<T>();
  byValue.set(value, set);
  return set;
}
