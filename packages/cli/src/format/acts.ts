import {
  type Action,
  type Cause,
  type Informers,
  type KubeObject,
  keyOf,
  type New,
  type ResourceType,
} from '@signalbox/cluster';
import { changedFields, hashAnnotation } from '@signalbox/telemetry';

/** What an action changes, without anything that came from a Secret: names and paths of fields. */
export interface Act {
  readonly does: keyof typeof past;
  readonly object: ActObject;
  /** Fields that change, or what is warned of; empty: nothing to add. */
  readonly detail: string;
}

export interface ActObject {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

const past = {
  change: 'changed',
  create: 'created',
  delete: 'deleted',
  'warn of': 'warned of',
  'write the status of': 'wrote the status of',
} as const;

/** `would create Secret shop/prometheus-main` */
export function wouldDo(act: Act): string {
  return `would ${act.does} ${described(act)}`;
}

/** `created Secret shop/prometheus-main` */
export function hasDone(act: Act): string {
  return `${past[act.does]} ${described(act)}`;
}

function described({ object: { kind, namespace, name }, detail }: Act): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}${detail === '' ? '' : `: ${detail}`}`;
}

/**
 * What comes of an action, before it is done: `live` is what is there. That something was done is no news where the action is;
 * that something is wrong is. Undefined: not worth a word.
 */
export function actOf(action: Action, informers: Pick<Informers, 'has' | 'of'>): Act | undefined {
  switch (action.do) {
    case 'create':
      return { does: 'create', object: objectOf(action.type, action.object), detail: '' };
    case 'update': {
      const live = cached(informers, action);
      const detail = live === undefined ? '' : changeDetail(live, action.object);
      return { does: 'change', object: objectOf(action.type, action.object), detail };
    }
    case 'setStatus':
      return { does: 'write the status of', object: objectOf(action.type, action.object), detail: '' };
    case 'patch':
      return { does: 'change', object: objectOf(action.type, action.target), detail: pathsIn(action.body).join(', ') };
    case 'delete':
      return { does: 'delete', object: objectOf(action.type, action.target), detail: '' };
    case 'emit': {
      const { regarding, type, reason, note } = action;
      if (type !== 'Warning') return undefined;
      return { does: 'warn of', object: objectOf(regarding, regarding), detail: `${reason}: ${note}` };
    }
    // Its actions come one by one.
    case 'inOrder':
      return undefined;
    default:
      return action satisfies never;
  }
}

function changeDetail(live: KubeObject, wanted: New<KubeObject>): string {
  const fields = changedFields(live, wanted as KubeObject);
  if (fields.length > 0) return fields.join(', ');
  const [before, after] = [live, wanted].map(({ metadata }) => metadata.annotations?.[hashAnnotation]);
  return before === after ? '' : `marked (${hashAnnotation}), and nothing else`;
}

function cached(
  informers: Pick<Informers, 'has' | 'of'>,
  { type, object }: { readonly type: ResourceType; readonly object: KubeObject },
): KubeObject | undefined {
  return informers.has(type) ? informers.of(type).get(keyOf(object)) : undefined;
}

function objectOf({ kind }: { readonly kind: string }, { metadata }: New<KubeObject>): ActObject {
  const { namespace, name, generateName } = metadata;
  return { kind, namespace, name: name ?? `${generateName ?? ''}…` };
}

/** `metadata.annotations.a` for every leaf of a merge patch. */
function pathsIn(patch: unknown, path = ''): readonly string[] {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return [path];
  return Object.entries(patch)
    .filter(([key]) => !(path === 'metadata' && key === 'uid'))
    .flatMap(([key, value]) => pathsIn(value, path === '' ? key : `${path}.${key}`));
}

/** Why it is done, as far as it is known: `ServiceMonitor shop/web was changed`. */
export function formatCause(cause: Cause): string {
  switch (cause.by) {
    case 'start':
      return 'everything is looked at after the start';
    case 'change': {
      const { type, key, change, others } = cause;
      return `${type.kind} ${key} was ${happened[change]}${others > 0 ? `, and ${others} more` : ''}`;
    }
    case 'own':
      return 'what it wrote has come back';
    case 'word':
      return 'something that it depends on has changed';
    case 'time':
      return 'it was time to look again';
    default:
      return cause satisfies never;
  }
}

const happened = { added: 'created', updated: 'changed', deleted: 'deleted' } as const;
