/** No fairness: so many requests that read at once, and so many that write. What comes besides is refused; nothing waits. */
import type { Access } from '../context/authorizer.ts';
import type { Flow, Level } from './configuration.ts';
import type { FlowControl, Place } from './flow-control.ts';
import { tooMany } from './too-many.ts';

/** 0: any number. */
export interface InFlightLimits {
  readonly reads: number;
  readonly writes: number;
}

/** What lets requests in. */
export type Gate = Pick<FlowControl, 'classify' | 'enter'>;

const mastersGroup = 'system:masters';
const done: Place = { leave: () => undefined };

/** As upstream where priority and fairness is switched off: watches do not count, and masters are let in where others are not. */
export function createInFlightLimits({ reads, writes }: InFlightLimits): Gate {
  const flows = { read: flowOf('reads', reads), write: flowOf('writes', writes), free: flowOf('', 0) };
  const running = new Map<string, number>();
  return {
    classify({ verb }) {
      if (verb === 'watch') return flows.free;
      return verb === 'get' || verb === 'list' ? flows.read : flows.write;
    },
    enter({ level: { name, isExempt, seats } }, { access }) {
      if (isExempt) return done;
      const now = running.get(name) ?? 0;
      if (now >= seats.most) {
        if (isMaster(access)) return done;
        throw tooMany();
      }
      running.set(name, now + 1);
      let isHere = true;
      return {
        leave() {
          if (isHere) running.set(name, (running.get(name) ?? 0) - 1);
          isHere = false;
        },
      };
    },
  };
}

function isMaster({ user }: Access): boolean {
  return user.groups.includes(mastersGroup);
}

/** A list takes one place, as everything else. */
function flowOf(name: string, most: number): Flow {
  const level: Level = { name, isExempt: most === 0, seats: { nominal: 1, own: 1, most } };
  return { schema: { name, level, headers: {} }, level, distinguisher: '' };
}
