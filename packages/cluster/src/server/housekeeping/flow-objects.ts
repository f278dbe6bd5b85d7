import type { FlowSchema, PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import { flowschemas, prioritylevelconfigurations } from '../../api/generated/kinds.ts';
import type { KubeObject } from '../../api/meta.ts';
import { toTimestamp } from '../../base/clock.ts';
import { type Random, randomUuid } from '../../base/random.ts';
import { builtinLevels, builtinSchemas } from '../../resources/flowcontrol/builtin.ts';
import type { Store, Stored } from '../../store/store.ts';
import type { ServerContext, WriteListener } from '../context/context.ts';
import type { FlowObjects } from '../context/flow-objects.ts';
import { objectKey, resourcePrefix } from '../context/keys.ts';
import { commit } from '../writing/commit.ts';
import { type FlowChange, planFlowObjects } from './flow-plan.ts';
import { ownRequest } from './own-request.ts';

/** Flow schemas and priority levels: what they say holds from each write on, and those that every cluster has are kept there. */
export interface KeptFlowObjects extends FlowObjects, WriteListener {
  /** Reads what is stored. */
  resume(): void;
  /** Writes those that are missing; from then on with every change of one. */
  write(): Promise<void>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
}

export interface KeptFlowObjectsOptions {
  readonly store: Pick<Store, 'list'>;
  readonly context: () => ServerContext;
}

const groupPrefix = `/${flowschemas.group}/`;
const schemaPrefix = resourcePrefix(flowschemas);
const levelPrefix = resourcePrefix(prioritylevelconfigurations);
/** A write that is refused because somebody was faster is looked at again so often before the next change. */
const roundsMax = 10;

export function createFlowObjects({ store, context }: KeptFlowObjectsOptions): KeptFlowObjects {
  const stored = new Map<string, Stored>();
  let state = {};
  let isKeeping = false;
  let running: Promise<void> | undefined;
  let isAgain = false;
  let random: Random | undefined;
  const valuesUnder = <T>(prefix: string): readonly T[] =>
    [...stored].filter(([key]) => key.startsWith(prefix)).map(([, { value }]) => value as T);
  const found = (): { schemas: readonly FlowSchema[]; levels: readonly PriorityLevelConfiguration[] } => ({
    schemas: valuesUnder(schemaPrefix),
    levels: valuesUnder(levelPrefix),
  });
  const keep = async (): Promise<void> => {
    // Drawn from apart, so that what is named later is called the same with and without them.
    random ??= context().random.fork('flows');
    try {
      for (let round = 0; isAgain && round < roundsMax; round++) {
        isAgain = false;
        const changes = planFlowObjects(found(), toTimestamp(context().clock.nowMs()));
        await Promise.all(changes.map((change) => perform(context(), { change, stored, random: random as Random })));
      }
    } finally {
      // At once: a change that comes a moment later would find somebody who looks no more.
      running = undefined;
    }
  };
  const wake = (): Promise<void> => {
    isAgain = true;
    running ??= keep();
    return running;
  };
  const changed = (): void => {
    state = {};
    // A store that fails tells those who write; the next change tries again.
    if (isKeeping) wake().catch(() => undefined);
  };
  return {
    get state() {
      return state;
    },
    // What every cluster has holds before it is written.
    schemas: () => withBuiltin(found().schemas, isKeeping ? [] : builtinSchemas),
    levels: () => withBuiltin(found().levels, isKeeping ? [] : builtinLevels),
    put(written) {
      if (!written.key.startsWith(groupPrefix)) return;
      stored.set(written.key, written);
      changed();
    },
    removed({ key }) {
      if (!key.startsWith(groupPrefix)) return;
      stored.delete(key);
      changed();
    },
    resume() {
      for (const prefix of [schemaPrefix, levelPrefix]) {
        const list = store.list(prefix);
        if (!('expired' in list)) for (const item of list.items) stored.set(item.key, item);
      }
      state = {};
    },
    async write() {
      await wake();
      isKeeping = true;
      changed();
    },
    idle: async () => running?.catch(() => undefined),
  };
}

function withBuiltin<T extends KubeObject>(objects: readonly T[], builtin: readonly T[]): readonly T[] {
  const names = new Set(objects.map(({ metadata }) => metadata.name));
  return [...objects, ...builtin.filter(({ metadata }) => !names.has(metadata.name))];
}

interface Performing {
  readonly change: FlowChange;
  readonly stored: ReadonlyMap<string, Stored>;
  readonly random: Random;
}

/** Whoever is faster than this knows better, and wakes it again. */
async function perform(context: ServerContext, { change, stored, random }: Performing): Promise<void> {
  const { object, does } = change;
  const served = context.registry.find(object.kind === flowschemas.kind ? flowschemas : prioritylevelconfigurations);
  if (served === undefined) return;
  const key = objectKey(served.prefix, undefined, object.metadata.name);
  const request = ownRequest(served, does);
  if (does === 'create') {
    const creationTimestamp = toTimestamp(context.clock.nowMs());
    const metadata = { ...object.metadata, uid: randomUuid(random), creationTimestamp };
    await commit(context, { request, key, after: { ...object, metadata }, ends: false });
    return;
  }
  const before = stored.get(key);
  if (before === undefined) return;
  const current = { stored: before, object: before.value as KubeObject };
  await commit(context, { request, key, before: current, after: object, ends: false });
}
