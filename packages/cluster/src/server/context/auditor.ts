import type { Operation, Outcome, User } from '../../api/operation.ts';
import type { Status } from '../../api/status.ts';
import type { Access } from './authorizer.ts';

/** Who writes down what is asked of the server, by whom, and what came of it. */
export interface Auditor {
  /** Of every request, before it is known who asks. */
  begins(received: Received): AuditTrail;
}

/** A request, as far as it says nothing of what it is about. */
export interface Received {
  /** With its query. */
  readonly requestUri: string;
  readonly userAgent?: string | undefined;
  /** Where it comes from: what proxies say, then the connection. */
  readonly addresses: readonly string[];
  /** What its client wants it to be called. */
  readonly givenId?: string | undefined;
}

/** One request from its beginning to its end. */
export interface AuditTrail {
  readonly id: string;
  /** Who asks for what, found out. */
  asks(asked: AuditedAccess): void;
  /** Nobody is known who has shown this. */
  refusesCredentials(asked: AuditedAccess): void;
  /** Whom they act for. */
  actsAs(user: User): void;
  /** What a stage of the server wants to have noted of it. The first of a key counts. */
  readonly annotate: Annotate;
  /** What is to be done: the same operation, with the way to annotate it. */
  performs<T extends Operation>(operation: T): T;
  /** What came of it, before it is written. */
  answers(outcome: Outcome): void;
  /** An answer that goes on has begun. */
  begun(code: number): void;
  /** The end of its answer: how, or with what refusal. */
  ends(answered: number | Status): void;
  /** It failed by a defect of the server. */
  panics(): void;
}

export interface AuditedAccess {
  readonly access: Access;
  /** Of the group of a resource. */
  readonly version?: string | undefined;
}

export type Annotate = (key: string, value: string) => void;
