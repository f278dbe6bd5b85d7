import { type ResourceType, resourceId } from '../api/gvk.ts';
import { type Key, keyOf } from '../api/meta.ts';
import { isStatusError, type StatusError } from '../api/status.ts';
import { controllerUser } from '../api/system-identities.ts';
import type { CacheEvent } from '../client/cache.ts';
import { createClient } from '../client/create-client.ts';
import type { Informers } from '../client/informers.ts';
import { hasReached } from '../client/resource-version.ts';
import type { Component, Platform } from './component.ts';
import { type Controller, type Failure, nobody } from './controller.ts';
import { createEventRecorder } from './events.ts';
import { type ActionError, createExecutor, type Executor, type Written } from './executor.ts';
import { type Cause, type RunWatch, type WatchedRun, watchRuns } from './observer.ts';
import { restAfter } from './rest.ts';
import { createWorkqueue, type Workqueue } from './workqueue.ts';

/**
 * Keys of one controller that may run at the same time: one slow write does not hold up the others, and what fifty keys write after
 * one event waits for the disk once, not thirteen times.
 */
const workers = 64;

/** Runs one controller: events → keys → queue → observe → plan → execute → caches catch up → next. */
export function createControllerRunner<Observed, Memory>(
  controller: Controller<Observed, Memory>,
  platform: Platform,
): Component {
  const { clock, informers, transport } = platform;
  const random = platform.random.fork(controller.name);
  const client = createClient(transport, controller.user ?? controllerUser(controller.name));
  const events = createEventRecorder({
    client,
    clock,
    random: random.fork('events'),
    source: controller.source ?? `${controller.name}-controller`,
  });
  const executor = createExecutor({ client, events });
  return {
    name: controller.name,
    async run({ signal }) {
      const queue = createWorkqueue({
        clock,
        random: random.fork('queue'),
        figure: platform.figures?.queue(controller.name),
      });
      const types = [...controller.watches.map(({ type }) => type), ...(controller.reads ?? [])];
      await informers.sync(types, { signal });
      const { observer } = platform;
      const watch = observer && watchRuns({ component: controller.name, clock, observer });
      const work: Work<Observed, Memory> = {
        controller,
        platform,
        executor,
        queue,
        watch,
        memories: new Map(),
        createsAtOnce: new Map(),
      };
      const stopWaking = wakeUp(work);
      const stopWorking = observer?.works(controller.name, queue);
      const loops = Array.from({ length: workers }, () => loop(work, signal));
      await Promise.all([events.run({ signal }), ...loops]).finally(() => {
        stopWaking();
        queue.stop();
        stopWorking?.();
      });
    },
  };
}

interface Work<Observed, Memory> {
  readonly controller: Controller<Observed, Memory>;
  readonly platform: Platform;
  readonly executor: Executor;
  readonly queue: Workqueue;
  /** Undefined: nobody looks. */
  readonly watch: RunWatch | undefined;
  readonly memories: Map<Key, Memory>;
  /** Of keys whose last run created something, and all went well. */
  readonly createsAtOnce: Map<Key, number>;
}

/** Everything that wakes keys, from now on. Returns how to stop it. */
function wakeUp<Observed, Memory>({ controller, platform, queue, watch }: Work<Observed, Memory>): () => void {
  const { informers } = platform;
  let isStarting = true;
  const stops = controller.watches.map(({ type, keysOf }) =>
    informers.listen(type, (event) => {
      const keys = keysOf(event, informers);
      if (keys === nobody) return;
      for (const key of keys) {
        watch?.wakes(key, isStarting ? { by: 'start' } : changeOf(event, type));
        queue.add(key);
      }
    }),
  );
  isStarting = false;
  const stopWaking = controller.wakes?.((key) => {
    watch?.wakes(key, { by: 'word' });
    queue.add(key);
  }, informers);
  return () => {
    for (const stop of stops) stop();
    stopWaking?.();
  };
}

function changeOf({ type: change, object }: CacheEvent, type: ResourceType): Cause {
  return { by: 'change', change, type, key: keyOf(object), version: object.metadata.resourceVersion, others: 0 };
}

async function loop<Observed, Memory>(work: Work<Observed, Memory>, signal: AbortSignal): Promise<void> {
  const { queue, controller, platform } = work;
  while (!signal.aborted) {
    const key = await queue.take({ signal }).catch(() => undefined);
    if (key === undefined) return;
    const run = work.watch?.begins(key);
    try {
      queue.done(key, await reconcile(key, work, { signal, run }));
      run?.ended('succeeded');
    } catch (error) {
      if (signal.aborted) return;
      run?.ended(isConflict(error) ? 'outrun' : 'failed');
      queue.retry(key);
      // A conflict only means that the cache was behind: the next run sees more. Anything else is worth a line, but that
      // nothing can be created in a namespace that ends, which its owner will soon see.
      if (!isConflict(error) && !isNamespaceEnding(error))
        platform.report({ component: controller.name, message: `cannot reconcile ${key}`, error });
    }
  }
}

interface Reconciled {
  /** The delay after which to look again. */
  readonly againInMs: number | undefined;
  /** For how long nobody looks, whatever happens. */
  readonly restMs: number;
}

/** One run for one key. */
async function reconcile<Observed, Memory>(
  key: Key,
  work: Work<Observed, Memory>,
  { signal, run }: { readonly signal: AbortSignal; readonly run: WatchedRun | undefined },
): Promise<Reconciled> {
  const { controller, platform, executor, memories } = work;
  const { clock } = platform;
  const createsAtOnce = work.createsAtOnce.get(key);
  work.createsAtOnce.delete(key);
  const startMs = clock.nowMs();
  const observed = controller.observe(key, platform.informers, memories.get(key));
  if (observed === undefined) {
    memories.delete(key);
    return { againInMs: undefined, restMs: 0 };
  }
  const { actions, againInMs, memory } = controller.plan(observed, startMs);
  remember(memories, key, memory);
  const restMs = restAfter(clock.nowMs() - startMs);
  if (actions.length === 0) return { againInMs, restMs };
  const { written, failures, ...pace } = await executor.run(actions, { signal, acts: run?.acts, createsAtOnce });
  if (pace.createsAtOnce !== undefined) work.createsAtOnce.set(key, pace.createsAtOnce);
  // Planning again before the caches show our own writes would do everything twice.
  await caughtUp(written, platform.informers, signal);
  run?.wrote(written);
  if (failures.length > 0 && controller.remember !== undefined)
    remember(memories, key, controller.remember(memory, failures.map(inWordsOfTheApi)));
  const [failure] = failures.filter((error) => !isConflict(error)).concat(failures);
  if (failure !== undefined) throw failure;
  return { againInMs, restMs };
}

/** Whoever tells it in a status tells it as upstream: without our word for the action. */
function inWordsOfTheApi({ action, message, cause }: ActionError): Failure {
  return { action, message: cause instanceof Error ? cause.message : message };
}

function remember<Memory>(memories: Map<Key, Memory>, key: Key, memory: Memory | undefined): void {
  if (memory === undefined) memories.delete(key);
  else memories.set(key, memory);
}

/** Waits until the caches show what was written, as far as anybody follows the resources. */
export async function caughtUp(written: readonly Written[], informers: Informers, signal: AbortSignal): Promise<void> {
  await Promise.all(
    newest(written).map(async (write) => {
      if (!informers.has(write.type)) return;
      const { kind, type } = write;
      if (kind === 'version')
        await informers.reach(type, write.resourceVersion, { signal, namespace: write.namespace });
      else
        await informers.until(write.type, write.key, {
          signal,
          holds: (object) => object?.metadata.uid !== write.uid || object.metadata.deletionTimestamp !== undefined,
        });
    }),
  );
}

/** A cache that shows the newest version of a resource shows those before it: a thousand writes take one wait. */
function newest(written: readonly Written[]): readonly Written[] {
  if (written.length === 1) return written;
  const versions = new Map<string, Extract<Written, { readonly kind: 'version' }>>();
  for (const write of written) {
    if (write.kind !== 'version') continue;
    const place = `${resourceId(write.type)} ${write.namespace ?? ''}`;
    const known = versions.get(place);
    if (known === undefined || hasReached(write.resourceVersion, known.resourceVersion)) versions.set(place, write);
  }
  return [...versions.values(), ...written.filter(({ kind }) => kind === 'gone')];
}

function isConflict(error: unknown): boolean {
  return isStatusError(refusalOf(error), 'Conflict');
}

function isNamespaceEnding(error: unknown): boolean {
  const refusal = refusalOf(error);
  return isStatusError(refusal) && hasCause(refusal, 'NamespaceTerminating');
}

function hasCause({ status }: StatusError, reason: string): boolean {
  return status.details?.causes?.some((cause) => cause.reason === reason) === true;
}

function refusalOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
