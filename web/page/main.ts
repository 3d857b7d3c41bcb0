// The page: opens the device, wires the forms, keeps the report.
import {
  bench, type BenchReport, builtInPackages, Core, Device, type Explanation, HalfbyteError, loadPackage, type Package, setResourceFolder, verify, type VerifyReport,
} from '../src/index.js';
import { byId, download } from './dom.js';
import { onShape, readAddress, readShape } from './shape_form.js';
import { showBench, showDevice, showExplainError, showExplanation, showVerify } from './views.js';

interface Report {
  halfbyte: string; when: string; page: { userAgent: string }; profile: unknown;
  explain?: Explanation; verify?: VerifyReport; bench?: BenchReport;
  timings: { core_ms: number; first_plan_ms?: number };
}

const say = (error: unknown) => (error instanceof HalfbyteError || error instanceof Error ? error.message : String(error));

function showProblem(error: unknown): void {
  const box = byId('problem');
  box.textContent = say(error);
  box.hidden = false;
}

class Page {
  private packages = new Map<string, Package>();
  private readonly report: Report;

  private constructor(private readonly core: Core, private readonly device: Device, coreMilliseconds: number) {
    this.report = {
      halfbyte: '0.1.0', when: new Date().toISOString(), page: { userAgent: navigator.userAgent }, profile: device.profile.profile,
      timings: { core_ms: coreMilliseconds },
    };
  }

  static async open(): Promise<void> {
    setResourceFolder(new URL('./', document.baseURI));
    const start = performance.now();
    const core = await Core.load();
    const milliseconds = performance.now() - start;
    const device = await Device.probe({ core });
    showDevice(device);
    void device.gpu.lost.then((info) => showProblem(`The device was lost (${info.reason}): ${info.message} Reload the page to open it again.`));
    const page = new Page(core, device, milliseconds);
    await page.start();
  }

  private async start(): Promise<void> {
    // Those that say what they compute; others (peaks) have nothing to explain for a shape.
    for (const name of await builtInPackages()) {
      const pack = await loadPackage(name, { core: this.core });
      if (pack.computes) this.packages.set(name, pack);
    }
    const select = byId<HTMLSelectElement>('package');
    select.replaceChildren(...[...this.packages.keys()].map((name) => new Option(name)));
    select.disabled = false;
    select.value = 'com.microsoft.MatMulNBits';
    readAddress();
    onShape(() => this.explain());
    window.addEventListener('hashchange', () => {
      readAddress();
      this.explain();
    });
    this.explain();
    this.wire('verify', (signal) => this.verify(signal));
    this.wire('bench', (signal) => this.bench(signal));
    const profile = byId<HTMLButtonElement>('download-profile');
    profile.disabled = false;
    profile.addEventListener('click', () => download(`${this.device.profile.name}.json`, this.device.profile.text));
    this.wireReport();
    document.documentElement.dataset.ready = 'true';
  }

  private get pack(): Package { return this.packages.get(byId<HTMLSelectElement>('package').value)!; }

  private explain(): void {
    const shape = readShape();
    if (!shape) {
      showExplainError('One of the fields above holds no allowed number.');
      return;
    }
    try {
      const start = performance.now();
      const explanation = this.pack.explain(this.device.profile, this.pack.problem(shape), { wgsl: true });
      const milliseconds = performance.now() - start;
      this.report.timings.first_plan_ms ??= milliseconds;
      const { whyNot: _, ...rest } = explanation;
      this.report.explain = rest;
      showExplanation(explanation, milliseconds);
    } catch (error) {
      showExplainError(say(error));
    }
  }

  // A button that starts and one that stops; one thing runs at a time.
  private wire(name: 'verify' | 'bench', body: (signal: AbortSignal) => Promise<void>): void {
    const start = byId<HTMLButtonElement>(`${name}-start`), stop = byId<HTMLButtonElement>(`${name}-stop`);
    start.disabled = false;
    let running: AbortController | undefined;
    stop.addEventListener('click', () => running?.abort());
    start.addEventListener('click', () => void (async () => {
      running = new AbortController();
      for (const other of ['verify', 'bench']) byId<HTMLButtonElement>(`${other}-start`).disabled = true;
      stop.hidden = false;
      try {
        await body(running.signal);
      } catch (error) {
        byId(`${name}-status`).textContent = say(error);
      } finally {
        stop.hidden = true;
        for (const other of ['verify', 'bench']) byId<HTMLButtonElement>(`${other}-start`).disabled = false;
        document.body.dataset[name] = 'done';
      }
    })());
  }

  private async verify(signal: AbortSignal): Promise<void> {
    const bar = byId<HTMLProgressElement>('verify-progress'), seed = byId<HTMLInputElement>('verify-seed').valueAsNumber;
    bar.hidden = false;
    byId('verify-failure').hidden = true;
    byId('verify-status').className = '';
    try {
      const report = await verify(this.device, this.pack, {
        signal, chosenOnly: byId<HTMLInputElement>('verify-chosen').checked, ...(seed > 0 && { seed }),
        progress: (state) => {
          bar.max = state.of;
          bar.value = state.done;
          byId('verify-status').textContent = `Case ${state.done + 1} of ${state.of}: ${state.case} by ${state.variant} (${state.passed} passed, ${state.failed} failed)`;
        },
      });
      this.report.verify = report;
      showVerify(report);
    } finally {
      bar.hidden = true;
    }
  }

  private async bench(signal: AbortSignal): Promise<void> {
    const shape = readShape(), rows = byId<HTMLInputElement>('bench-rows');
    if (!shape || !rows.reportValidity()) throw new HalfbyteError('invalid_argument', 'One of the fields holds no allowed number.');
    const shapes = rows.value.split(/[ ,]+/).filter(Boolean).map((M) => ({ ...shape, M: Number(M), constantWeights: true }));
    const report = await bench(this.device, this.pack, shapes, {
      signal, rotateBytes: (byId<HTMLInputElement>('bench-rotate').valueAsNumber || 0) * 2 ** 20,
      ...(byId<HTMLInputElement>('bench-all').checked && { variants: 'all' as const }),
      progress: (text) => { byId('bench-status').textContent = `Measuring ${text}`; },
    });
    this.report.bench = report;
    showBench(report);
  }

  private wireReport(): void {
    const text = () => JSON.stringify(this.report, null, 1);
    const name = () => `halfbyte-${this.device.profile.name}.json`;
    const save = byId<HTMLButtonElement>('report-download'), share = byId<HTMLButtonElement>('report-share');
    save.disabled = share.disabled = false;
    save.addEventListener('click', () => download(name(), text()));
    share.addEventListener('click', () => void (async () => {
      const file = new File([text()], name(), { type: 'application/json' });
      try {
        if (navigator.canShare?.({ files: [file] })) {
          await navigator.share({ files: [file], title: 'halfbyte report' });
        } else {
          await navigator.clipboard.writeText(text());
          byId('report-status').textContent = 'Copied to the clipboard.';
        }
      } catch (error) {
        if (!(error instanceof DOMException && error.name === 'AbortError')) byId('report-status').textContent = `It could not be shared: ${say(error)}`;
      }
    })());
  }
}

Page.open().catch((error: unknown) => {
  byId('device-status').textContent = '';
  showProblem(error);
  document.documentElement.dataset.ready = 'failed';
});
