import { isObject } from '../../api/record.ts';
import type { ServerAnswer } from '../context/call-server.ts';

const words: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  415: 'the server was unable to respond with a content type that the client supports',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};
const charactersMax = 2_048;

/** What upstream's clients make of an answer that is no success. */
export function refusalWords({ code, text }: ServerAnswer): string {
  const said = text.trim().slice(0, charactersMax);
  const told = statusMessage(said);
  if (told !== undefined) return told;
  if (code === 403) return said === '' ? 'the server does not allow access to the requested resource' : said;
  const known = words[code];
  if (known !== undefined) return known;
  if (code < 400) return `the server responded with the status code ${code} but did not return more information`;
  return code >= 500
    ? `an error on the server (${JSON.stringify(said === '' ? 'unknown' : said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`;
}

function statusMessage(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) && value['kind'] === 'Status' && typeof value['message'] === 'string'
      ? value['message']
      : undefined;
  } catch {
    return undefined;
  }
}
