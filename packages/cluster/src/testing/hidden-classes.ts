import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';

/** Tells whether V8 keeps two objects in one hidden class. */
export type IsSameClass = (a: object, b: object) => boolean;

export function createIsSameClass(): IsSameClass {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const isSame = runInThisContext('(a, b) => %HaveSameMap(a, b)') as IsSameClass;
    // It is compiled by its first call.
    isSame({}, {});
    return isSame;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}
