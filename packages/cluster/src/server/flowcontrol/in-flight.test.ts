import { describe, expect, test } from 'vitest';
import type { User } from '../../api/operation.ts';
import { StatusError } from '../../api/status.ts';
import type { Access } from '../context/authorizer.ts';
import type { Place } from './flow-control.ts';
import { createInFlightLimits, type InFlightLimits } from './in-flight.ts';

const { signal } = new AbortController();
const jane: User = { name: 'jane', groups: ['system:authenticated'] };
const admin: User = { name: 'admin', groups: ['system:masters'] };

function gate(limits: InFlightLimits) {
  const inner = createInFlightLimits(limits);
  const on = (access: Access): Place => {
    const entered = inner.enter(inner.classify(access), { access, signal });
    if (entered instanceof Promise) throw new Error('nothing waits');
    return entered;
  };
  const enter = (verb: string, user = jane): Place => on({ user, verb, group: '', resource: 'pods' });
  /** The code with which it is refused. */
  const refused = (verb: string, user = jane): number | undefined => {
    try {
      enter(verb, user).leave();
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      expect(error.status.details?.retryAfterSeconds).toBe(1);
      return error.status.code;
    }
  };
  return { on, enter, refused };
}

describe('plain limits', () => {
  test('reads and writes have their own, and what leaves makes room', () => {
    const { enter, refused } = gate({ reads: 2, writes: 1 });
    const [first] = [enter('get'), enter('list')];
    expect([refused('get'), refused('list'), refused('create')]).toEqual([429, 429, undefined]);
    const write = enter('patch');
    expect([refused('delete'), refused('create'), refused('deletecollection')]).toEqual([429, 429, 429]);
    first?.leave();
    first?.leave();
    expect(refused('get')).toBeUndefined();
    enter('get');
    expect([refused('get'), refused('update')]).toEqual([429, 429]);
    write.leave();
    expect(refused('update')).toBeUndefined();
  });

  test('watches do not count, masters are let in, and take nobody’s place', () => {
    const { enter, refused } = gate({ reads: 1, writes: 1 });
    const watches = Array.from({ length: 5 }, () => enter('watch'));
    expect(refused('get')).toBeUndefined();
    const own = enter('get');
    const masters = enter('get', admin);
    masters.leave();
    expect(refused('get')).toBe(429);
    own.leave();
    expect(refused('get')).toBeUndefined();
    for (const watch of watches) watch.leave();
  });

  test('none is no limit', () => {
    const { enter, refused } = gate({ reads: 0, writes: 1 });
    for (let count = 0; count < 1_000; count++) enter('get');
    enter('create');
    expect([refused('get'), refused('create')]).toEqual([undefined, 429]);
  });

  test('paths beside the API are asked by their method', () => {
    const { on, refused } = gate({ reads: 1, writes: 1 });
    on({ user: jane, verb: 'get', path: '/version' });
    expect([refused('get'), refused('create')]).toEqual([429, undefined]);
  });
});
