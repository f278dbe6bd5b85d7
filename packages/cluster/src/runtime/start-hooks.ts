import type { NamedCheck } from './health.ts';

/** What a start does besides beginning its parts, each under upstream's name: `poststarthook/…`. */
export interface StartHooks {
  /** Settles as the work does. */
  run<T>(names: readonly StartHook[], work: Promise<T>): Promise<T>;
  checks(): readonly NamedCheck[];
}

/** Those that nobody has to wait for hold before they are written. */
const hooks = {
  'start-system-namespaces-controller': { holds: false },
  'scheduling/bootstrap-system-priority-classes': { holds: false },
  'bootstrap-controller': { holds: false },
  'rbac/bootstrap-roles': { holds: true },
  'priority-and-fairness-config-producer': { holds: true },
  'kube-apiserver-autoregistration': { holds: true },
} as const;
export type StartHook = keyof typeof hooks;

export const afterBootstrap: readonly StartHook[] = [
  'start-system-namespaces-controller',
  'scheduling/bootstrap-system-priority-classes',
  'bootstrap-controller',
];

export function createStartHooks(): StartHooks {
  const failures = new Map<StartHook, string>();
  const names = Object.keys(hooks) as readonly StartHook[];
  for (const name of names) if (!hooks[name].holds) failures.set(name, 'not finished');
  return {
    async run(asked, work) {
      try {
        const result = await work;
        for (const name of asked) failures.delete(name);
        return result;
      } catch (error) {
        for (const name of asked) failures.set(name, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    checks: () =>
      names.map((name) => {
        const failure = failures.get(name);
        return { name: `poststarthook/${name}`, ...(failure !== undefined && { failure }) };
      }),
  };
}
