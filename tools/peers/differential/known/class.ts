/** How a class of known differences is said: which request, what upstream answers, and what is answered here. Pure. */
import type { Difference } from '../../compare/differences.ts';
import type { Said } from '../answers.ts';
import type { Parted } from '../play.ts';

/** The row of fields that upstream has, and that are off there. */
export const gatedRow: string =
  'Fields of features that are off are dropped in silence (`fileKeyRef`, `restartPolicyRules`, `restartPolicy` of a container, `stopSignal`, `hostnameOverride`, `strategy` and `preferredHolder` of a Lease; `podCertificate`, `clusterTrustBundle`; binding conditions, shared capacity and nodes of devices; volumes with an `image`, and what mounts them; `nodeAllocatableUpdatePeriodSeconds` of a CSIDriver; `terminatingReplicas` of a ReplicaSet, `errorCode` of a VolumeAttachment, `configSource` of a Node)';

export interface KnownClass {
  /** The first cell of its row in docs/differences.md, which gives the reason. */
  readonly row: string;
  covers(difference: Difference, parted: Parted): boolean;
}

/** What an answer has to be: its code, and what its message says. */
export interface Answer {
  readonly code: number | readonly number[];
  /** Absent: no refusal. */
  readonly says?: RegExp;
}

export interface Asked {
  /** `^Pod (?:get|list)$`; absent: whatever is asked. */
  readonly called?: RegExp;
  readonly method?: string;
  /** With its query. */
  readonly path?: RegExp;
  readonly accept?: string;
  readonly body?: RegExp;
}

export interface Whole extends Asked {
  readonly row: string;
  readonly there: Answer;
  readonly here: Answer;
}

/** Two answers that have nothing in common: each has to be as it is said. */
export function whole({ row, there, here, ...asked }: Whole): KnownClass {
  return {
    row,
    covers: (_, parted) => isAsked(asked, parted) && isAnswer(parted.there, there) && isAnswer(parted.here, here),
  };
}

/** One value, as JSON. */
export type Value = RegExp | 'nothing' | ((json: string) => boolean);

export interface Part extends Asked {
  readonly row: string;
  readonly at: RegExp;
  readonly there: Value;
  readonly here: Value;
  /** What the answers are besides; absent: both the same. */
  readonly codes?: readonly [number, number];
}

/** One place of two answers that are alike otherwise, or are explained otherwise. */
export function part({ row, at, there, here, codes, ...asked }: Part): KnownClass {
  return {
    row,
    covers: (difference, parted) =>
      isAsked(asked, parted) &&
      (codes === undefined
        ? isAlikeOutside(parted)
        : parted.there.code === codes[0] && parted.here.code === codes[1]) &&
      at.test(difference.path) &&
      isValue(difference.there, there) &&
      isValue(difference.here, here),
  };
}

function isAlikeOutside({ there, here }: Parted): boolean {
  return there.code === here.code || (there.code < 300 && here.code < 300);
}

function isValue(json: string | undefined, wanted: Value): boolean {
  if (wanted === 'nothing') return json === undefined;
  if (json === undefined) return false;
  return typeof wanted === 'function' ? wanted(json) : wanted.test(json);
}

function isAnswer(said: Said, { code, says }: Answer): boolean {
  const codes = typeof code === 'number' ? [code] : code;
  if (!codes.includes(said.code)) return false;
  return says === undefined ? said.code < 300 : says.test(messageOf(said));
}

function isAsked({ called, method, path, accept, body }: Asked, parted: Parted): boolean {
  const { asked } = parted;
  return (
    (called === undefined || called.test(parted.called)) &&
    (method === undefined || method === asked.method) &&
    (path === undefined || path.test(asked.path)) &&
    (accept === undefined || asked.headers['accept'] === accept) &&
    (body === undefined || body.test(asked.body ?? ''))
  );
}

export function messageOf({ body }: Said): string {
  return (body as { readonly message?: string } | null)?.message ?? '';
}

export interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

export function causesOf({ body }: Said): readonly Cause[] {
  return (body as { readonly details?: { readonly causes?: readonly Cause[] } } | null)?.details?.causes ?? [];
}
