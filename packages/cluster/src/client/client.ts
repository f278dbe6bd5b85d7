import type { ResourceType } from '../api/gvk.ts';
import type { KubeList, KubeObject, New } from '../api/meta.ts';
import type {
  DeleteOptions,
  Dismissal,
  GetOperation,
  ListOptions,
  Outcome,
  PatchOperation,
  PatchType,
  User,
  WatchEvent,
  WatchOperation,
  WriteOptions,
} from '../api/operation.ts';
import type { Transport, Waiting } from './transport.ts';

export interface Place {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A transport with types, bound to one user. Every method rejects with a `StatusError` when the API refuses. */
export interface Client {
  readonly transport: Transport;
  readonly user: User;
  get<T extends KubeObject>(
    type: ResourceType<T>,
    options: Place & Waiting & { readonly subresource?: string } & Pick<GetOperation, 'parameters' | 'below'>,
  ): Promise<T>;
  list<T extends KubeObject>(
    type: ResourceType<T>,
    options: Waiting & ListOptions & { readonly namespace?: string | undefined },
  ): Promise<KubeList<T>>;
  /** The object's own namespace is used. */
  create<T extends KubeObject>(type: ResourceType<T>, object: New<T>, options: Waiting & WriteOptions): Promise<T>;
  /** Replaces; a resourceVersion inside the object is a precondition. */
  update<T extends KubeObject>(
    type: ResourceType<T>,
    object: T | New<T>,
    options: Waiting & WriteOptions & { readonly subresource?: string },
  ): Promise<T>;
  /** The same for each of many; what came of one is no matter of the others. In process it costs a good part less. */
  updateEach<T extends KubeObject>(
    type: ResourceType<T>,
    objects: readonly T[],
    options: Waiting & WriteOptions,
  ): Promise<readonly (T | Error)[]>;
  patch<T extends KubeObject>(
    type: ResourceType<T>,
    options: Place &
      Waiting &
      PatchOperation['options'] & {
        readonly patchType: PatchType;
        readonly body: unknown;
        readonly subresource?: string;
      },
  ): Promise<T>;
  delete(type: ResourceType, options: Place & Waiting & DeleteOptions): Promise<void>;
  /**
   * Says of each why it has to go, in a condition of its status, and deletes it; what came of one is no matter of the others. In
   * process both are one write, and a watch shows one event.
   */
  dismissEach(
    type: ResourceType,
    dismissals: readonly Dismissal[],
    options: Waiting,
  ): Promise<readonly (KubeObject | Error)[]>;
  /** Creates through a subresource: `binding`, `eviction`. */
  post(
    type: ResourceType,
    options: Place & Waiting & { readonly subresource: string; readonly body: unknown },
  ): Promise<Outcome>;
  watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: Waiting & WatchOperation['options'] & { readonly namespace?: string | undefined },
  ): AsyncIterable<WatchEvent<T>>;
}
