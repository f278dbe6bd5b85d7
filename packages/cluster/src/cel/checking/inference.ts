import { assignAll, type Bindings, join, substitute } from '../types/assign.ts';
import { dyn, parameter, type Type } from '../types/type.ts';

/** What the parameters of types were found to stand for, so far. */
export class Inference {
  bindings: Bindings = new Map();
  #fresh = 0;

  /** A number that was not given out before. */
  fresh(): number {
    return ++this.#fresh;
  }

  /** A type of which nothing is known. */
  unknown(): Type {
    return parameter(`_${this.fresh()}`);
  }

  /** Nothing is known of it yet, and nothing will be. */
  giveUp(type: Type): void {
    this.bindings.set(type.name, dyn);
  }

  known(type: Type): Type {
    return substitute(this.bindings, type);
  }

  /** What nothing was found out about may be anything. */
  settled(type: Type): Type {
    return substitute(this.bindings, type, { rest: dyn });
  }

  /** Whether a value of one type may stand where another is wanted; what is learnt by it is kept. */
  takes(wanted: Type, given: Type): boolean {
    const learnt = assignAll(this.bindings, [wanted], [given]);
    if (learnt !== undefined) this.bindings = learnt;
    return learnt !== undefined;
  }

  /** The type of elements of both. */
  join(left: Type | undefined, right: Type): Type {
    if (left === undefined) return right;
    const joined = join(this.bindings, left, right);
    if (joined === undefined) return dyn;
    this.bindings = joined.learnt;
    return joined.type;
  }
}
