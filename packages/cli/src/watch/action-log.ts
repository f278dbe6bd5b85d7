import type { Informers, RuntimeObserver } from '@signalbox/cluster';
import { actOf, formatCause, hasDone } from '../format/acts.ts';
import type { Log } from '../io/log.ts';

/** A line for everything that was changed, with the reason. What was refused is reported by whoever wanted it. */
export function createActionLog(log: Log, informers: Informers): RuntimeObserver {
  return {
    works: () => () => undefined,
    ran: () => undefined,
    acts({ component, cause }, action) {
      const act = actOf(action, informers);
      return (refusal) => {
        if (act === undefined || refusal !== undefined) return;
        const { does, object } = act;
        const { kind, namespace, name } = object;
        const reason = formatCause(cause);
        log.write({
          level: 'info',
          component,
          message: `${hasDone(act)} (${reason})`,
          facts: { action: does, object: { kind, ...(namespace !== undefined && { namespace }), name }, reason },
        });
      };
    },
  };
}
