import type { GroupVersionResource } from '../../api/gvk.ts';
import type { User } from '../../api/operation.ts';

/** Keeps what the process holds below a limit, by forgetting the past first and refusing growth then. */
export interface MemoryGate {
  /** Throws a `StatusError` when the memory is too full for this. Cheap: measures now and then only. */
  admit(request: MemoryAsk): void;
  /** Says that something changed that is never refused: a deletion. */
  touch(): void;
  /** Whether the next `admit` of a change needs to know the growth. */
  readonly isOpen: boolean;
  stop(): void;
}

export interface MemoryAsk {
  readonly does: 'create' | 'change' | 'list everything';
  readonly user: User;
  readonly resource: Pick<GroupVersionResource, 'group' | 'resource'>;
  readonly growthBytes?: number;
}

/** Nothing is limited. */
export const openGate: MemoryGate = {
  admit: () => undefined,
  touch: () => undefined,
  isOpen: true,
  stop: () => undefined,
};
