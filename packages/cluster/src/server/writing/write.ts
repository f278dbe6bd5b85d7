import type { KubeObject } from '../../api/meta.ts';
import type { Outcome } from '../../api/operation.ts';
import { conflict, modifiedMeanwhile, notFound, StatusError } from '../../api/status.ts';
import { equal } from '../../base/equal.ts';
import type { ServerContext } from '../context/context.ts';
import { objectKey } from '../context/keys.ts';
import type { Served } from '../context/registry.ts';
import type { Before, WriteRequest } from '../context/write-request.ts';
import { commit, formOf, learnForm, outcomeOf } from './commit.ts';
import { isFinished } from './finish.ts';

/** More rounds than this mean a bug or a livelock, not bad luck. */
const roundsMax = 64;

export interface Rewrite {
  readonly request: WriteRequest;
  readonly namespace: string | undefined;
  readonly name: string;
  /**
   * The object as it should be, given the newest version; runs again when somebody else was faster. Refuses by throwing a
   * `StatusError`, so a stale precondition shows here.
   */
  change(current: KubeObject): KubeObject | Promise<KubeObject>;
}

/** Reads, changes and compare-and-sets until it holds. Nothing is written when nothing changes. */
export async function rewrite(
  context: ServerContext,
  { request, namespace, name, change }: Rewrite,
): Promise<Outcome<KubeObject>> {
  const { served, warnings, signal } = request;
  const { conversion } = served;
  const key = objectKey(served.prefix, namespace, name);
  let stored = context.store.get(key);
  for (let round = 0; round < roundsMax; round++) {
    if (stored === undefined) throw new StatusError(notFound(served.definition, name));
    if (conversion.learn !== undefined) await learnForm(request, stored);
    const before = { stored, object: formOf(served, stored) };
    const changed =
      conversion.convert === undefined || request.forms === undefined
        ? change(before.object)
        : request.forms.complete(() => change(before.object), { convert: conversion.convert, signal });
    // Most changes ask nobody: they do not wait for a turn of their own.
    const after = changed instanceof Promise ? await changed : changed;
    const unchanged = after === before.object || equal(after, before.object);
    if (unchanged && conversion.learn !== undefined) await conversion.learn([before.object], { to: 'stored', signal });
    if (unchanged && !isOldForm(served, before)) return outcomeOf(200, before, warnings);
    const written = await commit(context, { request, key, before, after, ends: isFinished(served.traits, after) });
    if (written.ok) return outcomeOf(200, written, warnings);
    stored = written.current;
  }
  throw new StatusError(conflict(served.definition, name, modifiedMeanwhile));
}

/** An object that is kept in an earlier form is written anew by a write that changes nothing: tools that migrate rely on it. */
function isOldForm(served: Served, { stored, object }: Before): boolean {
  if (served.crd === undefined || object === stored.value) return false;
  return !equal(served.conversion.toStored(object), stored.value);
}
