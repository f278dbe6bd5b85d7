/** Which tests have to do with a file: those that import it, the nearest first. Reads imports as text, which takes no time. */
import { dirname, join, normalize } from 'node:path';

export interface Graph {
  /** The file is there, or there again, with this text. */
  put(file: string, text: string): void;
  remove(file: string): void;
  /** Tests that reach the file, nearest first. */
  testsOf(file: string): readonly string[];
}

export interface GraphOptions {
  /** Where a package's own name leads: `@signalbox/cluster` → its `index.ts`. */
  readonly entries: Readonly<Record<string, string>>;
}

const importPattern = /(?:from|import)\s*\(?\s*'([^']+)'|new URL\(\s*'([^']+)',\s*import\.meta/g;

/** Files are paths relative to one folder. */
export function createGraph({ entries }: GraphOptions): Graph {
  const imports = new Map<string, ReadonlySet<string>>();
  return {
    put(file, text) {
      const names = [...text.matchAll(importPattern)].map(([, module, url]) => module ?? `./${url ?? ''}`);
      imports.set(file, new Set(names.flatMap((name) => resolved(file, name))));
    },
    remove: (file) => void imports.delete(file),
    testsOf(file) {
      const reached = new Set([file]);
      // Grows while it is walked: first those that import the file, then those that import them.
      for (const near of reached) for (const [importer, of] of imports) if (reaches(of, near)) reached.add(importer);
      return [...reached].filter((each) => each.endsWith('.test.ts'));
    },
  };

  function resolved(file: string, name: string): readonly string[] {
    if (name.startsWith('.')) return [normalize(join(dirname(file), name))];
    return entries[name] === undefined ? [] : [entries[name]];
  }
}

/** A folder that is read counts as everything in it. */
function reaches(of: ReadonlySet<string>, file: string): boolean {
  if (of.has(file)) return true;
  for (const each of of) if (each.endsWith('/') && file.startsWith(each)) return true;
  return false;
}
