/**
 * Lets every API server that an end to end test starts, in its own process or in a program, note what parts of the plane do beyond
 * their lists. The line that says who decides is another one in these tests, so that no program carries a door for them.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

const server = /\/packages\/cluster\/src\/server\/server\.ts$/;
const decides = 'authorizer: options.authorizer ?? rbac,';

/** The source of the server, with a judge beside whoever decides. */
export function judgedSource(source: string): string {
  if (source.split(decides).length !== 2) throw new Error(`the server no longer says once: ${decides}`);
  const judged = 'authorizer: judged(options.authorizer ?? rbac, options.identities ?? []),';
  return `import { judged } from '../testing/server/judged.ts';\n${source.replace(decides, judged)}`;
}

/** For vitest. */
export const judgedInTests: {
  readonly name: string;
  readonly enforce: 'pre';
  transform(code: string, id: string): string | undefined;
} = {
  name: 'judged',
  enforce: 'pre',
  transform: (code, id) => (server.test(id) ? judgedSource(code) : undefined),
};

/** For bundles. */
export const judgedInBundles: Plugin = {
  name: 'judged',
  setup({ onLoad }) {
    onLoad({ filter: server }, async ({ path }) => ({
      contents: judgedSource(await readFile(path, 'utf8')),
      loader: 'ts',
      resolveDir: dirname(path),
    }));
  },
};
