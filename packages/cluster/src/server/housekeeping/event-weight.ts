import type { Stored } from '../../store/store.ts';

export interface EventWeightOptions {
  /** What all events may weigh. */
  readonly bytesMax: number;
  /** Whether it is still the newest version of its event. */
  isLiving(stored: Pick<Stored, 'key' | 'revision'>): boolean;
  /** Undefined: it cannot be removed now. */
  remove(event: Entry): Promise<unknown> | undefined;
}

interface Entry {
  readonly key: string;
  readonly revision: number;
  readonly weightBytes: number;
}

/** What all events weigh, and which of them give way when it is too much: the oldest first, warnings last. */
export class EventWeight {
  readonly #options: EventWeightOptions;
  readonly #usual = new Line();
  readonly #warnings = new Line();
  #bytes = 0;
  /** Of those that are being removed because of it. */
  #goingBytes = 0;
  #givenUp = 0;

  constructor(options: EventWeightOptions) {
    this.#options = options;
  }

  get givenUp(): number {
    return this.#givenUp;
  }

  add({ key, revision, weightBytes, value }: Stored, before: Stored | undefined): void {
    this.#bytes += weightBytes - (before?.weightBytes ?? 0);
    const line = 'type' in value && value.type === 'Warning' ? this.#warnings : this.#usual;
    // What has ended by itself is forgotten here, or the line would grow as long as nobody has to give way.
    for (let first = line.first; first !== undefined && !this.#options.isLiving(first); first = line.first) line.take();
    line.add({ key, revision, weightBytes });
    this.#giveWay(this.#usual);
    this.#giveWay(this.#warnings);
  }

  removed(before: Stored | undefined): void {
    this.#bytes -= before?.weightBytes ?? 0;
  }

  #giveWay(line: Line): void {
    while (this.#bytes - this.#goingBytes > this.#options.bytesMax) {
      const event = line.take();
      if (event === undefined) return;
      const removing = this.#options.isLiving(event) ? this.#options.remove(event) : undefined;
      if (removing === undefined) continue;
      this.#goingBytes += event.weightBytes;
      this.#givenUp++;
      void removing.then(() => {
        this.#goingBytes -= event.weightBytes;
      });
    }
  }
}

class Line {
  #entries: Entry[] = [];
  #begun = 0;

  get first(): Entry | undefined {
    return this.#entries[this.#begun];
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  take(): Entry | undefined {
    const { first } = this;
    if (first !== undefined) this.#begun++;
    if (this.#begun * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#begun);
      this.#begun = 0;
    }
    return first;
  }
}
