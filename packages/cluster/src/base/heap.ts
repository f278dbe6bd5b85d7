/** A binary min-heap. `isBefore` must be a strict order; ties keep no order, so include a sequence number if one matters. */
export interface Heap<T> {
  readonly size: number;
  push(item: T): void;
  peek(): T | undefined;
  pop(): T | undefined;
}

export function createHeap<T>(isBefore: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  const at = (index: number): T => items[index] as T;
  const swap = (a: number, b: number): void => {
    const item = at(a);
    items[a] = at(b);
    items[b] = item;
  };
  const rise = (start: number): void => {
    for (let child = start; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!isBefore(at(child), at(parent))) return;
      swap(child, parent);
      child = parent;
    }
  };
  const sink = (): void => {
    for (let parent = 0; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < items.length && isBefore(at(child), at(least))) least = child;
      if (least === parent) return;
      swap(parent, least);
      parent = least;
    }
  };
  return {
    get size() {
      return items.length;
    },
    push(item) {
      items.push(item);
      rise(items.length - 1);
    },
    peek: () => items[0],
    pop() {
      const first = items[0];
      const last = items.pop();
      if (items.length > 0 && last !== undefined) {
        items[0] = last;
        sink();
      }
      return first;
    },
  };
}
