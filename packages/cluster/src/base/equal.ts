/** Deep equality of plain JSON data; the order of keys does not matter. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalObjects(a as Tree, b as Tree);
}

type Tree = Readonly<Record<string, unknown>>;

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!equal(a[index], b[index])) return false;
  return true;
}

// Every write compares a few times, so neither lists of keys nor functions are made for it.
function equalObjects(a: Tree, b: Tree): boolean {
  let surplus = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equal(a[key], b[key])) return false;
    surplus += 1;
  }
  for (const _ in b) surplus -= 1;
  return surplus === 0;
}
