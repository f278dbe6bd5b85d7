/** Where a list stands, and how it goes on, comes before its objects: in so many bytes at most. */
export const listHeadBytesMax: number = 4_096;

/**
 * Where a list goes on, from how its text begins. Undefined: nowhere, or that cannot be told yet. Only for who asks for the next
 * page early, because whoever reads the whole answer knows better.
 */
export function continueToken(head: string): string | undefined {
  const end = head.indexOf('"items"');
  const quoted = /"continue":\s*("(?:[^"\\]|\\.)+")/.exec(end < 0 ? head : head.slice(0, end))?.[1];
  if (quoted === undefined) return undefined;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
