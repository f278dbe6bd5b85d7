import {
  type Action,
  type Component,
  type Controller,
  controllerUser,
  createClient,
  createControllerRunner,
  customresourcedefinitions,
  equal,
  type KubeObject,
  keyOf,
  type Plan,
  type Platform,
  type ResourceType,
  resourceName,
  toTimestamp,
  type User,
} from '@signalbox/cluster';
import { type Condition, conditionsOf } from '../resources/condition.ts';
import type { AgentAnswers } from '../sharding/agents.ts';
import type { SlotLoads } from '../sharding/mapping.ts';
import { type CacheWorld, createCacheWorld } from '../world/cache-world.ts';
import type { Finding } from '../world/findings.ts';
import { createWakeIndex } from '../world/wakes.ts';
import type { World } from '../world/world.ts';
import { type AgentAsker, type Asking, createAgentAsker } from './agents.ts';
import type { Desired, Looks, RootComponent } from './component.ts';
import type { OperatorObserver, Wrong } from './figures.ts';
import { collectedTypes, monitorController } from './monitors/controller.ts';
import { createLedger, type Ledger } from './monitors/ledger.ts';
import { createSeekers } from './monitors/seekers.ts';
import { factsOf } from './status-facts.ts';
import { towards } from './towards.ts';
import { watchesOf } from './watches.ts';
import { createWeigher, type Weigher } from './weigher.ts';

export interface TelemetryOperatorOptions {
  readonly components: readonly RootComponent[];
  /** Whom it acts as, which needs roles ({@link operatorIdentity}). The default is whoever runs the process. */
  readonly user?: User;
  /** It sees only some namespaces: somebody out of sight may select a monitor that nobody here does. */
  readonly isPartial?: boolean;
  /** Sees what roots and monitors come to. */
  readonly observer?: OperatorObserver;
}

/** Keeps every root of every component as its resources say, one controller per kind of root, until the signal aborts. */
export function createTelemetryOperator(
  platform: Platform,
  { components, user, isPartial = false, observer }: TelemetryOperatorOptions,
): Component {
  return {
    name: 'telemetry-operator',
    async run({ signal }) {
      const caches = createCacheWorld(platform.informers);
      const ledger = createLedger();
      const { informers, clock } = platform;
      const seekers = createSeekers({ informers, clock, signal });
      const place = { world: caches.world, ledger, seekers, components, isPartial, observer };
      const acting = user === undefined ? {} : { user };
      const rootParts = components.map((component) => {
        const { transport, clock } = platform;
        const client = createClient(transport, user ?? controllerUser(component.name));
        const asker = createAgentAsker({ client, clock, signal });
        const weigher = createWeigher({ client, clock, signal });
        const around = { caches, asker, weigher, ledger, observer };
        const controller = rootController(telling(component, around), around);
        return createControllerRunner({ ...controller, ...acting }, platform);
      });
      const monitorParts = collectedTypes(components).map((type) =>
        createControllerRunner({ ...monitorController(type, place), ...acting }, platform),
      );
      try {
        await Promise.all([...rootParts, ...monitorParts].map((part) => part.run({ signal })));
      } finally {
        caches.close();
      }
    },
  };
}

/** What a root's controller sees: the root, the world as it is now, and whether the root's kind has a status door. */
export interface ObservedRoot {
  readonly root: KubeObject;
  readonly world: World;
  readonly hasStatusDoor: boolean;
  /** Nobody was asked when absent. */
  readonly answers?: AgentAnswers;
  /** What the slots of its shards have weighed for some time. */
  readonly loads?: SlotLoads | undefined;
}

/** Which findings have been told already, so that an Event says something new. */
export interface RootMemory {
  readonly told: ReadonlySet<string>;
  /** Agents that the next plan would like to know of. */
  readonly asks?: Asking;
  /** The findings, without their words. */
  readonly wrong?: readonly Wrong[];
}

interface ObservedWithMemory extends ObservedRoot {
  readonly memory: RootMemory | undefined;
}

/** The component, which tells what it has built, and whom to ask: the same world tells the same. */
function telling(
  component: RootComponent,
  { ledger, weigher, observer }: Pick<Around, 'ledger' | 'observer' | 'weigher'>,
): RootComponent {
  return {
    ...component,
    build(root, world, options) {
      const desired = component.build(root, world, options);
      const looks = (kind: string): Looks => component.looks(root, kind);
      ledger.tell({ type: component.rootType, root, looks }, desired.collected);
      const { weighing } = desired;
      weigher.follow(keyOf(root), weighing && { ...weighing, jobs: jobsOf(desired) });
      observer?.built(component.rootType, root, desired);
      return desired;
    },
  };
}

interface Around {
  readonly caches: CacheWorld;
  readonly asker: AgentAsker;
  readonly weigher: Weigher;
  readonly ledger: Ledger;
  readonly observer: OperatorObserver | undefined;
}

function rootController(
  component: RootComponent,
  { caches: { world }, asker, weigher, ledger, observer }: Around,
): Controller<ObservedWithMemory, RootMemory> {
  const index = createWakeIndex();
  return {
    name: component.name,
    watches: watchesOf(component, { index, world }),
    wakes(add) {
      const stops = [asker.onAnswer(add), weigher.onNews(add)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    observe(key, _caches, memory) {
      const root = world.get(component.rootType, key);
      const isGoing = root?.metadata.deletionTimestamp !== undefined;
      if (root === undefined || isGoing || component.foreignBecause?.(root) !== undefined) {
        index.forget(key);
        asker.follow(key, undefined);
        weigher.follow(key, undefined);
        ledger.forget(component.rootType, key);
        observer?.forgot(component.rootType, key);
        return undefined;
      }
      const hasStatusDoor = statusDoor(component.rootType, world);
      const answers = asker.follow(key, memory?.asks);
      const loads = weigher.loadsOf(key);
      return { root, world: index.follow(key, world), hasStatusDoor, answers, loads, memory };
    },
    plan({ memory, ...observed }, nowMs) {
      const plan = planRoot(component, observed, { nowMs, memory });
      observer?.found(component.rootType, keyOf(observed.root), plan.memory?.wrong ?? []);
      return plan;
    },
  };
}

/** Pure: what has to be done for one root. */
export function planRoot(
  component: RootComponent,
  { root, world, hasStatusDoor, answers, loads }: ObservedRoot,
  { nowMs, memory }: { readonly nowMs: number; readonly memory: RootMemory | undefined },
): Plan<RootMemory> {
  const desired = component.build(root, world, { nowMs, loads, ...(answers !== undefined && { answers }) });
  if (component.isPaused?.(root) === true) {
    // What runs is told as it is.
    const { findings } = desired;
    const status = hasStatusDoor ? statusActions(component, root, { desired, findings, nowMs }) : [];
    return { actions: status, ...(memory !== undefined && { memory }) };
  }
  const way = towards({
    root,
    world,
    desired: desired.objects,
    kept: desired.kept,
    owns: component.owns,
    managedBy: component.managedBy,
    ownedPrefixes: component.ownedPrefixes,
  });
  const findings = [...desired.findings, ...way.findings];
  const told = new Set(findings.map(findingId));
  const news = findings.filter((finding) => memory?.told.has(findingId(finding)) !== true);
  const status = hasStatusDoor ? statusActions(component, root, { desired, findings, nowMs }) : [];
  return {
    actions: [...way.actions, ...(desired.actions ?? []), ...status, ...news.map(event)],
    againInMs: desired.againInMs,
    memory: {
      told,
      wrong: findings.map(wrongOf),
      ...(desired.asks !== undefined && { asks: askingOf(desired, desired.asks) }),
    },
  };
}

function askingOf(desired: Desired, questions: Asking['questions']): Asking {
  return { questions, jobs: jobsOf(desired) };
}

function jobsOf({ collected, additional }: Desired): Asking['jobs'] {
  return () => [...collected, ...additional()].map(({ jobs }) => jobs);
}

/** Upstream's definitions of the Grafana kinds have no status: writing one would fail for ever. */
function statusDoor(type: ResourceType, world: World): boolean {
  const definition = world.get(customresourcedefinitions, resourceName(type));
  return definition?.spec.versions.find(({ name }) => name === type.version)?.subresources?.status !== undefined;
}

interface Building {
  readonly desired: Desired;
  readonly findings: readonly Finding[];
  readonly nowMs: number;
}

function statusActions(
  component: RootComponent,
  root: KubeObject,
  { desired, findings, nowMs }: Building,
): readonly Action[] {
  const before = (root as { readonly status?: { readonly conditions?: readonly Condition[] } }).status;
  const { generation } = root.metadata;
  const status = {
    ...desired.status.fields,
    conditions: conditionsOf(factsOf(component, root, { status: desired.status, findings }), {
      before: before?.conditions ?? [],
      generation,
      now: toTimestamp(nowMs),
    }),
  };
  if (equal(status, before)) return [];
  return [{ do: 'setStatus', type: component.rootType, object: { ...root, status } as KubeObject }];
}

function event({ regarding, reason, field, message }: Finding): Action {
  return { do: 'emit', regarding, type: 'Warning', reason, note: field === '' ? message : `${field}: ${message}` };
}

function wrongOf({ regarding: { kind }, reason, severity }: Finding): Wrong {
  return { kind, reason, severity };
}

function findingId({ regarding, reason, field, message }: Finding): string {
  return JSON.stringify([regarding.metadata.uid, reason, field, message]);
}
