/** lmdb rejects with a general error that carries a promise of the particular one. */
export async function commitError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

/**
 * lmdb's binding prints an error with its stack to the console before it rejects with it. Whoever awaits the write says
 * it in one line, so while one is under way its own errors, which carry lmdb's number, are kept off the console.
 */
export async function quietly<T>(write: () => Promise<T>): Promise<T> {
  if (underWay === 0) muffle();
  underWay += 1;
  try {
    return await write();
  } finally {
    underWay -= 1;
    if (underWay === 0) restore();
  }
}

let underWay = 0;
let restore: () => void = () => undefined;

function muffle(): void {
  const { error: print } = console;
  const filtered = (...words: readonly unknown[]): void => {
    if (!words.some(isFromLmdb)) print.apply(console, [...words]);
  };
  console.error = filtered;
  restore = () => {
    // Somebody else may have put theirs there meanwhile.
    if (console.error === filtered) console.error = print;
  };
}

function isFromLmdb(word: unknown): boolean {
  return word instanceof Error && 'code' in word && typeof word.code === 'number';
}
