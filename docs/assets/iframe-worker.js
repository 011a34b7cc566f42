// A page opened from the disk may start no worker: there its script runs in a hidden frame instead.
// The search of the site needs one.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inner.document.createElement("script");
      script.src = address;
      this.ready = new Promise((done) => script.addEventListener("load", () => done(inner)));
      inner.document.body.append(script);
      this.terminate = () => frame.remove();
    }

    async postMessage(data) {
      const inner = await this.ready;
      inner.dispatchEvent(new inner.MessageEvent("message", { data }));
    }
  };
}
