/** What a backend throws when it refused a batch as a whole and left no trace: a full disk. The next may succeed. */
export class NothingWrittenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NothingWrittenError';
  }
}

/**
 * Why a commit was not acknowledged. When its `outcome` is `nothing`, nothing was changed. When it is `unknown`, the write may
 * be found after all, once the store knows what is on the disk. When it is `permanent`, no write succeeds until the store is
 * opened again. Reads go on in any case.
 */
export class StoreWriteError extends Error {
  readonly outcome: 'nothing' | 'unknown';
  readonly permanent: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly outcome: 'nothing' | 'unknown'; readonly permanent?: boolean },
  ) {
    super(message, options);
    this.name = 'StoreWriteError';
    this.outcome = options.outcome;
    this.permanent = options.permanent ?? false;
  }
}

/** Longer keys are refused: with room to spare above any group, resource, namespace and name, and below lmdb's limit. */
export const keyBytesMax = 1024;
