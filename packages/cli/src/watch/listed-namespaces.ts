import { type Component, namespaces as namespacesType, type Platform } from '@signalbox/cluster';
import type { Log } from '../io/log.ts';

export interface Listed {
  /** What `--namespace` names. */
  readonly namespaces: readonly string[];
  readonly log: Log;
}

/**
 * Says of each namespace that is to be looked after and is not there that it is not: it may be misspelt, and an operator
 * without work is silent. It need not start anew when the namespace comes.
 */
export function createNamespaceNotice(
  { informers }: Pick<Platform, 'informers'>,
  { namespaces, log }: Listed,
): Component {
  return {
    name: 'listed-namespaces',
    async run({ signal }) {
      await informers.sync([namespacesType], { signal });
      const cache = informers.of(namespacesType);
      const missing = new Set<string>();
      const look = (name: string): void => {
        const isThere = cache.get(name) !== undefined;
        if (isThere === !missing.has(name)) return;
        if (isThere) {
          missing.delete(name);
          log.write({ level: 'info', message: `the namespace ${name} is there now, and looked after` });
          return;
        }
        missing.add(name);
        const mend = `create it (kubectl create namespace ${name}), or correct --namespace`;
        log.write({
          level: 'warn',
          message: `there is no namespace ${name}, which is to be looked after: ${mend}; when it comes it is looked after at once`,
        });
      };
      for (const name of namespaces) look(name);
      const stop = informers.listen(namespacesType, ({ object }) => {
        if (namespaces.includes(object.metadata.name)) look(object.metadata.name);
      });
      try {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      } finally {
        stop();
      }
    },
  };
}
