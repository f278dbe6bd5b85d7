import type { CreateOperation, PatchOperation, UpdateOperation } from '../../api/operation.ts';
import type { Served } from './registry.ts';

export type Writing = CreateOperation | UpdateOperation | PatchOperation;

/**
 * Loads what reads expressions before a write that has some to be judged by, or in it. Most have none, and most clusters never
 * load it. Undefined: there is nothing to wait for.
 */
export type LoadExpressions = (served: Served, operation: Writing) => Promise<unknown> | undefined;
