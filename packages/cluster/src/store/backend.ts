/** What a backend throws when it refused a batch as a whole and left no trace: a full disk. The next may succeed. */
export class NothingWrittenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NothingWrittenError';
  }
}

/**
 * Why a commit was not acknowledged. When it is not `permanent`, nothing was changed and a later commit may succeed.
 * When it is, the outcome of the writes under way is unknown until the store is opened again; reads go on.
 */
export class StoreWriteError extends Error {
  readonly permanent: boolean;

  constructor(message: string, options: ErrorOptions & { readonly permanent: boolean }) {
    super(message, options);
    this.name = 'StoreWriteError';
    this.permanent = options.permanent;
  }
}

/** Longer keys are refused: with room to spare above any group, resource, namespace and name, and below lmdb's limit. */
export const keyBytesMax = 1024;
