export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The user wants the command to end. */
export class Ending extends Error {
  readonly by: EndingSignal;

  constructor(by: EndingSignal) {
    super('stopped by the user');
    this.name = 'Ending';
    this.by = by;
  }
}
