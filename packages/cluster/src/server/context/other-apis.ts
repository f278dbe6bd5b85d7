import type { APIResource } from '../../api/generated/meta-v1.ts';
import type { User } from '../../api/operation.ts';
import type { Passed, Passing } from '../../api/passing.ts';
import type { JsonObject } from '../../api/record.ts';

/** Groups and versions of the API that are not this server's own to answer: a part of this process does, or another server. */
export interface OtherApis {
  /** Undefined: it is the server's own, or nobody's. */
  find(at: ApiPlace): OtherApi | undefined;
  /** The same array until something of it changes. */
  all(): readonly OtherApi[];
}

export interface ApiPlace {
  readonly group: string;
  readonly version: string;
}

export interface OtherApi extends ApiPlace {
  /** The group with the higher number comes first in discovery, and clients take its resources for what people name. */
  readonly groupPriority: number;
  /** Within the group. */
  readonly versionPriority: number;
  /** As discovery lists them; undefined while nobody answers. */
  resources(): readonly APIResource[] | undefined;
  /** The OpenAPI v3 document of this group and version, if there is one. */
  openApi?(): JsonObject | undefined;
  /**
   * Answers a request whose user is known and allowed by now. The path is the whole one: `/apis/GROUP/VERSION/…`. Throws the
   * `StatusError` of a refusal, 503 where nobody answers.
   */
  pass(passing: Passing, user: User): Promise<Passed>;
}

export const noOtherApis: OtherApis = { find: () => undefined, all: () => [] };

/** Where another server listens, and how it is known. */
export interface ApiDestination {
  readonly host: string;
  readonly port: number;
  /** The name that its certificate has to bear. */
  readonly serverName: string;
  /** PEM; the computer's own list of authorities where there is none. */
  readonly ca: string | undefined;
  /** Takes any certificate. */
  readonly isInsecure: boolean;
}

/** Hands a request to another server, with the certificate by which it knows this one. Rejects when it is not reached. */
export type PassToServer = (
  to: ApiDestination,
  passing: Passing,
  adds: Readonly<Record<string, string | readonly string[]>>,
) => Promise<Passed>;
