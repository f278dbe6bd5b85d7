/**
 * Stands first in a copy of what is not frozen yet: `{ ...fresh, ...said, time }`. Where a copy of an object that can still be
 * changed begins with that object, V8 up to version 12 (Node.js 20) gives every single copy a hidden class of its own as soon
 * as a field is added to it or it is frozen: a microsecond, 300 bytes that only a full collection frees, and no field of it is
 * found quickly any more. Copies of frozen objects, and those that begin with a field, do not need it.
 */
export const fresh: Readonly<Record<never, never>> = Object.freeze({});
